import type { Problem } from "../model/problem.js";
import { apiError, type Enveloped, envelope, failure } from "./answer.js";
import { answerTo, type Credentials, type Received, targetOf } from "./api.js";
import { holdings, isSame } from "./holdings.js";
import { isWrite } from "./log.js";
import { createRouter } from "./router.js";
import type { Route, World } from "./routes/route.js";

/** What has become of a request, before anything can go wrong on the wire. */
export interface Handled {
  readonly answer: Enveloped;
  /** Whether it has changed what the service holds. */
  readonly tookEffect: boolean;
}

export type Service = (request: Received) => Handled;

/** @param save keeps the state; called after each change */
export function createService(
  offered: readonly Route[],
  credentials: Credentials,
  world: World,
  save: () => Problem | null,
): Service {
  const router = createRouter(offered);
  return (request) => {
    const { path } = targetOf(request);
    const held = () => (isWrite(request.method) ? holdings(world.store, path) : []);
    const before = held();
    const answer = answerTo(request, router, credentials, world);
    const tookEffect = !isSame(before, held());
    const lost = tookEffect ? save() : null;
    const given = lost === null ? answer : failure(500, apiError(lost.detail));
    return { answer: envelope(given, world.habits.failureMessages(path)), tookEffect };
  };
}
