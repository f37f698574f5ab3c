import { kindNamed } from "../../kinds/index.js";
import { objectAfter } from "../../kinds/object-after.js";
import { sentRule } from "../../kinds/phase.js";
import { type Order, positionOf, sidesIn } from "../../kinds/rule-places.js";
import { isSameWithinReading, type Ref } from "../../model/item.js";
import type { JournalChange, JournalIntent, JournalRef, JournalZone } from "../../model/journal.js";
import { isList, isObject, type Json, type JsonObject, without } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { JournaledCall, JournaledZone, JournalRecord } from "../read-journal.js";

/** The effect, sure or possible, of an apply on one object. */
export interface AppliedChange {
  readonly change: JournalChange;
  /** Its index among the apply's changes. A replaced object and its replacement have the same index. */
  readonly changeIndex: number;
  /** The object before, as the service gave it, without what may be a secret. Null: it was absent. */
  readonly before: JsonObject | null;
  /** Its possible states after the calls, in their order. References stand for secrets. */
  readonly afters: readonly JsonObject[];
  /** Whether all these calls are known to have taken effect. */
  readonly isSure: boolean;
  /** The id of a created object. Null: it is unknown. */
  readonly madeId: string | null;
  /** The ids of other objects of its kind that existed before. */
  readonly otherIds: ReadonlySet<string>;
  /** The ids of the rules that stood in front of it in its list, nearest first. Null: it stood in no list. */
  readonly behind: readonly string[] | null;
  /** For a replaced object: its state in the plan, and the bodies sent for its replacement. */
  readonly replaced?: { readonly shown: SealedObject; readonly sent: readonly JsonObject[] };
}

/** The objects that the calls of a zone's apply may have had an effect on. */
export function appliedChanges({ before: zone, calls }: JournaledZone): readonly AppliedChange[] {
  return zone.changes.flatMap((change, index) => {
    const zoneCalls = calls.filter(({ intent }) => intent.changes.includes(index));
    return deedsOf(change).flatMap((deed) => appliedChangeOf(zone, zoneCalls, deed, index));
  });
}

function appliedChangeOf(
  zone: JournalZone,
  calls: readonly JournaledCall[],
  change: JournalChange,
  index: number,
): readonly AppliedChange[] {
  const isOfObject = (each: JournalRef) => isSameWithinReading(each, change);
  const effectiveCalls = calls.filter(
    (call) => mayHaveTakenEffect(call) && call.intent.yields.some(isOfObject),
  );
  if (effectiveCalls.length === 0) return [];
  const intents = effectiveCalls.map(({ intent }) => intent);
  const order = orderThen(zone, change);
  const otherChanges = zone.changes.filter(({ kind, id }) => kind === change.kind && id !== change.id);
  const sent = calls.flatMap(({ intent: { body } }) => (body === null ? [] : [body as JsonObject])); // a journal is JSON
  const shown = zone.seen.find(isOfObject)?.state ?? {};
  const isReplaced = change.action === "delete" && zone.changes[index]?.replaces === true;
  return [
    {
      change,
      changeIndex: index,
      ...statesOf(zone, change, intents, order),
      isSure: effectiveCalls.every(({ outcome }) => outcome?.status === "done"),
      madeId: effectiveCalls.flatMap(({ outcome }) => outcome?.id ?? []).at(-1) ?? null,
      otherIds: new Set(otherChanges.flatMap(({ id }) => id ?? [])),
      behind: order?.slice(0, order.indexOf(change.id ?? "")).reverse() ?? null,
      ...(isReplaced ? { replaced: { shown, sent } } : {}),
    },
  ];
}

/** Whether an apply has replaced, or may have replaced, the first object by the second one. */
export function hasReplaced(
  { zones }: JournalRecord,
  zoneId: string,
  replaced: Ref,
  replacement: Ref,
): boolean {
  const zoneRecords = zones.filter(({ before }) => before.zone_id === zoneId);
  return zoneRecords.some((zone) =>
    appliedChanges(zone).some(({ change, changeIndex, madeId }) => {
      const { replaces, kind, id } = zone.before.changes[changeIndex] ?? change;
      const isOfOld = replaces === true && kind === replaced.kind && id === replaced.id;
      return isOfOld && change.action === "create" && (madeId === null || madeId === replacement.id);
    }),
  );
}

/** A replacement creates one object and deletes another. */
function deedsOf({ replaces, ...change }: JournalChange): readonly JournalChange[] {
  if (replaces !== true) return [change];
  const made: JournalChange = { ...change, action: "create", id: null, was: null };
  return [made, { ...change, key: change.was ?? change.key, action: "delete", was: null }];
}

/** Only a call that certainly failed had no effect. */
function mayHaveTakenEffect({ outcome, doubted }: JournaledCall): boolean {
  return outcome?.status !== "failed" || doubted;
}

function statesOf(
  zone: JournalZone,
  change: JournalChange,
  intents: readonly JournalIntent[],
  order: Order | null,
): Pick<AppliedChange, "before" | "afters"> {
  const journaled = zone.raw.find((each) => isSameWithinReading(each, change));
  const raw = (journaled?.raw ?? null) as JsonObject | null; // a journal is JSON
  if (change.action === "delete") return { before: raw, afters: [] };
  const sent = intents.map(({ body }) => idsIn(body?.rules as Json | undefined)); // a journal is JSON
  const withPosition = sidesIn(change.id ?? "", order ?? [], sent);
  return {
    before: raw === null ? null : withPosition(raw, order),
    afters: intents.map((intent, index) => withPosition(afterOf(intent, change, raw), sent[index] ?? null)),
  };
}

/** In the body of a list the object is one of the rules. Fields that other bodies leave out stay as they were. */
function afterOf(intent: JournalIntent, ref: JournalRef, before: JsonObject | null): JsonObject {
  const { rules, ...rest } = (intent.body ?? {}) as JsonObject; // a journal is JSON
  const at = kindNamed(ref.kind)?.at;
  if (at?.as === "object") return objectAfter(at, before, intent.path, rest);
  if (!isList(rules)) return at?.as === "rules" ? ruleAfter(before, rest) : { ...before, ...rest };
  const list = rules.filter(isObject);
  const rule = ruleAmong(list, intent, ref);
  const position = positionOf(list, list.indexOf(rule));
  return { ...ruleAfter(before, rule), ...(before?.position === undefined ? {} : { position }) };
}

/** A rule is sent whole, so only fields that no body has keep their values. */
function ruleAfter(before: JsonObject | null, sent: JsonObject): JsonObject {
  const { id: _, ...sendable } = sentRule(before ?? {});
  return { ...without(before ?? {}, Object.keys(sendable)), ...sent };
}

/** New rules have no ids. A call yields them in their order. */
function ruleAmong(rules: readonly JsonObject[], { yields }: JournalIntent, ref: JournalRef): JsonObject {
  const made = yields.filter(({ id, state }) => id === null && state !== null);
  const fresh = rules.filter(({ id = null }) => id === null);
  const rule =
    ref.id === null
      ? fresh[made.findIndex((each) => isSameWithinReading(each, ref))]
      : rules.find(({ id }) => id === ref.id);
  return rule ?? {};
}

/** The list in which the rule stood before the apply. Null: it stood in none. */
function orderThen({ seen }: JournalZone, { id }: JournalRef): Order | null {
  if (id === null) return null;
  const orders = seen.map(({ state }) => idsIn(state?.rules as Json | undefined)); // a journal is JSON
  return orders.find((order) => order?.includes(id)) ?? null;
}

/** New rules have no ids. Null: not a list. */
function idsIn(rules: Json | undefined): Order | null {
  if (!isList(rules)) return null;
  return rules.flatMap((rule) => (isObject(rule) && rule.id !== undefined ? [String(rule.id)] : []));
}
