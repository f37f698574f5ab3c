import { atPlace, isAboutEnabled, isUnsent, mayHaveTakenEffect } from "../api/problems.js";
import type { JournalIntent, JournalOutcome } from "../model/journal.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import type { Step, ZonePlan } from "../model/plan.js";
import { absurd, failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { CallOutcome } from "../model/report.js";
import { isLate, isSecret, type Late, type SealedObject } from "../model/sealed.js";
import { pathOf } from "../plan/digest.js";
import {
  type Effect,
  effectAfter,
  effectBetween,
  effectIn,
  HAS_PROBLEM,
  idIn,
  type PreparedCall,
} from "./look-before-call.js";
import type { ApplyPorts } from "./ports.js";

/** One zone's apply and its created objects so far. */
interface ZoneRun {
  readonly plan: ZonePlan;
  /** The plan made right before the first call: what the zone had then. */
  readonly fresh: ZonePlan;
  readonly firstStep: number;
  readonly ports: ApplyPorts;
  /** Ids of new objects, by the step that made them. */
  readonly made: Map<number, string>;
  /** The last body written, by path. */
  readonly written: Map<string, JsonObject>;
}

/** How often a call with unknown outcomes is sent; a call that creates an object at most twice. */
const MAX_DOUBTS = 3;
const MAX_DOUBTS_OF_NEW = 2;

/** The pause before a call is looked up and sent again. New objects are looked for longer. */
const AGAIN_MS = 1000;

/**
 * Sends one call, with a journal line before and after each attempt. Before a call is sent again, the live state is read:
 * has the call taken effect, and is its object still as before? A call with an unknown outcome is sent again only if it
 * had no effect.
 */
export async function sendStep(run: ZoneRun, step: Step): Promise<CallOutcome> {
  const { ports } = run;
  let call = prepareCall(run, step);
  const doubts: Problem[] = [];
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(run, call, attempt);
    let resolution: Result<string | null> | null;
    switch (outcome.as) {
      case "held back":
        if (attempt === 1) return outcomeOf(run, step, "not_started", atEntry(outcome.why, run, step));
        return settle(run, step, attempt - 1, recalling(failed(outcome.why), doubts));
      case "clear":
        return settle(run, step, attempt, recalling(outcome.result, doubts));
      case "other form":
        ports.note(outcomeLine(run, step, attempt, "failed", null, outcome.why));
        call = outcome.call;
        break;
      case "no effect":
        ports.note(outcomeLine(run, step, attempt, "failed", null, outcome.why));
        resolution = await resolveAfterPause(run, call, outcome);
        if (resolution !== null) return settle(run, step, attempt, recalling(resolution, doubts));
        break;
      case "doubt":
        doubts.push(outcome.why);
        ports.note(outcomeLine(run, step, attempt, "unknown", null, outcome.why));
        resolution = await resolveDoubt(run, call, doubts);
        if (resolution !== null) return settle(run, step, attempt, resolution);
    }
  }
}

function prepareCall(run: ZoneRun, step: Step): PreparedCall {
  const { plan, made } = run;
  const path = pathWith(step.path, made);
  const body = bodyOf(step, plan.secrets.values);
  const was = wasOf(run, step, path);
  return { step, path, body, known: knownIds(run, step), was, hasOtherForm: false };
}

const NO_IDS: ReadonlySet<string> = new Set();

/** Ids in the step's list that are not the step's new object, from all steps that add to the list. */
function knownIds({ plan, fresh, made }: ZoneRun, { findCreated }: Step): ReadonlySet<string> {
  if (findCreated === null) return NO_IDS;
  const adding = [...plan.steps, ...fresh.steps].flatMap((step) => step.findCreated ?? []);
  const lists = new Set(adding.flatMap(({ list, known }) => (list === findCreated.list ? [known] : [])));
  return new Set([...lists, [...made.values()]].flat());
}

/** The object of the call, as planned and as the zone's earlier calls have left it. */
function wasOf({ plan, written }: ZoneRun, { changes }: Step, path: string): JsonObject | null {
  const raw = plan.changes[changes[0] ?? -1]?.before?.raw ?? null;
  return raw === null ? null : { ...raw, ...written.get(path) };
}

type SendOutcome =
  /** The id is that of the created object. */
  | { readonly as: "clear"; readonly result: Result<string | null> }
  /** It may have taken effect. */
  | { readonly as: "doubt"; readonly why: Problem }
  /** It has certainly not taken effect, and may be sent again. */
  | { readonly as: "no effect"; readonly why: Problem; readonly afterMs: number }
  /** It was refused for the form of a flag: it may be sent once more, with the flag in the other form. */
  | { readonly as: "other form"; readonly why: Problem; readonly call: PreparedCall }
  /** It was not sent this time. */
  | { readonly as: "held back"; readonly why: Problem };

async function sendOnce(run: ZoneRun, call: PreparedCall, attempt: number): Promise<SendOutcome> {
  const { step, path, body } = call;
  const { ports } = run;
  const before: { effect: Effect; begun: boolean } = { effect: { as: "notApplied" }, begun: false };
  const objection = (seen: Result<Json> | null) => {
    if (seen !== null) before.effect = effectIn(seen, call, attempt > 1);
    if (before.effect.as === "conflict") return before.effect.why;
    if (before.effect.as === "applied") return ALREADY_DONE;
    const unwritten = ports.note(intentLine(run, call, attempt));
    before.begun = unwritten === null;
    return unwritten;
  };
  const answer = await ports.send({
    step,
    path,
    body,
    attempt,
    read: readBefore(step, attempt),
    objection,
  });
  if (answer.ok) return { as: "clear", result: await idOfNew(run, call, answer.value) };
  const [why = absurd(HAS_PROBLEM)] = answer.problems;
  if (before.effect.as === "applied") return { as: "clear", result: ok(before.effect.id) };
  if (!before.begun) return { as: "held back", why };
  if (mayHaveTakenEffect(why)) return { as: "doubt", why };
  if (answer.againMs !== null) return { as: "no effect", why, afterMs: answer.againMs };
  // The object is gone: somebody else, or an earlier attempt, deleted it.
  if (step.method === "DELETE" && why.code === "not_found") return { as: "clear", result: ok(null) };
  const flipped = ports.stopping() ? null : inOtherForm(call, why);
  if (flipped !== null) return { as: "other form", why, call: flipped };
  // An earlier attempt may have created the object, which then blocks this one.
  const isRepeated = attempt > (call.hasOtherForm ? 2 : 1);
  const effect = isRepeated && step.findCreated !== null ? await effectAfter(call, ports) : null;
  return { as: "clear", result: effect?.as === "applied" ? ok(effect.id) : failed(why) };
}

/**
 * The documentation has a policy's `enabled` as text, and the published schema as a boolean. If no live policy shows the
 * right form, the service's refusal does. Null: the refusal has another reason, or both forms were tried.
 */
function inOtherForm(call: PreparedCall, why: Problem): PreparedCall | null {
  const { step, body } = call;
  const enabled = isObject(body) ? otherForm(body.enabled) : null;
  if (call.hasOtherForm || enabled === null || !isAboutEnabled(why)) return null;
  const planned = step.body as SealedObject; // it is the same body
  const flippedStep = { ...step, body: { ...planned, enabled } };
  return { ...call, step: flippedStep, body: { ...(body as JsonObject), enabled }, hasOtherForm: true };
}

/** Null: it is no flag. */
function otherForm(flag: Json | undefined): Json | null {
  if (typeof flag === "boolean") return String(flag);
  return flag === "true" || flag === "false" ? flag === "true" : null;
}

/**
 * The path to read right before a call. A list that is replaced whole is always read, since the call would overwrite
 * foreign changes. A single rule is read only before a repeat: the zone was read before its first call.
 */
function readBefore({ method, precondition }: Step, attempt: number): string | null {
  return precondition === null || (method === "PATCH" && attempt === 1) ? null : precondition.read;
}

/** Keeps the client from sending the call; it is never shown. */
const ALREADY_DONE = problem("already_done", "Already done", "The call took effect before.");

/** The result of a call without effect, after its pause. Null: send it again. */
async function resolveAfterPause(
  { ports }: ZoneRun,
  call: PreparedCall,
  { why, afterMs }: Extract<SendOutcome, { as: "no effect" }>,
): Promise<Result<string | null> | null> {
  if (!ports.stopping() && afterMs > 0) await ports.pause(afterMs);
  if (ports.stopping()) return failed(why);
  const effect = await effectBetween(call, ports);
  if (effect.as !== "applied" && ports.stopping()) return failed(why);
  switch (effect.as) {
    case "notApplied":
      return null;
    case "applied":
      return ok(effect.id);
    case "conflict":
      return failed(effect.why);
  }
}

/** The id in the answer. If a later call needs a missing id, it is searched in the list. */
async function idOfNew(
  { plan, ports }: ZoneRun,
  call: PreparedCall,
  answer: Json,
): Promise<Result<string | null>> {
  const { step } = call;
  if (step.method !== "POST") return ok(null);
  const id = idIn(answer);
  const isNeeded = plan.steps.some(({ path }) =>
    path.some((part) => isLate(part) && part.$result === step.n),
  );
  if (id !== null || !isNeeded) return ok(id);
  const effect = step.findCreated === null ? null : await effectAfter(call, ports);
  if (effect?.as === "applied") return ok(effect.id);
  if (effect?.as === "conflict") return failed(effect.why);
  const detail = `${step.method} ${pathOf(step.path)} was accepted, but the id of the new object is in no answer, and the next call needs it. Plan again to continue.`;
  return failed(problem("unexpected_answer", "Answer has no id", detail));
}

/** The result of a call in doubt. Null: send it again. */
async function resolveDoubt(
  { ports }: ZoneRun,
  call: PreparedCall,
  doubts: readonly Problem[],
): Promise<Result<string | null> | null> {
  const { method, findCreated, precondition } = call.step;
  const doubt = doubts.at(-1) ?? absurd(HAS_PROBLEM);
  if (method === "POST" && findCreated === null) return failed(undecidable(call, doubt));
  if (findCreated === null && !ports.stopping()) await ports.pause(AGAIN_MS);
  const maySend = () =>
    doubts.length < (findCreated === null ? MAX_DOUBTS : MAX_DOUBTS_OF_NEW) && !ports.stopping();
  // The list is read right before the call is sent again.
  if (precondition !== null && maySend()) return null;
  const effect = await effectAfter(call, ports);
  if (effect.as === "applied") return ok(effect.id);
  // After an interrupt the client refuses reads, so that a failed read says nothing about the call.
  if (effect.as === "conflict" && !ports.stopping()) return failed(afterDoubt(effect.why, doubt));
  return maySend() ? null : failed(unresolved(doubt));
}

/** The service cannot list the object, so neither a read nor a plan can find it. */
function undecidable({ step, path }: PreparedCall, doubt: Problem): Problem {
  const detail = `${step.method} ${path} got no clear answer (${doubt.summary.toLowerCase()}), and the service does not list such objects, so its effect is unknown. Look in the dashboard. If the object is there, remove it from the file; if not, apply again.`;
  return { ...doubt, detail };
}

function unresolved(doubt: Problem): Problem {
  return {
    ...doubt,
    detail: `${doubt.detail} The effect of the call is unknown. The next apply reads the live state again.`,
  };
}

/** Adds to a failure that an earlier attempt may have taken effect. */
function recalling<T>(result: Result<T>, doubts: readonly Problem[]): Result<T> {
  const doubt = doubts.at(-1);
  return result.ok || doubt === undefined
    ? result
    : failed(...result.problems.map((why) => afterDoubt(why, doubt)));
}

function afterDoubt(why: Problem, doubt: Problem): Problem {
  // An unsent call tells nothing about the earlier attempt.
  if (isUnsent(why)) return unresolved(doubt);
  return {
    ...why,
    detail: `${why.detail} An earlier attempt got no clear answer (${doubt.summary.toLowerCase()}).`,
  };
}

function settle(run: ZoneRun, step: Step, attempt: number, result: Result<string | null>): CallOutcome {
  const { ports, made, plan, written } = run;
  const id = result.ok ? result.value : null;
  if (id !== null) made.set(step.n, id);
  const body = bodyOf(step, plan.secrets.values);
  if (result.ok && isObject(body) && step.method !== "POST") written.set(pathWith(step.path, made), body);
  const [why = null] = result.ok ? [] : result.problems;
  const status = result.ok ? "done" : "failed";
  const unwritten = ports.note(outcomeLine(run, step, attempt, status, id, why));
  return outcomeOf(run, step, status, why === null ? unwritten : atEntry(why, run, step));
}

/** Places a problem without a location at the changed entry of the files. */
function atEntry(why: Problem, { plan }: ZoneRun, step: Step): Problem {
  return atPlace(why, plan.changes[step.changes[0] ?? -1]?.at ?? null);
}

export function outcomeOf(
  { plan, firstStep, made }: Pick<ZoneRun, "plan" | "firstStep" | "made">,
  step: Step,
  status: CallOutcome["status"],
  reason: Problem | null,
): CallOutcome {
  const resolvedPath = step.path.map((part) => (isLate(part) ? (made.get(part.$result) ?? part) : part));
  const call = `${step.method} ${pathOf(resolvedPath, firstStep - 1)}`;
  return { step: firstStep + step.n - 1, zone: plan.zone, call, status, problem: reason };
}

/** A step's body with the values of its secrets. */
export function bodyOf({ body, secretFields }: Step, secrets: ReadonlyMap<string, Json>): Json | null {
  if (!isObject(body)) return body as Json | null; // a body is an object or nothing
  const fields = Object.entries(body).map(([field, value]): readonly [string, Json] => {
    if (!secretFields.includes(field) || !isSecret(value)) return [field, value];
    const secret = secrets.get(value.$secret);
    if (secret === undefined) throw new Error("every reference of a plan is among its secrets");
    return [field, secret];
  });
  return Object.fromEntries(fields);
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

/** The journal line before a call, with the body of the plan, in which secrets are references. */
function intentLine(
  { plan, firstStep }: Pick<ZoneRun, "plan" | "firstStep">,
  { step, path }: Pick<PreparedCall, "step" | "path">,
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
    yields: step.effects.map(({ ref, item }) => ({ ...ref, state: item?.normal ?? null })),
  };
}

/** The journal line after a call. */
function outcomeLine(
  { plan, firstStep }: Pick<ZoneRun, "plan" | "firstStep">,
  { n }: Step,
  attempt: number,
  status: JournalOutcome["status"],
  id: string | null,
  why: Problem | null,
): JournalOutcome {
  const reason = why === null ? null : { code: why.code, summary: why.summary, detail: why.detail };
  return { type: "outcome", zone: plan.zone, step: firstStep + n - 1, attempt, status, id, problem: reason };
}
