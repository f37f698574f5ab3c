import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { FindCreated, Step } from "../model/plan.js";
import { absurd, areAll, type Problem, problem, type Result } from "../model/problem.js";
import { exactId } from "../model/read-api.js";
import { type ApplyPorts, lookAgain } from "./ports.js";

/** The live state's answer about a call before it is sent or repeated. */
export type Effect =
  /** It has not taken effect, and may be sent. */
  | { readonly as: "notApplied" }
  /** It has taken effect. The id is that of the created object. */
  | { readonly as: "applied"; readonly id: string | null }
  /** It must not be sent. */
  | { readonly as: "conflict"; readonly why: Problem };

export interface PreparedCall {
  readonly step: Step;
  readonly path: string;
  readonly body: Json | null;
  /** Ids of objects that the zone had, or that earlier calls have made. */
  readonly known: ReadonlySet<string>;
  /** The object before the call; null: unknown, or the call creates it. */
  readonly was: JsonObject | null;
  /** Whether its `enabled` has another form than in the plan: text instead of a boolean, or the reverse. */
  readonly hasOtherForm: boolean;
}

const NOT_APPLIED: Effect = { as: "notApplied" };
const APPLIED: Effect = { as: "applied", id: null };

/**
 * The last look at a shared list before the call replaces it, or before a rule call is repeated: the call would overwrite
 * changes made since the plan.
 *
 * @param isRepeated whether an earlier attempt of the call may have changed the list
 */
export function effectIn(seen: Result<Json>, call: PreparedCall, isRepeated: boolean): Effect {
  const { precondition } = call.step;
  if (precondition === null) return NOT_APPLIED;
  const now = stateIn(seen, precondition);
  if (now.as === "conflict") return now;
  if (isAsBefore(now.state, precondition)) return NOT_APPLIED;
  return isRepeated && hasListed(now.state, call) ? APPLIED : liveConflict(now.state, precondition);
}

/** Whether a call with an unknown outcome has taken effect. */
export async function effectAfter(call: PreparedCall, ports: ApplyPorts): Promise<Effect> {
  const { findCreated, precondition } = call.step;
  if (findCreated !== null) return effectOfNew(findCreated, call, ports);
  if (precondition !== null) return effectIn(await ports.read(precondition.read), call, true);
  return effectOfObject(call, ports);
}

/** Whether a call that had no effect may be sent again. State that is read right before the call is not read here. */
export async function effectBetween(call: PreparedCall, ports: ApplyPorts): Promise<Effect> {
  const { method, findCreated, precondition } = call.step;
  if (findCreated !== null) return lookForNew(findCreated, call, ports);
  return precondition !== null || method === "POST" ? NOT_APPLIED : effectOfObject(call, ports);
}

/** An object that does not show within these pauses, twelve seconds in all, counts as not created. */
const NEW_PAUSES_MS = Array.from({ length: 12 }, (_, index) => 150 * (index + 1));

async function effectOfNew(findCreated: FindCreated, call: PreparedCall, ports: ApplyPorts): Promise<Effect> {
  const isEnough = (effect: Effect) => effect.as !== "notApplied";
  return lookAgain(() => lookForNew(findCreated, call, ports), isEnough, ports, NEW_PAUSES_MS);
}

async function lookForNew(
  { list, where }: FindCreated,
  call: PreparedCall,
  ports: ApplyPorts,
): Promise<Effect> {
  const { known, step } = call;
  const now = await ports.list(list);
  if (!now.ok) return { as: "conflict", why: now.problems[0] ?? absurd(HAS_PROBLEM) };
  const matching = now.value.filter((each) => containsSent(each, where));
  const fresh = matching.filter((each) => !known.has(idIn(each) ?? ""));
  const [made, ...moreMade] = fresh;
  if (made === undefined) return NOT_APPLIED;
  const id = idIn(made);
  if (id !== null && moreMade.length === 0) {
    const differing = fieldsNotAsSent(made, call, ports);
    return differing.length === 0
      ? { as: "applied", id }
      : { as: "conflict", why: madeByOthers(list, id, differing, step) };
  }
  const ids = fresh.map((each) => idIn(each) ?? "one without a usable id").join(", ");
  const detail = `${step.method} ${list} got no clear answer, and GET ${list} now has ${fresh.length} objects that this call may have created: ${ids}. Delete the extra ones, and plan again. Nothing more is sent to this zone.`;
  return {
    as: "conflict",
    why: problem("several_made", "Created object is ambiguous", detail),
  };
}

/** The readable fields in which a new object differs from its body. Answers may hide secrets. */
function fieldsNotAsSent(made: Json, { step, body }: PreparedCall, ports: ApplyPorts): readonly string[] {
  if (!isObject(made) || !isObject(body)) return [];
  const open = Object.keys(body).filter((name) => !step.secretFields.includes(name));
  const differing = open.filter((name) => made[name] !== undefined && !containsSent(made[name], body[name]));
  return differing.length > 0 && meansSame(made, step, ports) ? [] : differing;
}

/** The service may spell the same meaning in another way. */
function meansSame(raw: JsonObject, { effects }: Step, ports: ApplyPorts): boolean {
  const [effect, ...moreEffects] = effects;
  const item = moreEffects.length === 0 ? effect?.item : null;
  return item !== undefined && item !== null && ports.fieldsDiffering(raw, item).length === 0;
}

function madeByOthers(list: string, id: string, differing: readonly string[], { method }: Step): Problem {
  const detail = `${method} ${list} was sent without a clear answer or without effect, and GET ${list} now has an object of that name, ${id}, which differs (${differing.join(", ")}). Plan again. Nothing more is sent to this zone.`;
  return problem("made_by_others", "Another object has this name", detail);
}

/** The object's id, if it is safe in a path. */
export function idIn(value: Json | null): string | null {
  return isObject(value) ? exactId(value.id) : null;
}

type Precondition = NonNullable<Step["precondition"]>;

type State = { readonly as: "state"; readonly state: JsonObject } | Extract<Effect, { as: "conflict" }>;

function stateIn(seen: Result<Json>, { fields }: Precondition): State {
  if (seen.ok) return { as: "state", state: isObject(seen.value) ? seen.value : {} };
  // Users of the service see an entry point that has no rules answer as if it was not there.
  const isNone = areAll(seen.problems, "not_found");
  if (isNone && Object.values(fields).every(isEmpty)) return { as: "state", state: {} };
  return { as: "conflict", why: seen.problems[0] ?? absurd(HAS_PROBLEM) };
}

/** Whether the object or list, or the rule in the list that the call replaces, is what was sent. */
function hasListed(state: JsonObject, { step, path, body }: PreparedCall): boolean {
  if (step.method !== "PATCH" || step.precondition?.read === path) return containsSent(state, body);
  const id = path.slice(path.lastIndexOf("/") + 1);
  const { position, ...sent } = isObject(body) ? body : {};
  return Object.values(state).some((list) => {
    if (!isList(list)) return false;
    const place = list.findIndex((each) => idIn(each) === id);
    return containsSent(list[place], sent) && isAt(position, list, place);
  });
}

/** Whether what was sent with a place in the list stands there. The empty text is an end of the list. */
function isAt(position: Json | undefined, list: readonly Json[], place: number): boolean {
  const { before, after } = isObject(position) ? position : {};
  if (before !== undefined) return before === "" ? place === 0 : idIn(list[place + 1] ?? null) === before;
  if (after === undefined) return true;
  return after === "" ? place === list.length - 1 : idIn(list[place - 1] ?? null) === after;
}

function isAsBefore(state: JsonObject, precondition: Precondition): boolean {
  return changedFields(state, precondition).length === 0;
}

function changedFields(state: JsonObject, { fields }: Precondition): readonly string[] {
  return Object.keys(fields).filter((name) => {
    const [before, now] = [fields[name], state[name]];
    return !(isEmpty(before) ? isEmpty(now) : equal(before, now));
  });
}

function liveConflict(state: JsonObject, precondition: Precondition): Effect {
  const changed = fieldsText(changedFields(state, precondition));
  const detail = `${changed} at ${precondition.read} changed after planning. The call was not sent. Plan again.`;
  return { as: "conflict", why: problem("stale_live", "Live state changed", detail) };
}

/** A changed list of rules has another version too. */
function fieldsText(names: readonly string[]): string {
  if (names.includes("rules") || names.includes("version")) return "The rule list";
  return `The ${names.length === 1 ? "field" : "fields"} ${names.join(" and ")}`;
}

/** Some services cannot show a single object. Sending the call again does no harm then. */
const UNREADABLE = ["method_not_allowed", "no_route"];

async function effectOfObject(call: PreparedCall, ports: ApplyPorts): Promise<Effect> {
  const { step, path, body, was } = call;
  const now = await ports.read(path);
  if (!now.ok) {
    const [why = absurd(HAS_PROBLEM)] = now.problems;
    // Where the object is gone, the answer to the call says so.
    if (why.code === "not_found") return step.method === "DELETE" ? APPLIED : NOT_APPLIED;
    return UNREADABLE.includes(why.code) ? NOT_APPLIED : { as: "conflict", why };
  }
  const state = isObject(now.value) ? now.value : {};
  // The meaning of the other fields cannot show whether a secret is as sent.
  const isSame =
    showsAsSent(state, call) || (step.secretFields.length === 0 && meansSame(state, step, ports));
  if (step.method !== "DELETE" && isSame) return APPLIED;
  const fields = was === null ? [] : Object.keys(isObject(body) ? body : was);
  const changedNames = fields.filter((name) => isChanged(name, state, was ?? {}, isObject(body) ? body : {}));
  if (changedNames.length === 0) return NOT_APPLIED;
  const detail = `${fieldsText(changedNames)} at ${path} changed after planning. The call was not sent again. Plan again.`;
  return { as: "conflict", why: problem("stale_live", "Live state changed", detail) };
}

/** Whether the visible fields are as sent. Answers may hide secrets. */
function showsAsSent(state: JsonObject, { step, body }: PreparedCall): boolean {
  const shown = Object.entries(isObject(body) ? body : {}).filter(
    ([name]) => state[name] !== undefined || !step.secretFields.includes(name),
  );
  return shown.length > 0 && containsSent(state, Object.fromEntries(shown));
}

/** Whether somebody else changed the field: it is neither as before nor as sent. */
function isChanged(name: string, state: JsonObject, was: JsonObject, body: JsonObject): boolean {
  const [now, before, sent] = [state[name], was[name], body[name]];
  if (now === undefined || (isEmpty(now) && isEmpty(before)) || equal(now, before)) return false;
  return sent === undefined || !containsSent(now, sent);
}

export const HAS_PROBLEM = "a failed outcome has a problem";

/** Whether a live value contains the sent one. The service may have added members. */
function containsSent(live: Json | undefined, sent: Json | undefined): boolean {
  if (isEmpty(sent)) return isEmpty(live);
  if (isList(sent))
    return (
      isList(live) &&
      live.length === sent.length &&
      sent.every((each, index) => containsSent(live[index], each))
    );
  if (isObject(sent))
    return isObject(live) && Object.entries(sent).every(([name, value]) => containsSent(live[name], value));
  return live === sent || (typeof sent === "boolean" && isFlag(live, sent));
}

/** Some answers spell a flag: `"true"`. */
function isFlag(live: Json | undefined, flag: boolean): boolean {
  return typeof live === "string" && live.toLowerCase() === String(flag);
}

/** An empty list may be left out of an answer. */
function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (isList(value) && value.length === 0);
}
