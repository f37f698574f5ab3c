import { type Order, positionOf, sidesIn } from "../../kinds/rule-places.js";
import { isSameNow, type Ref } from "../../model/item.js";
import type { JournalChange, JournalIntent, JournalRef, JournalZone } from "../../model/journal.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { JournaledCall, JournaledZone, JournalRecord } from "../read-journal.js";

/** What an apply did, or may have done, to one object. */
export interface Past {
  readonly change: JournalChange;
  /** Its index among the apply's changes. A replaced object and its replacement have the same index. */
  readonly of: number;
  /** The object before, as the service gave it, without what may be a secret. Null: it was absent. */
  readonly before: JsonObject | null;
  /** What the calls may have made of it, one after the other. References stand for secrets. */
  readonly afters: readonly JsonObject[];
  /** Whether all these calls are known to have taken effect. */
  readonly isSure: boolean;
  /** The id of a created object. Null: it is unknown. */
  readonly madeId: string | null;
  /** The ids of other objects of its kind that were there before. */
  readonly others: ReadonlySet<string>;
  /** The ids of the rules that stood in front of it in its list, nearest first. Null: it stood in no list. */
  readonly behind: readonly string[] | null;
  /** Of a replaced object: how the plan showed it, and the bodies that were sent of its replacement. */
  readonly replaced?: { readonly shown: SealedObject; readonly sent: readonly JsonObject[] };
}

/** The objects that the calls of a zone's apply may have had an effect on. */
export function pastOf({ before: zone, calls }: JournaledZone): readonly Past[] {
  return zone.changes.flatMap((change, of) => {
    const own = calls.filter(({ intent }) => intent.changes.includes(of));
    return deedsOf(change).flatMap((deed) => pastOfDeed(zone, own, deed, of));
  });
}

function pastOfDeed(
  zone: JournalZone,
  calls: readonly JournaledCall[],
  change: JournalChange,
  of: number,
): readonly Past[] {
  const isIts = (each: JournalRef) => isSameNow(each, change);
  const own = calls.filter((call) => mayHaveTakenEffect(call) && call.intent.yields.some(isIts));
  if (own.length === 0) return [];
  const intents = own.map(({ intent }) => intent);
  const order = orderThen(zone, change);
  const others = zone.changes.filter(({ kind, id }) => kind === change.kind && id !== change.id);
  const sent = calls.flatMap(({ intent: { body } }) => (body === null ? [] : [body as JsonObject])); // a journal is JSON
  const shown = zone.seen.find(isIts)?.state ?? {};
  const isReplaced = change.action === "delete" && zone.changes[of]?.replaces === true;
  return [
    {
      change,
      of,
      ...statesOf(zone, change, intents),
      isSure: own.every(({ outcome }) => outcome?.status === "done"),
      madeId: own.flatMap(({ outcome }) => outcome?.id ?? []).at(-1) ?? null,
      others: new Set(others.flatMap(({ id }) => id ?? [])),
      behind: order?.slice(0, order.indexOf(change.id ?? "")).reverse() ?? null,
      ...(isReplaced ? { replaced: { shown, sent } } : {}),
    },
  ];
}

/** Whether an apply has put the second object in the place of the first, or may have, whatever became of the first. */
export function hasReplaced({ zones }: JournalRecord, zoneId: string, old: Ref, fresh: Ref): boolean {
  const own = zones.filter(({ before }) => before.zone_id === zoneId);
  return own.some((zone) =>
    pastOf(zone).some(({ change, of, madeId }) => {
      const { replaces, kind, id } = zone.before.changes[of] ?? change;
      const isOfOld = replaces === true && kind === old.kind && id === old.id;
      return isOfOld && change.action === "create" && (madeId === null || madeId === fresh.id);
    }),
  );
}

/** A replacement creates one object and deletes another. */
function deedsOf({ replaces, ...change }: JournalChange): readonly JournalChange[] {
  if (replaces !== true) return [change];
  const made: JournalChange = { ...change, action: "create", id: null, was: null };
  return [made, { ...change, key: change.was ?? change.key, action: "delete", was: null }];
}

/** A call that failed without a doubt left everything as it was. */
function mayHaveTakenEffect({ outcome, doubted }: JournaledCall): boolean {
  return outcome?.status !== "failed" || doubted;
}

/** The object before, and what these calls may have made of it. */
function statesOf(
  zone: JournalZone,
  change: JournalChange,
  intents: readonly JournalIntent[],
): Pick<Past, "before" | "afters"> {
  const found = change.action === "create" ? undefined : zone.raw.find((each) => isSameNow(each, change));
  const raw = (found?.raw ?? null) as JsonObject | null; // a journal is JSON
  if (change.action === "delete") return { before: raw, afters: [] };
  const then = orderThen(zone, change);
  const sent = intents.map(({ body }) => idsIn(body?.rules as Json | undefined)); // a journal is JSON
  const placed = sidesIn(change.id ?? "", then ?? [], sent);
  return {
    before: raw === null ? null : placed(raw, then),
    afters: intents.map((intent, index) => placed(afterOf(intent, change, raw), sent[index] ?? null)),
  };
}

/** Fields that a body leaves out stay as they were. In the body of a list the object is one of the rules. */
function afterOf(intent: JournalIntent, ref: JournalRef, before: JsonObject | null): JsonObject {
  const { rules, ...rest } = (intent.body ?? {}) as JsonObject; // a journal is JSON
  if (!isList(rules)) return { ...before, ...rest };
  const list = rules.filter(isObject);
  const own = ruleAmong(list, intent, ref);
  const position = positionOf(list, list.indexOf(own));
  return { ...before, ...own, ...(before?.position === undefined ? {} : { position }) };
}

/** New rules have no ids. A call yields them in their order. */
function ruleAmong(rules: readonly JsonObject[], { yields }: JournalIntent, ref: JournalRef): JsonObject {
  const made = yields.filter(({ id, state }) => id === null && state !== null);
  const fresh = rules.filter(({ id = null }) => id === null);
  const own =
    ref.id === null
      ? fresh[made.findIndex((each) => isSameNow(each, ref))]
      : rules.find(({ id }) => id === ref.id);
  return own ?? {};
}

/** The list in which the rule stood before the apply. Null: it stood in none. */
function orderThen({ seen }: JournalZone, { id }: JournalRef): Order | null {
  if (id === null) return null;
  const orders = seen.map(({ state }) => idsIn(state?.rules as Json | undefined)); // a journal is JSON
  return orders.find((order) => order?.includes(id)) ?? null;
}

/** The ids of those rules that have one. Null: it is no list. */
function idsIn(rules: Json | undefined): Order | null {
  if (!isList(rules)) return null;
  return rules.flatMap((rule) => (isObject(rule) && rule.id !== undefined ? [String(rule.id)] : []));
}
