import { mayHaveTakenEffect } from "../api/problems.js";
import type { JournalIntent, JournalOutcome } from "../model/journal.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import type { Step, ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { CallOutcome } from "../model/report.js";
import { isLate, isSecret, type Late, type SealedObject } from "../model/sealed.js";
import { pathOf } from "../plan/digest.js";
import { idIn, type Sending, type Sight, sightAfter, sightBetween, sightIn } from "./effect.js";
import type { Hands } from "./ports.js";

/** One zone's apply, and what it has made so far. */
interface Course {
  readonly plan: ZonePlan;
  /** The plan made right before the first call: what the zone had then. */
  readonly fresh: ZonePlan;
  readonly firstStep: number;
  readonly hands: Hands;
  /** Ids of new objects, by the step that made them. */
  readonly made: Map<number, string>;
  /** What was last written to a path. */
  readonly written: Map<string, JsonObject>;
}

/** So often is a call sent whose outcome is not known; one that makes something new, once more at most. */
const MAX_DOUBTS = 3;
const MAX_DOUBTS_OF_NEW = 2;

/** The pause before a call is looked up and sent again; what makes something new is looked for longer. */
const AGAIN_MS = 1000;

/**
 * Sends one call, each time with a line in the journal before and after. One that is to be sent again is looked up
 * before: whether it has taken effect, and whether what it changes is still as it was. One whose outcome is not known
 * is sent again only if it had no effect.
 */
export async function sendStep(course: Course, step: Step): Promise<CallOutcome> {
  const { hands } = course;
  const sending = sendingOf(course, step);
  const doubts: Problem[] = [];
  for (let attempt = 1; ; attempt++) {
    const said = await sendOnce(course, sending, attempt);
    let known: Result<string | null> | null;
    switch (said.as) {
      case "held back":
        if (attempt === 1) return outcomeOf(course, step, "not_started", placed(said.why, course, step));
        return settled(course, step, attempt - 1, recalling(failed(said.why), doubts));
      case "clear":
        return settled(course, step, attempt, recalling(said.result, doubts));
      case "no effect":
        hands.note(outcomeLine(course, step, attempt, "failed", null, said.why));
        known = await waited(course, sending, said);
        if (known !== null) return settled(course, step, attempt, recalling(known, doubts));
        break;
      case "doubt":
        doubts.push(said.why);
        hands.note(outcomeLine(course, step, attempt, "unknown", null, said.why));
        known = await resolve(course, sending, attempt, doubts);
        if (known !== null) return settled(course, step, attempt, known);
    }
  }
}

function sendingOf(course: Course, step: Step): Sending {
  const { plan, made } = course;
  const path = pathWith(step.path, made);
  const body = bodyOf(step, plan.secrets);
  return { step, path, body, known: knownTo(course, step), was: wasOf(course, step, path) };
}

/** Ids that stand in the list that the step adds to, and are not what it makes. */
function knownTo({ plan, fresh, made }: Course, { landed }: Step): ReadonlySet<string> {
  const lists = [...plan.steps, ...fresh.steps].flatMap((step) => step.landed ?? []);
  const known = lists.filter(({ list }) => list === landed?.list).flatMap((each) => each.known);
  return new Set([...known, ...made.values()]);
}

/** What the call changes, as the plan saw it and the zone's earlier calls have left it. */
function wasOf({ plan, written }: Course, { changes }: Step, path: string): JsonObject | null {
  const ref = plan.changes[changes[0] ?? -1]?.ref;
  const seen = plan.touched.find((each) => each.ref.kind === ref?.kind && each.ref.id === ref.id);
  return seen === undefined ? null : { ...seen.raw, ...written.get(path) };
}

type Said =
  /** The id is that of what the call has made. */
  | { readonly as: "clear"; readonly result: Result<string | null> }
  /** It may have taken effect, and may not. */
  | { readonly as: "doubt"; readonly why: Problem }
  /** It certainly has not, and may be sent again. */
  | { readonly as: "no effect"; readonly why: Problem; readonly afterMs: number }
  /** It did not go out this time. */
  | { readonly as: "held back"; readonly why: Problem };

async function sendOnce(course: Course, sending: Sending, attempt: number): Promise<Said> {
  const { step, path, body } = sending;
  const { hands } = course;
  const before: { sight: Sight; begun: boolean } = { sight: { as: "open" }, begun: false };
  const objection = (seen: Result<Json> | null) => {
    if (seen !== null) before.sight = sightIn(seen, sending, attempt > 1);
    if (before.sight.as === "stop") return before.sight.why;
    if (before.sight.as === "done") return ALREADY_DONE;
    const unwritten = hands.note(intentLine(course, sending, attempt));
    before.begun = unwritten === null;
    return unwritten;
  };
  const answer = await hands.send({ step, path, body, attempt, read: step.expects?.read ?? null, objection });
  if (answer.ok) return { as: "clear", result: await idOfNew(course, sending, answer.value) };
  const [why = absurd()] = answer.problems;
  if (before.sight.as === "done") return { as: "clear", result: ok(before.sight.id) };
  if (!before.begun) return { as: "held back", why };
  if (mayHaveTakenEffect(why)) return { as: "doubt", why };
  if (answer.againMs !== null) return { as: "no effect", why, afterMs: answer.againMs };
  // Somebody else deleted it first, or the call did before: what was to be gone is gone.
  if (step.method === "DELETE" && why.code === "not_found") return { as: "clear", result: ok(null) };
  // What it was to make may be in its own way: an earlier try has made it, and did not show yet.
  const sight = attempt > 1 && step.landed !== null ? await sightAfter(sending, hands) : null;
  return { as: "clear", result: sight?.as === "done" ? ok(sight.id) : failed(why) };
}

/** Said to the client alone. */
const ALREADY_DONE = problem("already_done", "Already done", "The call has taken effect before.");

/** What has become of a call that had no effect, after the pause that it takes. Null: it may be sent again. */
async function waited(
  { hands }: Course,
  sending: Sending,
  { why, afterMs }: Extract<Said, { as: "no effect" }>,
): Promise<Result<string | null> | null> {
  if (!hands.stopping() && afterMs > 0) await hands.pause(afterMs);
  if (hands.stopping()) return failed(why);
  const sight = await sightBetween(sending, hands);
  if (sight.as !== "done" && hands.stopping()) return failed(why);
  switch (sight.as) {
    case "open":
      return null;
    case "done":
      return ok(sight.id);
    case "stop":
      return failed(sight.why);
  }
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
  doubts: readonly Problem[],
): Promise<Result<string | null> | null> {
  const { method, landed, expects } = sending.step;
  const doubt = doubts.at(-1) ?? absurd();
  if (method === "POST" && landed === null) return failed(untold(sending, doubt));
  if (landed === null && !hands.stopping()) await hands.pause(AGAIN_MS);
  const maySend = () =>
    doubts.length < (landed === null ? MAX_DOUBTS : MAX_DOUBTS_OF_NEW) && !hands.stopping();
  // It is looked at right before the call is sent again.
  if (expects !== null && maySend()) return null;
  const sight = await sightAfter(sending, hands);
  if (sight.as === "done") return ok(sight.id);
  // Who is to end may not have been let in to look.
  if (sight.as === "stop" && !hands.stopping()) return failed(stopped(sight.why, doubt));
  return maySend() ? null : failed(unresolved(doubt, attempt));
}

/** No look, and no plan, can say whether it is there. */
function untold({ step, path }: Sending, doubt: Problem): Problem {
  const detail = `${step.method} ${path} got no clear answer (${doubt.summary.toLowerCase()}), and the service cannot list what it makes. Whether the call took effect is not known, and no plan can show it: look in the dashboard first. If it is there, take it out of the file; only if it is not, apply again. To apply again without looking may make a second one.`;
  return { ...doubt, detail };
}

function unresolved(doubt: Problem, attempts: number): Problem {
  const often = attempts === 1 ? "" : ` It was sent ${attempts} times.`;
  return {
    ...doubt,
    detail: `${doubt.detail}${often} Whether the call took effect is not known: it does not show. The next apply sees what is there by then.`,
  };
}

/** A call that fails may have taken effect when it was sent before. */
function recalling<T>(result: Result<T>, doubts: readonly Problem[]): Result<T> {
  const doubt = doubts.at(-1);
  return result.ok || doubt === undefined
    ? result
    : failed(...result.problems.map((why) => stopped(why, doubt)));
}

function stopped(why: Problem, doubt: Problem): Problem {
  return {
    ...why,
    detail: `${why.detail} It was sent before, without a clear answer (${doubt.summary.toLowerCase()}).`,
  };
}

function settled(course: Course, step: Step, attempt: number, result: Result<string | null>): CallOutcome {
  const { hands, made, plan, written } = course;
  const id = result.ok ? result.value : null;
  if (id !== null) made.set(step.n, id);
  const body = bodyOf(step, plan.secrets);
  if (result.ok && isObject(body) && step.method !== "POST") written.set(pathWith(step.path, made), body);
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

/** A step's body with what its references to secrets stand for. */
export function bodyOf({ body, fills }: Step, secrets: ReadonlyMap<string, Json>): Json | null {
  if (!isObject(body)) return body as Json | null; // a body is an object or nothing
  const filled = Object.entries(body).map(([field, value]): readonly [string, Json] => {
    if (!fills.includes(field) || !isSecret(value)) return [field, value];
    const secret = secrets.get(value.$secret);
    if (secret === undefined) throw new Error("every reference of a plan is among its secrets");
    return [field, secret];
  });
  return Object.fromEntries(filled);
}

/** A step's path with the ids that earlier steps have made. */
function pathWith(path: readonly (string | Late)[], made: ReadonlyMap<number, string>): string {
  const parts = path.map((part) => {
    if (!isLate(part)) return part;
    const id = made.get(part.$result);
    if (id === undefined) throw new Error("a step comes after those whose ids it needs");
    return id;
  });
  return parts.map((part) => `/${part}`).join("");
}

/** What the journal says before a call is sent: its body as in the plan, never as it is sent. */
function intentLine(
  { plan, firstStep }: Pick<Course, "plan" | "firstStep">,
  { step, path }: Pick<Sending, "step" | "path">,
  attempt: number,
): JournalIntent {
  return {
    type: "intent",
    zone: plan.zone,
    step: firstStep + step.n - 1,
    attempt,
    method: step.method,
    path,
    body: step.body as SealedObject | null, // a body is an object or nothing
    changes: step.changes,
    yields: step.yields.map(({ ref, item }) => ({ ...ref, state: item?.normal ?? null })),
  };
}

/** What it says once something is known of the call. */
function outcomeLine(
  { plan, firstStep }: Pick<Course, "plan" | "firstStep">,
  { n }: Step,
  attempt: number,
  status: JournalOutcome["status"],
  id: string | null,
  why: Problem | null,
): JournalOutcome {
  const reason = why === null ? null : { code: why.code, summary: why.summary, detail: why.detail };
  return { type: "outcome", zone: plan.zone, step: firstStep + n - 1, attempt, status, id, problem: reason };
}
