import { groupBy } from "../model/group-by.js";
import { isObject, type Json } from "../model/json.js";
import type { Problem } from "../model/problem.js";
import { type Answer, apiError, type Enveloped, envelope, failure, fieldError } from "./answer.js";
import { failureMessages } from "./dialect.js";
import { noSuchRoute, type Route, type World } from "./resources/resource.js";

/** The outcome of a request, before faults on the wire. */
interface Handled {
  readonly answer: Enveloped;
  /** Whether the state changed. */
  readonly tookEffect: boolean;
}

export type Service = (request: Received) => Handled;

/** @param save keeps the state after each change */
export function createService(
  offered: readonly Route[],
  credentials: Credentials,
  world: World,
  save: () => Problem | null,
): Service {
  const router = createRouter(offered);
  return (request) => {
    const { path } = targetOf(request);
    const { states } = world.store.byId.get(path.split("/")[2] ?? "") ?? world.store.account;
    const before = new Map(states);
    const answer = answerTo(request, router, credentials, world);
    const tookEffect = [...states].some(([holding, state]) => state !== before.get(holding));
    const lost = tookEffect ? save() : null;
    const finalAnswer = lost === null ? answer : failure(500, apiError(lost.detail));
    return { answer: envelope(finalAnswer, failureMessages(world.dialect, path)), tookEffect };
  };
}

/** The base path. It ends in the version segment, as the service's own base address does. */
export const BASE_PATH = "/client/v4";

/** A request as the server read it. */
export interface Received {
  readonly method: string;
  /** The whole path with its query, base included. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly body: Body;
}

export type Body =
  | { readonly as: "json"; readonly value: Json }
  /** Also an empty body. */
  | { readonly as: "not json" }
  /** A key that no object of the API has, at this JSON pointer. */
  | { readonly as: "shadowing key"; readonly at: string }
  | { readonly as: "too large" };

interface Credentials {
  readonly token: string;
  readonly email: string;
  readonly key: string;
}

/** Checks the credential, then the route, then the body. The content type is ignored. */
function answerTo(request: Received, router: Router, credentials: Credentials, world: World): Answer {
  if (!isAuthentic(request.headers, credentials))
    return failure(403, apiError("Authentication error", 10000));
  const { path, query } = targetOf(request);
  const place = request.target.startsWith(`${BASE_PATH}/`) ? router(path) : null;
  if (place === null) return noSuchRoute(request.target);
  const route = place.routes.get(request.method);
  if (route === undefined) return failure(405, apiError(`${request.method} is not allowed for ${path}`));
  const call = { path, query: new URLSearchParams(query), parameters: place.parameters, body: {} };
  if (request.method === "GET" || request.method === "DELETE") return route.answer(call, world);
  if (request.body.as === "too large") return failure(413, apiError("the request body is too large"));
  if (request.body.as === "not json") return failure(400, apiError("the request body is not valid JSON"));
  if (request.body.as === "shadowing key") return failure(400, fieldError(request.body.at, "unknown field"));
  if (!isObject(request.body.value)) return failure(400, apiError("the request body is not a JSON object"));
  return route.answer({ ...call, body: request.body.value }, world);
}

/** Both schemes are accepted everywhere. Users see this code for a wrong token and for a missing permission. */
function isAuthentic(headers: Received["headers"], { token, email, key }: Credentials): boolean {
  if (headers.authorization !== undefined) return headers.authorization === `Bearer ${token}`;
  return headers["x-auth-email"] === email && headers["x-auth-key"] === key;
}

/** Path and query, relative to the base. */
export function targetOf(request: Received): { readonly path: string; readonly query: string } {
  const { target } = request;
  const afterBase = target.startsWith(BASE_PATH) ? target.slice(BASE_PATH.length) : target;
  const mark = afterBase.indexOf("?");
  if (mark === -1) return { path: afterBase, query: "" };
  return { path: afterBase.slice(0, mark), query: afterBase.slice(mark + 1) };
}

/** The routes of a path by method, and the values of its parameters. */
interface FoundRoutes {
  readonly routes: ReadonlyMap<string, Route>;
  readonly parameters: ReadonlyMap<string, string>;
}

type Router = (path: string) => FoundRoutes | null;

export function createRouter(routes: readonly Route[]): Router {
  const endpoints = [...groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => ({
    pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]*)")}$`),
    routes: new Map<string, Route>(ofPath.map((route) => [route.method, route])),
  }));
  return (path) => {
    for (const { pattern, routes } of endpoints) {
      const match = pattern.exec(path);
      if (match !== null) return { routes, parameters: new Map(Object.entries(match.groups ?? {})) };
    }
    return null;
  };
}
