import { mayHaveTakenEffect } from "../api/problems.js";
import type { Json } from "../model/json.js";
import type { Step, ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { CallOutcome } from "../model/report.js";
import { isLate } from "../model/sealed.js";
import { pathOf } from "../plan/zone-part.js";
import { bodyOf, pathWith } from "./body.js";
import type { Hands } from "./hands.js";
import { intentLine, outcomeLine } from "./lines.js";
import { idIn, type Sending, sightAfter, sightBefore } from "./sight.js";

/** One zone's apply, and what it has made so far. */
export interface Course {
  readonly plan: ZonePlan;
  /** The plan made right before the first call: what the zone had then. */
  readonly fresh: ZonePlan;
  readonly firstStep: number;
  readonly hands: Hands;
  /** Ids of new objects, by the step that made them. */
  readonly made: Map<number, string>;
}

/** No call is sent more often. */
const MAX_TRIES = 3;

/** The pause before a call is looked up and sent again; what makes something new is looked for longer. */
const AGAIN_MS = 1000;

/**
 * Sends one call, each time with a line in the journal before and after. One whose outcome is not known is looked up
 * before anything else, and sent again only if it had no effect, or where that does no harm.
 */
export async function sendStep(course: Course, step: Step): Promise<CallOutcome> {
  const { hands, plan, made } = course;
  const path = pathWith(step.path, made);
  const sending = { step, path, body: bodyOf(step, plan.secrets), known: knownTo(course, step) };
  const before = await sightBefore(sending, hands);
  if (before.as === "stop") return outcomeOf(course, step, "not_started", placed(before.why, course, step));
  let doubt: Problem | null = null;
  for (let attempt = 1; ; attempt++) {
    const unwritten = hands.note(intentLine(course, sending, attempt));
    if (unwritten !== null)
      return outcomeOf(course, step, attempt === 1 ? "not_started" : "failed", unwritten);
    const said = await sendOnce(course, sending, attempt);
    if (said.as === "clear") return settled(course, step, attempt, recalling(said.result, doubt));
    doubt = said.why;
    hands.note(outcomeLine(course, step, attempt, "unknown", null, said.why));
    const resolved = await resolve(course, sending, attempt, said.why);
    if (resolved !== null) return settled(course, step, attempt, resolved);
  }
}

/** Ids that stand in the list that the step adds to, and are not what it makes. */
function knownTo({ plan, fresh, made }: Course, { landed }: Step): ReadonlySet<string> {
  const lists = [...plan.steps, ...fresh.steps].flatMap((step) => step.landed ?? []);
  const known = lists.filter(({ list }) => list === landed?.list).flatMap((each) => each.known);
  return new Set([...known, ...made.values()]);
}

type Said =
  /** The id is that of what the call has made. */
  | { readonly as: "clear"; readonly result: Result<string | null> }
  /** It may have taken effect, and may not. */
  | { readonly as: "doubt"; readonly why: Problem };

async function sendOnce(course: Course, sending: Sending, attempt: number): Promise<Said> {
  const { step, path, body } = sending;
  const { hands } = course;
  const answer = await hands.send(step, path, body, async () => {
    const sight = await sightBefore(sending, hands);
    return sight.as === "stop" ? sight.why : null;
  });
  if (answer.ok) return { as: "clear", result: await idOfNew(course, sending, answer.value) };
  const [why = absurd()] = answer.problems;
  if (mayHaveTakenEffect(why)) return { as: "doubt", why };
  // Somebody else deleted it first, or the call did before: what was to be gone is gone.
  if (step.method === "DELETE" && why.code === "not_found") return { as: "clear", result: ok(null) };
  // What it was to make may be in its own way: an earlier try has made it, and did not show yet.
  const sight = attempt > 1 && step.landed !== null ? await sightAfter(sending, hands) : null;
  return { as: "clear", result: sight?.as === "done" ? ok(sight.id) : failed(why) };
}

/** The id in the answer; where a later call needs it and the answer does not have it, it is looked for. */
async function idOfNew(
  { plan, hands }: Course,
  sending: Sending,
  answer: Json,
): Promise<Result<string | null>> {
  const { step } = sending;
  if (step.method !== "POST") return ok(null);
  const id = idIn(answer);
  const isNeeded = plan.steps.some(({ path }) =>
    path.some((part) => isLate(part) && part.$result === step.n),
  );
  if (id !== null || !isNeeded) return ok(id);
  const sight = step.landed === null ? null : await sightAfter(sending, hands);
  if (sight?.as === "done") return ok(sight.id);
  if (sight?.as === "stop") return failed(sight.why);
  const detail = `${step.method} ${pathOf(step.path)} was accepted, and neither the answer nor a list has the id of what it made, which the next call needs. Plan again to go on.`;
  return failed(problem("unexpected_answer", "The answer has no id", detail));
}

/** What became of a call in doubt. Null: it may be sent again. */
async function resolve(
  { hands }: Course,
  sending: Sending,
  attempt: number,
  doubt: Problem,
): Promise<Result<string | null> | null> {
  const { method, landed } = sending.step;
  const canTell = method !== "POST" || landed !== null;
  if (!canTell) return failed(unresolved(doubt, attempt));
  if (landed === null && !hands.stopping()) await hands.pause(AGAIN_MS);
  const sight = await sightAfter(sending, hands);
  if (sight.as === "done") return ok(sight.id);
  if (sight.as === "stop") return failed(stopped(sight.why, doubt));
  if (attempt < MAX_TRIES && !hands.stopping()) return null;
  return failed(unresolved(doubt, attempt));
}

function unresolved(doubt: Problem, attempts: number): Problem {
  const often = attempts === 1 ? "" : ` It was sent ${attempts} times.`;
  return {
    ...doubt,
    detail: `${doubt.detail}${often} Whether the call took effect is not known: plan again to see.`,
  };
}

/** A call that fails may have taken effect when it was sent before. */
function recalling<T>(result: Result<T>, doubt: Problem | null): Result<T> {
  return result.ok || doubt === null ? result : failed(...result.problems.map((why) => stopped(why, doubt)));
}

function stopped(why: Problem, doubt: Problem): Problem {
  return { ...why, detail: `${why.detail} It was sent before, without a clear answer: ${doubt.detail}` };
}

function settled(course: Course, step: Step, attempt: number, result: Result<string | null>): CallOutcome {
  const { hands, made } = course;
  const id = result.ok ? result.value : null;
  if (id !== null) made.set(step.n, id);
  const [why = null] = result.ok ? [] : result.problems;
  const status = result.ok ? "done" : "failed";
  const unwritten = hands.note(outcomeLine(course, step, attempt, status, id, why));
  return outcomeOf(course, step, status, why === null ? unwritten : placed(why, course, step));
}

/** What names no place stands at the entry in the files that the call is for. */
function placed(why: Problem, { plan }: Course, step: Step): Problem {
  return { ...why, at: why.at ?? plan.changes[step.changes[0] ?? -1]?.at ?? null };
}

function outcomeOf(
  { plan, firstStep, made }: Course,
  step: Step,
  status: CallOutcome["status"],
  reason: Problem | null,
): CallOutcome {
  const known = step.path.map((part) => (isLate(part) ? (made.get(part.$result) ?? part) : part));
  const call = `${step.method} ${pathOf(known, firstStep - 1)}`;
  return { step: firstStep + step.n - 1, zone: plan.zone, call, status, problem: reason };
}

function absurd(): never {
  throw new Error("what failed has a problem");
}
