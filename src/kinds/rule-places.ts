import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { rememberedObject } from "../model/remembered.js";
import type { Sealed } from "../model/sealed.js";
import { executedBy } from "./documented-rulesets.js";
import { canonicalName } from "./fields.js";
import { ruleId } from "./phase.js";

/** A rule that is declared to exist. Entries have the order of the files. */
export interface Entry {
  /** Its index in the section. */
  readonly index: number;
  /** The id of the live rule; null: the rule is new. */
  readonly id: string | null;
  /** The ids of the managed rulesets that the rule must stand before. Null: all. */
  readonly about: readonly string[] | null;
  /** The declared position. Null: none. */
  readonly position: DeclaredPosition | null;
}

/** A position among undeclared rules, which are named by their descriptions. Declared rules have the order of the files. */
export type DeclaredPosition = "first" | "last" | { readonly before: string } | { readonly after: string };

/** The neighbours of a rule, by id. Null: no neighbour on that side. Absent: unknown. */
export interface Position extends JsonObject {
  readonly after?: string | null;
  readonly before?: string | null;
  /** The rules that an apply has moved the rule past and that it now stands after. Absent: none. */
  readonly afterAll?: readonly string[];
  /** The rules that an apply has moved the rule past and that it now stands before. Absent: none. */
  readonly beforeAll?: readonly string[];
}

/** The position of a misplaced rule, and the rulesets it is about that run before it. */
interface Misplaced extends JsonObject {
  readonly at: Position;
  readonly behind: readonly string[];
  /** No order of the files allows the position beside the undeclared rules. Absent: some order does. */
  readonly strays?: true;
}

/** The rulesets that a misplaced rule is about and that run before it. */
export function behindIn(position: Sealed): readonly string[] {
  return isObject(position) ? textsIn(position.behind as Json) : []; // no field is sensitive
}

/** Whether the order of the entries can declare the position of a misplaced rule. */
export function isDeclarable(position: Sealed): boolean {
  return isObject(position) && position.strays !== true && behindIn(position).length === 0;
}

/** A live list of rules, or one to send. New rules have no ids. */
type Rules = readonly JsonObject[];

/** The rulesets that run before this place in the list. */
export function executedBefore(rules: Rules, place: number): readonly string[] {
  return rules.slice(0, place).flatMap((rule) => executedBy(rule) ?? []);
}

export function indexOf(rules: Rules, id: string | null): number {
  return id === null ? -1 : rules.findIndex((rule) => rule.id === id);
}

/** A live list of rules, and the order that its entries want. */
export interface ListOrder {
  readonly rules: Rules;
  readonly others: Rules;
  readonly entries: readonly Entry[];
  /** The ids of the entries' rules that stay in place. */
  readonly kept: ReadonlySet<string>;
}

export function orderOf(entries: readonly Entry[], rules: Rules): ListOrder {
  const others = otherRulesIn(entries, rules);
  return { rules, others, entries, kept: keptOf(entries, rules, others) };
}

/** The other rules of a list: those of no entry. New rules have no ids yet, and no entry executes a ruleset. */
function otherRulesIn(entries: readonly Entry[], rules: Rules): Rules {
  const ids = new Set(entries.map(({ id }) => id));
  return rules.filter(
    (rule) => executedBy(rule) !== null || (typeof rule.id === "string" && !ids.has(rule.id)),
  );
}

/** The number of other rules that stand before a rule. */
type Gap = number;

/** Gaps that follow each other. */
interface Range {
  readonly least: Gap;
  readonly most: Gap;
}

/** An entry with the gaps in which it may stand. */
interface Slot extends Range {
  readonly entry: Entry;
}

/** An entry stands before the next entries, so their last gaps hold for it too, as its first gap holds for them. */
function slotsOf(entries: readonly Entry[], rangeOf: (entry: Entry) => Range): readonly Slot[] {
  let [leastSoFar, mostSoFar] = [0, Number.POSITIVE_INFINITY];
  const withLeast = entries.map((entry) => {
    const { least, most } = rangeOf(entry);
    leastSoFar = Math.max(leastSoFar, least);
    return { entry, least: leastSoFar, most };
  });
  const lastFirst = withLeast.toReversed().map((slot) => {
    mostSoFar = Math.min(mostSoFar, slot.most);
    return { ...slot, most: mostSoFar };
  });
  return lastFirst.toReversed();
}

function rangeAmong(others: Rules): (entry: Entry) => Range {
  return ({ about, position }) => {
    const isAbout = (rule: JsonObject) => {
      const executed = executedBy(rule);
      return executed !== null && (about === null || about.includes(executed));
    };
    const executing = about?.length === 0 ? -1 : others.findIndex(isAbout);
    const { least, most } = gapsFor(position, others);
    return { least, most: executing < 0 ? most : Math.min(most, executing) };
  };
}

/** An unknown name allows every gap: reading the list has already refused it. */
function gapsFor(position: DeclaredPosition | null, others: Rules): Range {
  const all = { least: 0, most: others.length };
  if (position === null) return all;
  if (position === "first") return { ...all, most: 0 };
  if (position === "last") return { ...all, least: others.length };
  const places = placesByName(others).get(canonicalName(neighbourOf(position) ?? ""));
  if (places === undefined) return all;
  return "before" in position ? { ...all, most: places.first } : { ...all, least: places.last + 1 };
}

/** The first and the last place of each description. */
const placesByName = rememberedObject((rules: Rules) => {
  const places = new Map<string, { readonly first: number; readonly last: number }>();
  for (const [place, { description }] of rules.entries()) {
    if (typeof description !== "string") continue;
    const name = canonicalName(description);
    places.set(name, { first: places.get(name)?.first ?? place, last: place });
  }
  return places;
});

/** The description of the rule that a position names. Null: none. */
export function neighbourOf(position: DeclaredPosition | null): string | null {
  if (position === null || typeof position === "string") return null;
  return "before" in position ? position.before : position.after;
}

/** Why entries cannot have their declared positions, by their indices. */
export function misfits({ entries, others }: ListOrder): ReadonlyMap<number, "unknown" | "contradiction"> {
  const isUnknown = (name: string | null) => name !== null && !placesByName(others).has(canonicalName(name));
  const misfitting = slotsOf(entries, rangeAmong(others)).flatMap(({ entry, least, most }) => {
    if (isUnknown(neighbourOf(entry.position))) return { index: entry.index, why: "unknown" as const };
    const contradicts = entry.position !== null && least > most;
    return contradicts ? { index: entry.index, why: "contradiction" as const } : [];
  });
  return new Map(misfitting.map(({ index, why }) => [index, why]));
}

function isIn({ least, most }: Range, gap: Gap): boolean {
  return least <= gap && gap <= most;
}

/** The gap of each place of a list. */
function gapsIn(rules: Rules, others: Rules): readonly Gap[] {
  const otherRules = new Set(others);
  let gap = 0;
  return rules.map((rule) => (otherRules.has(rule) ? gap++ : gap));
}

/** The ids of the largest set of live rules that can keep their places. */
function keptOf(entries: readonly Entry[], rules: Rules, others: Rules): ReadonlySet<string> {
  const gaps = gapsIn(rules, others);
  const inRange = slotsOf(entries, rangeAmong(others)).flatMap(({ entry: { id }, ...range }) => {
    const place = indexOf(rules, id);
    const gap = gaps[place];
    return id !== null && gap !== undefined && isIn(range, gap) ? [{ id, place }] : [];
  });
  return new Set(longestRising(inRange).map(({ id }) => id));
}

/** The longest part of the list with rising places. */
function longestRising<T extends { readonly place: number }>(list: readonly T[]): readonly T[] {
  const ending: (readonly T[])[] = [];
  for (const item of list) {
    const before = ending.filter((run) => (run.at(-1)?.place ?? -1) < item.place);
    ending.push([...longestOf(before), item]);
  }
  return longestOf(ending);
}

function longestOf<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return lists.reduce((best, list) => (list.length > best.length ? list : best), []);
}

/**
 * The place for an entry in the list: its declared position, else behind the entry before it, else before the next one,
 * else last. It stands behind the earlier entries of its gap and before the later ones.
 *
 * @param rules the list without the entry's own rule
 */
export function placeFor(index: number, { entries, kept }: ListOrder, rules: Rules): number {
  const others = otherRulesIn(entries, rules);
  const gaps = gapsIn(rules, others);
  const rangeOf = rangeAmong(others);
  const places = new Map(rules.flatMap(({ id }, place) => (kept.has(String(id)) ? [[id, place]] : [])));
  // An entry whose rule stays in place limits its neighbours to the gaps on its sides.
  const slots = slotsOf(entries, (entry) => {
    const gap = gaps[places.get(entry.id) ?? -1];
    return gap === undefined ? rangeOf(entry) : { least: gap, most: gap };
  });
  let before: Gap | null = null;
  const gapOf = new Map(
    slots.map(({ entry, least, most }) => {
      const wished: Gap = wishOf(entry, others) ?? before ?? most;
      before = Math.max(least, before ?? 0, Math.min(most, wished));
      return [entry.index, before];
    }),
  );
  const first = others[gapOf.get(index) ?? others.length];
  const behind = entries.flatMap((each) => (each.index > index ? (places.get(each.id) ?? []) : []));
  return Math.min(first === undefined ? rules.length : rules.indexOf(first), ...behind);
}

/** The gap beside the rule that a declared position names. Null: no position is declared. */
function wishOf({ position }: Entry, others: Rules): Gap | null {
  if (position === null) return null;
  const { least, most } = gapsFor(position, others);
  return position === "first" || (typeof position === "object" && "before" in position) ? most : least;
}

/** The neighbours of the rule at a place. A new neighbour has no id yet, so its side is absent. */
export function positionOf(rules: Rules, place: number): Position {
  const beside = (side: "after" | "before", rule: JsonObject | undefined): Position => {
    if (rule === undefined) return { [side]: null };
    return typeof rule.id === "string" ? { [side]: rule.id } : {};
  };
  return { ...beside("after", rules[place - 1]), ...beside("before", rules[place + 1]) };
}

/** The ids of a list of rules, in order. */
export type Order = readonly string[];

/**
 * Adds to a rule's position the rules that calls have moved it past, by the side they are on now. New and deleted rules
 * were not passed.
 *
 * @param then the order before these calls
 * @param sent the orders that the calls have sent
 */
export function sidesIn(id: string, then: Order, sent: readonly (Order | null)[]) {
  const isInFront = (other: string, order: Order) => order.indexOf(other) < order.indexOf(id);
  const hasPassed = (other: string) => (order: Order | null) =>
    order?.includes(other) === true && isInFront(other, order) !== isInFront(other, then);
  const passed = then.filter((other) => other !== id && sent.some(hasPassed(other)));
  return (rule: JsonObject, order: Order | null): JsonObject => {
    if (!isObject(rule.position) || order === null || passed.length === 0) return rule;
    const passedInOrder = order.filter((other) => passed.includes(other));
    const afterAll = passedInOrder.filter((other) => isInFront(other, order));
    const beforeAll = passedInOrder.filter((other) => !isInFront(other, order));
    return { ...rule, position: { ...rule.position, afterAll, beforeAll } };
  };
}

/** A position that was read or sent. A sent position names one neighbour; empty text means an end of the list. */
export function readPosition(position: Json | undefined): Position {
  const { after, before, afterAll, beforeAll } = isObject(position) ? position : {};
  if (before === "") return { after: null };
  if (after === "") return { before: null };
  return {
    ...(isNeighbour(after) ? { after } : {}),
    ...(isNeighbour(before) ? { before } : {}),
    ...(afterAll === undefined ? {} : { afterAll: textsIn(afterAll) }),
    ...(beforeAll === undefined ? {} : { beforeAll: textsIn(beforeAll) }),
  };
}

function isNeighbour(value: Json | undefined): value is string | null {
  return value === null || typeof value === "string";
}

/**
 * Whether the rule has stayed in its former position. The rules that an apply has moved it past show this best, because
 * its neighbours may have moved with it.
 */
function isStill(then: Position, place: number, rules: Rules): boolean {
  const passed = [...placesOf(then.afterAll, rules), ...placesOf(then.beforeAll, rules)];
  if (passed.length === 0) return hasNeighbour(then, place, rules);
  const { least, most } = boundsBy(then, rules);
  return least <= place && place <= most;
}

/**
 * Whether the rule still has one of its former neighbours. A new rule may stand between it and the other one. A deleted
 * neighbour proves nothing, since a recreated rule has another id.
 */
function hasNeighbour(then: Position, place: number, rules: Rules): boolean {
  const now = positionOf(rules, place);
  const knownSides = (["after", "before"] as const).filter((side) => {
    const id = then[side];
    return id !== undefined && (id === null || indexOf(rules, id) >= 0);
  });
  return knownSides.length === 0 || knownSides.some((side) => then[side] === now[side]);
}

/**
 * How a rule of the list is misplaced. Null: it is not. An undeclared rule must only stand before the rulesets it is about.
 *
 * @param rule as it is live, or as it was
 */
export function misplacement(
  rule: JsonObject,
  { rules, others, entries, kept }: ListOrder,
  aboutUndeclared: () => Entry["about"],
): Misplaced | null {
  const id = ruleId(rule);
  const place = indexOf(rules, id);
  if (id === null || place < 0) return null;
  const position = readPosition(rule.position);
  const isHere = isStill(position, place, rules);
  const entry = entries.find((each) => each.id === id);
  const about = entry === undefined ? aboutUndeclared() : entry.about;
  const rest = rules.filter((each) => each.id !== id);
  const executed = executedBefore(rest, isHere ? place : placeAt(position, rest));
  const behind = about === null ? executed : executed.filter((each) => about.includes(each));
  if (isHere && (entry === undefined ? behind.length === 0 : kept.has(id))) return null;
  if (!isHere) return { at: position, behind };
  const gap = gapsIn(rules, others)[place] ?? others.length;
  const strays = entry !== undefined && !isIn(gapsFor(entry.position, others), gap);
  return { at: positionOf(rules, place), behind, ...(strays ? { strays } : {}) };
}

/** The place of this position in a list without the rule itself. */
export function placeAt(position: Position, rules: Rules): number {
  const { least, most } = boundsBy(position, rules);
  return Math.max(least, Math.min(most, placeBeside(position, rules)));
}

function placeBeside({ after, before }: Position, rules: Rules): number {
  const [previous, next] = [indexOf(rules, after ?? null), indexOf(rules, before ?? null)];
  if (previous >= 0) return previous + 1;
  if (next >= 0) return next;
  return after === null ? 0 : rules.length;
}

/** The range of places after all of `afterAll` and before all of `beforeAll`. */
function boundsBy({ afterAll, beforeAll }: Position, rules: Rules) {
  const least = Math.max(-1, ...placesOf(afterAll, rules)) + 1;
  return { least, most: Math.min(rules.length, ...placesOf(beforeAll, rules)) };
}

function placesOf(ids: readonly string[] = [], rules: Rules): readonly number[] {
  return ids.map((id) => indexOf(rules, id)).filter((place) => place >= 0);
}
