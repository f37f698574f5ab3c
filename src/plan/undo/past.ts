import { type Called, nameIn } from "../../kinds/keys.js";
import { type Kind, type Live, placeFor } from "../../kinds/kind.js";
import type { Item, Ref, Triple } from "../../model/item.js";
import type { JournalChange, JournalIntent, JournalRef, JournalZone } from "../../model/journal.js";
import { asText, isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { Problem } from "../../model/problem.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Declared, Service, WantedZone } from "../../model/wanted.js";
import type { JournaledCall, JournaledZone, JournalRecord } from "../read-journal.js";

/** What an apply did, or may have done, to one object. */
export interface Past {
  readonly change: JournalChange;
  /** Its index among the apply's changes: what was replaced and what replaced it have the same. */
  readonly of: number;
  /** As the service gave it before, without what may be a secret. Null: it was not there. */
  readonly before: JsonObject | null;
  /** What the calls may have made of it, one after the other; references stand for secrets. */
  readonly afters: readonly JsonObject[];
  /** Whether all these calls are known to have taken effect. */
  readonly isSure: boolean;
  /** Of what was made. Null: it is not known. */
  readonly madeId: string | null;
  /** The ids of other objects of its kind that were there before: what has one of them is not this one again. */
  readonly others: ReadonlySet<string>;
  /** The ids of what stood before it in its list of rules, nearest first. Null: it stood in none. */
  readonly behind: readonly string[] | null;
  /** Of what was replaced. */
  readonly replaced?: Replaced;
}

interface Replaced {
  /** As the plan showed it: of a secret field, whether the one in its place got another value. */
  readonly shown: SealedObject;
  /** What the calls said of the one in its place, whatever became of them; references stand for secrets. */
  readonly sent: readonly JsonObject[];
}

/** The objects that the calls of a zone's apply may have had an effect on. */
export function pastOf({ before, calls }: JournaledZone): readonly Past[] {
  const effective = calls.filter(mayHaveTakenEffect);
  const deeds = before.changes.flatMap((change, of) => deedsOf(change).map((deed) => [deed, of] as const));
  return deeds.flatMap(([change, index]) => {
    const own = effective.filter(({ intent }) => intent.changes.includes(index) && speaksOf(intent, change));
    if (own.length === 0) return [];
    const intents = own.map(({ intent }) => intent);
    return [
      {
        change,
        of: index,
        ...statesOf(before, change, intents),
        isSure: own.every(({ outcome }) => outcome?.status === "done"),
        madeId: own.flatMap(({ outcome }) => outcome?.id ?? []).at(-1) ?? null,
        others: othersOf(before, change),
        behind: behindOf(before, change),
        ...(change.action === "delete" && before.changes[index]?.replaces === true
          ? { replaced: replacedOf(before, change, calls, index) }
          : {}),
      },
    ];
  });
}

function replacedOf(
  { seen }: JournalZone,
  change: JournalChange,
  calls: readonly JournaledCall[],
  index: number,
): Replaced {
  const bodies = calls.flatMap(
    ({ intent: { changes, body } }) => (changes.includes(index) && body !== null ? [body as JsonObject] : []), // a journal is JSON
  );
  return { shown: seen.find((each) => isSame(each, change))?.state ?? {}, sent: bodies };
}

/** An object that an apply has put in the place of another, or may have. */
export interface Replacement {
  readonly zoneId: string;
  readonly kind: string;
  /** The id of the one that was to go. */
  readonly before: string | null;
  /** The id of the one that was made. Null: it is not known. */
  readonly after: string | null;
}

/** Whatever became of the one that was to go. */
export function replacementsOf({ zones }: Pick<JournalRecord, "zones">): readonly Replacement[] {
  return zones.flatMap((zone) => {
    const { zone_id: zoneId, changes } = zone.before;
    return pastOf(zone).flatMap(({ change, of, madeId }) => {
      const { replaces, kind, id = null } = changes[of] ?? {};
      return replaces === true && kind !== undefined && change.action === "create"
        ? [{ zoneId, kind, before: id, after: madeId }]
        : [];
    });
  });
}

/** A replacement is something that was made, and something that went. */
function deedsOf({ replaces, ...change }: JournalChange): readonly JournalChange[] {
  if (replaces !== true) return [change];
  const made: JournalChange = { ...change, action: "create", id: null, was: null };
  return [made, { ...change, key: change.was ?? change.key, action: "delete", was: null }];
}

/** A call that failed without a doubt left everything as it was. */
function mayHaveTakenEffect({ outcome, doubted }: JournaledCall): boolean {
  return outcome?.status !== "failed" || doubted;
}

function speaksOf({ yields }: JournalIntent, change: JournalChange): boolean {
  return yields.some((each) => isSame(each, change));
}

function isSame(a: JournalRef, b: JournalRef): boolean {
  return a.kind === b.kind && a.id === b.id && (a.id !== null || a.key === b.key);
}

function rawOf({ raw }: JournalZone, change: JournalChange): JsonObject | null {
  if (change.action === "create") return null;
  const found = raw.find((each) => isSame(each, change));
  return found === undefined ? null : (found.raw as JsonObject); // a journal is JSON
}

/** What was, and what these calls may have made of it. */
function statesOf(
  zone: JournalZone,
  change: JournalChange,
  intents: readonly JournalIntent[],
): Pick<Past, "before" | "afters"> {
  const raw = rawOf(zone, change);
  if (change.action === "delete") return { before: raw, afters: [] };
  const states = intents.map((intent) => ({ after: afterOf(intent, change, raw), order: orderSent(intent) }));
  const then = orderThen(zone, change);
  const { id } = change;
  if (raw === null || id === null || then === null)
    return { before: raw, afters: states.map(({ after }) => after) };
  const sent = states.flatMap(({ order }) => (order === null ? [] : [order]));
  const passed = passedBy(id, then, sent);
  return {
    before: withSides(raw, id, then, passed),
    afters: states.map(({ after, order }) => (order === null ? after : withSides(after, id, order, passed))),
  };
}

/** What a body leaves out stays as it was; a list of rules has the object as one of them. */
function afterOf(intent: JournalIntent, ref: JournalRef, before: JsonObject | null): JsonObject {
  const { rules, ...rest } = (intent.body ?? {}) as JsonObject; // a journal is JSON
  if (!isList(rules)) return { ...before, ...rest };
  const list = rules.filter(isObject);
  const own = ruleAmong(list, intent, ref);
  const at = list.indexOf(own);
  const neighbours = { ...neighbour("after", list[at - 1]), ...neighbour("before", list[at + 1]) };
  return { ...before, ...own, ...(before?.position === undefined ? {} : { position: neighbours }) };
}

/** One that is new has no id yet, so that nothing is known of it. Null: there is none. */
function neighbour(where: "after" | "before", rule: JsonObject | undefined): JsonObject {
  if (rule === undefined) return { [where]: null };
  return rule.id === undefined ? {} : { [where]: rule.id };
}

/** Rules that are new have no ids; a call yields them in their order. */
function ruleAmong(rules: readonly JsonObject[], { yields }: JournalIntent, ref: JournalRef): JsonObject {
  const isNew = ({ id, state }: JournalIntent["yields"][number]) => id === null && state !== null;
  const fresh = rules.filter((rule) => idOf(rule) === null);
  const nth = yields.filter(isNew).findIndex((each) => isSame(each, ref));
  return (ref.id === null ? fresh[nth] : rules.find((rule) => idOf(rule) === ref.id)) ?? {};
}

function idOf({ id }: JsonObject): Json {
  return id ?? null;
}

function othersOf({ changes }: JournalZone, { kind, id }: JournalRef): ReadonlySet<string> {
  return new Set(changes.flatMap((each) => (each.kind !== kind || each.id === id ? [] : (each.id ?? []))));
}

function behindOf(zone: JournalZone, change: JournalChange): readonly string[] | null {
  const order = orderThen(zone, change);
  return order?.slice(0, order.indexOf(change.id ?? "")).reverse() ?? null;
}

/** The list in which the rule stood before the apply. Null: it stood in none. */
function orderThen({ seen }: JournalZone, { id }: JournalRef): Order | null {
  if (id === null) return null;
  const orders = seen.map(({ state }) => orderOf(state?.rules as Json | undefined)); // a journal is JSON
  return orders.find((order) => order?.includes(id)) ?? null;
}

/** The list of rules that a call has sent. Null: it has sent none. */
function orderSent({ body }: JournalIntent): Order | null {
  return orderOf((body as JsonObject | undefined)?.rules); // a journal is JSON
}

/** The rules that have ids. Null: it is no list. */
function orderOf(rules: Json | undefined): Order | null {
  if (!isList(rules)) return null;
  return rules.flatMap((rule) => (isObject(rule) && rule.id !== undefined ? [String(rule.id)] : []));
}

/** One kind's part of a zone that is to go back. */
export interface Undoing {
  readonly zone: string;
  readonly kind: Kind;
  readonly live: Live;
  /** What was said for the live objects to be read. */
  readonly reading: readonly Declared[];
  /** What the files say of the kind now: the only place where secrets can come from. */
  readonly files: FileSide;
  readonly service: Service;
}

interface FileSide {
  readonly declared: readonly Declared[];
  readonly zone: Pick<WantedZone, "interpolated">;
}

/** What going back comes to for one object. */
export interface Undone {
  readonly triples: readonly Triple[];
  readonly problems: readonly Problem[];
  /** What the references to secrets in the triples stand for. */
  readonly secrets: ReadonlyMap<string, Json>;
}

export const NOTHING: Undone = { triples: [], problems: [], secrets: new Map() };

/** An object that may be sent as a whole. */
export function whole(
  kind: Kind,
  raw: JsonObject,
  normal: Item["normal"],
  { key: called, id }: Pick<Ref, "key" | "id">,
): Item {
  const name = kind.shape.as === "one" ? "" : asText(normal[kind.shape.named]);
  const key = name === "" ? called : name;
  return { ref: { kind: kind.name, key, id }, normal, raw, owns: "all", at: placeFor(kind, key) };
}

/** What the object was called before the apply, or as the apply made it. */
export function calledThen({ kind, live, reading }: Undoing, { before, afters, change }: Past): Called {
  const raw = before ?? afters[0];
  const normal = raw === undefined ? null : kind.normalOf(raw, live.context, reading);
  if (kind.shape.as === "one" || normal === null) return { name: change.key, within: null };
  return nameIn(kind.shape, normal);
}

/** The ids of a list of rules, in the order of the list. */
type Order = readonly string[];

/**
 * The rules that calls have moved a rule past: they stand on its other side since. What came, or went, was not passed.
 *
 * @param then the list before these calls
 * @param sent the lists that they have sent
 */
function passedBy(id: string, then: Order, sent: readonly Order[]): ReadonlySet<string> {
  const was = new Set(inFrontOf(id, then));
  const passed = sent.flatMap((order) => {
    const is = new Set(inFrontOf(id, order));
    const left = new Set(order);
    return then.filter((each) => each !== id && left.has(each) && is.has(each) !== was.has(each));
  });
  return new Set(passed);
}

/** A rule whose position also says on which side of it each of the rules stands that it was moved past. */
function withSides(rule: JsonObject, id: string, order: Order, passed: ReadonlySet<string>): JsonObject {
  const { position } = rule;
  if (!isObject(position) || passed.size === 0) return rule;
  const front = new Set(inFrontOf(id, order));
  const known = order.filter((each) => passed.has(each));
  const sides = {
    afterAll: known.filter((each) => front.has(each)),
    beforeAll: known.filter((each) => !front.has(each)),
  };
  return { ...rule, position: { ...position, ...sides } };
}

function inFrontOf(id: string, order: Order): Order {
  return order.slice(0, Math.max(order.indexOf(id), 0));
}
