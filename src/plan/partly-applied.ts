import { readFlag } from "../kinds/fields.js";
import { kindNamed } from "../kinds/index.js";
import { firstFew } from "../model/cut.js";
import { DECLARED, type Item, isSameName, type Ref } from "../model/item.js";
import { equal, isObject, without } from "../model/json.js";
import type { Change, ZonePlan } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import type { Sealed } from "../model/sealed.js";
import { says } from "../model/sentence.js";
import { allItems } from "../model/zone-state.js";
import { furtherTakenOver, isTouched, liveObjects } from "./compare-plans.js";
import { hasCall, partOf, type ShownChange, shownOf, type ZonePart } from "./digest.js";

/**
 * Whether a zone's plan is the rest of an earlier plan that was applied in part: its calls, changes and live states are all
 * in the earlier plan, the texts of the files are the same, and all other changes are done.
 */
export function isRestOf(earlier: ZonePart, rest: ZonePart, plan: ZonePlan): boolean {
  const before = { ...earlier, calls: unnumbered(earlier.calls) };
  const part = underFormerNames(before, { ...rest, calls: unnumbered(rest.calls) });
  const now = beforeSent(before, beforeMade(before, part));
  return (
    equal(now.written, before.written) &&
    isAmong(now.calls, before.calls) &&
    isAmong(now.seen, before.seen) &&
    isAmong(now.changes, before.changes) &&
    furtherTakenOver(before, now).length === 0 &&
    before.changes.every(
      (change) =>
        now.changes.some((each) => isSameName(each, change)) || isDone(change, idIn(before, change), plan),
    )
  );
}

/** The changes that an earlier plan has with calls, and that are live now: an apply of that plan made them. */
export function withApplied(earlier: ZonePart, changes: readonly Change[]): readonly Change[] {
  return changes.map((change) => {
    const shown = shownOf(change);
    const isApplied = !hasCall(change) && earlier.changes.some((each) => hasSameEnd(each, shown));
    return isApplied ? { ...change, applied: true, origins: DECLARED } : change;
  });
}

/** The object is the same after both. A change without a call starts at the base, and so may have other fields. */
function hasSameEnd(planned: ShownChange, taken: ShownChange): boolean {
  return (
    isSameName(planned, taken) &&
    (planned.action === "delete") === (taken.action === "delete") &&
    planned.fields.every(({ path, after }) =>
      taken.fields.every((each) => each.path !== path || equal(each.after, after)),
    )
  );
}

/**
 * Why some objects of a zone's plan cannot be applied by themselves: that would take other calls, as where one call changes
 * several rules of a list. Null: they can.
 */
export function notAlone(plan: ZonePlan): Problem | null {
  const { whole } = plan;
  if (whole === undefined) return null;
  const callsIn = (each: ZonePlan) => unnumbered(partOf(each).calls);
  if (isAmong(callsIn(plan), callsIn(whole))) return null;
  const isMeant = ({ ref }: Change) => plan.changes.some((each) => isSameName(each.ref, ref));
  const byCall = whole.steps.map(({ changes }) => changes.map((index) => changeAt(whole, index)));
  const inSharedCalls = new Set(byCall.filter((changes) => changes.some(isMeant)).flat());
  const names = [...inSharedCalls]
    .filter((each) => !isMeant(each))
    .map(({ ref }) => `${ref.kind}/${ref.key}`);
  const why =
    names.length === 0
      ? "they need calls that the saved plan does not have"
      : `the saved plan sends them in one call with ${firstFew(names, MAX_NAMED)}`;
  const advice = names.length === 0 ? "Plan these alone." : "Name those as well, or plan these alone.";
  const detail = says`In ${plan.zone}, the changes named by ${{ flag: "only" }} cannot be applied alone: ${why}. ${advice} Nothing is written to this zone.`;
  return problem("not_alone", "Changes cannot be applied alone", detail);
}

/** More are not named. */
const MAX_NAMED = 6;

function changeAt({ changes }: ZonePlan, index: number): Change {
  const change = changes[index];
  if (change === undefined) throw new Error("a step's changes are those of its plan");
  return change;
}

type Calls = ZonePart["calls"];

/**
 * Replaces step numbers by the calls themselves, since the rest has other numbers. Spells switches in one way, since the
 * spelling that is sent depends on other live fields.
 */
function unnumbered(calls: Calls): Calls {
  return calls.map((call) => ({
    ...call,
    body: inOneSpelling(call.body),
    path: call.path.replace(/\{result:(\d+)\}/g, (_, n) => madeBy(calls[Number(n) - 1])),
  }));
}

function inOneSpelling(body: Calls[number]["body"]): Calls[number]["body"] {
  const { enabled } = isObject(body) ? body : {};
  return isObject(body) && typeof enabled === "string" ? { ...body, enabled: readFlag(enabled) } : body;
}

function madeBy(call: Calls[number] | undefined): string {
  return `{${JSON.stringify(call)}}`;
}

/** The rest, with the keys of the earlier plan. An object's key becomes shorter once its namesakes are deleted. */
function underFormerNames({ seen }: ZonePart, rest: ZonePart): ZonePart {
  const former = new Map(
    rest.seen.flatMap(({ kind, key, id }) => {
      const formerEntry = seen.find(
        (each) => each.kind === kind && each.id === id && isLonger(each.key, key),
      );
      return id === null || formerEntry === undefined ? [] : [[`${kind} ${key}`, formerEntry.key] as const];
    }),
  );
  const renamed = <T extends Pick<Ref, "kind" | "key">>(object: T): T => ({
    ...object,
    key: former.get(`${object.kind} ${object.key}`) ?? object.key,
  });
  return { ...rest, seen: rest.seen.map(renamed), changes: rest.changes.map(renamed) };
}

/** `j (http_requests)` for `j`. */
function isLonger(key: string, than: string): boolean {
  return key.startsWith(`${than} (`);
}

/** A list that the earlier plan created and has not filled yet counts as not created. */
function beforeMade({ calls, seen }: ZonePart, rest: ZonePart): ZonePart {
  const lists = rest.seen.flatMap((list) => {
    const was = seen.find((each) => isSameName(each, list));
    const making = calls.find(({ method, body }) => method === "POST" && fieldOf(body, "phase") === list.key);
    const isYetEmpty = was?.state === null && making !== undefined && isEmpty(list.state);
    return isYetEmpty ? [{ list, was, making, path: `${making.path}/${list.id}` }] : [];
  });
  return {
    ...rest,
    seen: rest.seen.map((each) => lists.find(({ list }) => list === each)?.was ?? each),
    calls: rest.calls.map((call) => {
      const making = lists.find(({ path }) => path === call.path)?.making;
      if (making === undefined) return call;
      return { ...call, path: `${making.path}/${madeBy(making)}`, body: filling(call.body, making.body) };
    }),
  };
}

/** An object with a call for each part counts as not sent at all, if its sent parts are as planned. */
function beforeSent({ changes, seen }: ZonePart, rest: ZonePart): ZonePart {
  const objects = rest.changes.flatMap((change) => {
    const planned = changes.find((each) => isSameName(each, change));
    const [was, now] = [seen, rest.seen].map((all) => all.find((each) => isSameName(each, change)));
    if (!isInParts(change) || planned === undefined || was === undefined || now === undefined) return [];
    const sent = planned.fields.filter(({ path }) => !change.fields.some((each) => each.path === path));
    const before = isObject(was.state) ? was.state : {};
    const made = { ...before, ...Object.fromEntries(sent.map(({ path, after }) => [path, after])) };
    return isAmong(change.fields, planned.fields) && equal(made, now.state)
      ? [{ change, planned, now, was }]
      : [];
  });
  return {
    ...rest,
    seen: rest.seen.map((each) => objects.find(({ now }) => now === each)?.was ?? each),
    changes: rest.changes.map((each) => objects.find(({ change }) => change === each)?.planned ?? each),
  };
}

function isInParts({ kind }: ShownChange): boolean {
  const at = kindNamed(kind)?.at;
  return at?.as === "object" && at.partOf !== undefined;
}

type State = ZonePart["seen"][number]["state"];

function isEmpty(state: State): boolean {
  const rules = fieldOf(state, "rules") ?? null;
  return state !== null && (rules === null || (Array.isArray(rules) && rules.length === 0));
}

/** The body that fills an existing list repeats its description. */
function filling(body: Calls[number]["body"], made: Calls[number]["body"]): Calls[number]["body"] {
  if (!isObject(body) || fieldOf(body, "description") !== fieldOf(made, "description")) return body;
  return without(body, ["description"]);
}

function fieldOf(body: unknown, field: string): unknown {
  return isObject(body) ? body[field] : undefined;
}

function isAmong<T>(some: readonly T[], all: readonly T[]): boolean {
  return some.every((item) => all.some((each) => equal(each, item)));
}

function idIn({ seen }: ZonePart, change: ShownChange): string | null {
  return seen.find((each) => isSameName(each, change))?.id ?? null;
}

/** @param id the live object's id: its key becomes shorter once its namesakes are deleted */
function isDone({ action, kind, key, fields }: ShownChange, id: string | null, plan: ZonePlan): boolean {
  if (action === "delete")
    return !liveObjects(plan).some(({ ref }) => isSameName(ref, { kind, key }) && !isTouched(plan, ref));
  const isAsPlanned = (value: Sealed | undefined, after: unknown) => {
    // Fields that a new object got beside the declared ones are not always read from the live object.
    if (value === undefined && action === "create") return true;
    // The service has no empty lists of custom log fields: an emptied list is absent.
    if (value === undefined && Array.isArray(after) && after.length === 0) return true;
    // Null: the field does not apply, such as the place of a rule that is in its place already.
    return value === null || equal(value ?? null, after ?? null);
  };
  return asDeclared(plan).some(
    ({ ref, normal }) =>
      (isSameName(ref, { kind, key }) || (ref.kind === kind && ref.id !== null && ref.id === id)) &&
      fields.every(({ path, after }) => isAsPlanned(normal[path], after)),
  );
}

/** Declared objects without a pending change. */
function asDeclared({ changes, meaning: { states } }: ZonePlan): readonly Item[] {
  const changing = new Set(changes.filter(hasCall).map(({ after }) => after));
  return (states === undefined ? [] : allItems(states.after)).filter(
    (item) => item.at !== null && !changing.has(item),
  );
}
