import { equal } from "../model/equal.js";
import { isId } from "../model/id.js";
import { isObject, type Json, type JsonObject } from "../model/json.js";
import type { Landed, Step } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import { covers, isEmpty } from "./covers.js";
import { type Hands, lookAgain } from "./hands.js";

/** What a look at the live state says of a call that is about to be sent, or to be repeated. */
export type Sight =
  /** It has not taken effect, and may be sent. */
  | { readonly as: "open" }
  /** It has taken effect. The id is that of what it made. */
  | { readonly as: "done"; readonly id: string | null }
  /** It must not be sent. */
  | { readonly as: "stop"; readonly why: Problem };

/** A call as it is sent. */
export interface Sending {
  readonly step: Step;
  readonly path: string;
  readonly body: Json | null;
  /** Ids of objects that the zone had, or that earlier calls have made. */
  readonly known: ReadonlySet<string>;
}

const OPEN: Sight = { as: "open" };

/**
 * The last look before a list is replaced whole: whoever changed it since would lose what they did. Other calls need
 * none.
 */
export async function sightBefore({ step: { expects } }: Sending, hands: Hands): Promise<Sight> {
  if (expects === null) return OPEN;
  const now = await stateOf(expects, hands);
  if (now.as === "stop") return now;
  return isAsBefore(now.state, expects) ? OPEN : moved(now.state, expects);
}

/** Whether a call whose outcome is not known has taken effect. */
export async function sightAfter(sending: Sending, hands: Hands): Promise<Sight> {
  const { method, landed, expects } = sending.step;
  if (landed !== null) return sightOfNew(landed, sending, hands);
  if (expects !== null) return sightOfList(expects, sending, hands);
  // What the others do, they do again without harm; to look spares it where the object itself can be read.
  return method === "PUT" ? sightOfObject(sending, hands) : OPEN;
}

async function sightOfNew(landed: Landed, sending: Sending, hands: Hands): Promise<Sight> {
  const isEnough = (sight: Sight) => sight.as !== "open";
  return lookAgain(() => lookForNew(landed, sending, hands), isEnough, hands);
}

async function lookForNew({ list, where }: Landed, { known, step }: Sending, hands: Hands): Promise<Sight> {
  const now = await hands.list(list);
  if (!now.ok) return { as: "stop", why: now.problems[0] ?? absurd() };
  const found = now.value.filter((each) => covers(each, where)).map(idIn);
  const fresh = found.filter((id) => id === null || !known.has(id));
  const [id, ...others] = fresh;
  if (id === undefined) return OPEN;
  if (id !== null && others.length === 0) return { as: "done", id };
  const ids = fresh.map((each) => each ?? "one without a usable id").join(", ");
  const detail = `${step.method} ${list} got no clear answer, and GET ${list} now has ${fresh.length} objects that it may have made: ${ids}. Which of them is ours cannot be told, so nothing more is sent to this zone. Delete what is too much, and plan again.`;
  return { as: "stop", why: problem("several_made", "A call may have made one of several objects", detail) };
}

/** The id of what an answer or a list has, if it may stand in a path. */
export function idIn(value: Json | null): string | null {
  const id = isObject(value) ? value.id : null;
  const text = typeof id === "string" || typeof id === "number" ? String(id) : "";
  return isId(text) ? text : null;
}

type Expects = NonNullable<Step["expects"]>;

async function sightOfList(expects: Expects, { body }: Sending, hands: Hands): Promise<Sight> {
  const now = await stateOf(expects, hands);
  if (now.as === "stop") return now;
  if (isAsBefore(now.state, expects)) return OPEN;
  return covers(now.state, body) ? { as: "done", id: null } : moved(now.state, expects);
}

type State = { readonly as: "state"; readonly state: JsonObject } | Extract<Sight, { as: "stop" }>;

async function stateOf({ read, fields }: Expects, hands: Hands): Promise<State> {
  const now = await hands.read(read);
  if (now.ok) return { as: "state", state: isObject(now.value) ? now.value : {} };
  // Users of the service see an entry point that has no rules answer as if it was not there.
  const isNone = now.problems.every(({ code }) => code === "not_found");
  if (isNone && Object.values(fields).every(isEmpty)) return { as: "state", state: {} };
  return { as: "stop", why: now.problems[0] ?? absurd() };
}

function isAsBefore(state: JsonObject, expects: Expects): boolean {
  return movedFields(state, expects).length === 0;
}

function movedFields(state: JsonObject, { fields }: Expects): readonly string[] {
  return Object.keys(fields).filter((name) => {
    const [before, now] = [fields[name], state[name]];
    return !(isEmpty(before) ? isEmpty(now) : equal(before, now));
  });
}

function moved(state: JsonObject, expects: Expects): Sight {
  const what = movedFields(state, expects).join(" and ");
  const detail = `Just before it would have been replaced, GET ${expects.read} gave another ${what} than the plan saw. It was not replaced. Plan again.`;
  return { as: "stop", why: problem("stale_live", "The live state moved", detail) };
}

async function sightOfObject({ path, body }: Sending, hands: Hands): Promise<Sight> {
  const now = await hands.read(path);
  return now.ok && covers(now.value, body) ? { as: "done", id: null } : OPEN;
}

function absurd(): never {
  throw new Error("what failed has a problem");
}
