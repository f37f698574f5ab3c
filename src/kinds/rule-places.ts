import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { executedBy } from "./managed-rules.js";

/** A declared rule. Entries are in the order of the files. */
export interface Entry {
  /** The id of the live rule; null: the rule is new. */
  readonly id: string | null;
  /** The managed rulesets that the rule has to stand before, by their ids; null: all. */
  readonly about: readonly string[] | null;
}

/** The ids of the rules before and after a rule. Null: no such rule; absent: unknown. */
export interface Position extends JsonObject {
  readonly after?: string | null;
  readonly before?: string | null;
  /** Of the rules that an apply has moved it past, those that it stands after. Absent: none. */
  readonly afterAll?: readonly string[];
  /** Of the same rules, those that it stands before. */
  readonly beforeAll?: readonly string[];
}

/** The wrong position of a rule, and the rulesets it is about that run before it. */
export interface Misplaced extends JsonObject {
  readonly at: Position;
  readonly behind: readonly string[];
}

/** A list of rules, live or as it is sent. New ones have no ids. */
type Rules = readonly JsonObject[];

/** The rulesets that run before a place in the list is reached. */
export function executedBefore(rules: Rules, place: number): readonly string[] {
  return rules.slice(0, place).flatMap((rule) => executedBy(rule) ?? []);
}

export function indexOf(rules: Rules, id: string | null): number {
  return id === null ? -1 : rules.findIndex((rule) => rule.id === id);
}

/** The place that a rule has to stand before: that of the first rule that executes what it is about. */
function boundOf({ about }: Entry, rules: Rules): number {
  const place = rules.findIndex((rule) => {
    const executed = executedBy(rule);
    return executed !== null && (about === null || about.includes(executed));
  });
  return place < 0 ? rules.length : place;
}

/** No rule stands behind the next ones of the files, so each stands before what any of these is about. */
function boundsOf(entries: readonly Entry[], rules: Rules): readonly number[] {
  let bound = rules.length;
  return entries
    .toReversed()
    .map((entry) => {
      bound = Math.min(bound, boundOf(entry, rules));
      return bound;
    })
    .reverse();
}

/** Of the live rules of the entries, as many as can stay where they stand: their ids. */
export function keptOf(entries: readonly Entry[], rules: Rules): ReadonlySet<string> {
  const bounds = boundsOf(entries, rules);
  const inFront = entries.flatMap(({ id }, index) => {
    const place = indexOf(rules, id);
    return id !== null && place >= 0 && place < (bounds[index] ?? 0) ? [{ id, place }] : [];
  });
  return new Set(longestRising(inFront).map(({ id }) => id));
}

/** The longest part of a list, in its order, in which each place is behind the one before. */
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
 * The place in the list for the entry: before the next one that stands where it should, and before what it and all
 * following ones are about.
 *
 * @param rules without the entry's own
 */
export function placeFor(
  index: number,
  entries: readonly Entry[],
  rules: Rules,
  kept: ReadonlySet<string>,
): number {
  const next = entries.slice(index + 1).find(({ id }) => id !== null && kept.has(id));
  const bound = boundsOf(entries, rules)[index] ?? rules.length;
  const place = next === undefined ? -1 : indexOf(rules, next.id);
  return place < 0 ? bound : Math.min(bound, place);
}

/** The position of a rule. A new neighbour has no id yet, so its side is absent. */
export function positionOf(rules: Rules, place: number): Position {
  const beside = (side: "after" | "before", rule: JsonObject | undefined): Position => {
    if (rule === undefined) return { [side]: null };
    return typeof rule.id === "string" ? { [side]: rule.id } : {};
  };
  return { ...beside("after", rules[place - 1]), ...beside("before", rules[place + 1]) };
}

/** The ids of a list of rules, in its order. */
export type Order = readonly string[];

/**
 * Adds to a rule's position on which side it stands of each rule that the calls have moved it past. New and deleted rules
 * were not passed.
 *
 * @param then the list before these calls
 * @param sent the lists that the calls have sent
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

/** A position as it was read or sent. As it is sent it names one neighbour; the empty text is an end of the list. */
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
 * Whether a rule that stands at this place now has not moved since it had that position. What an apply has moved it past
 * tells it best: its neighbours may have moved with it.
 */
export function isStill(then: Position, place: number, rules: Rules): boolean {
  const passed = [...placesOf(then.afterAll, rules), ...placesOf(then.beforeAll, rules)];
  if (passed.length === 0) return hasNeighbour(then, place, rules);
  const { least, most } = boundsBy(then, rules);
  return least <= place && place <= most;
}

/**
 * Whether it still stands beside one of its neighbours: others may have come between it and the other one. A neighbour
 * that is gone tells nothing; what comes again has another id.
 */
function hasNeighbour(then: Position, place: number, rules: Rules): boolean {
  const now = positionOf(rules, place);
  const knownSides = (["after", "before"] as const).filter((side) => {
    const id = then[side];
    return id !== undefined && (id === null || indexOf(rules, id) >= 0);
  });
  return knownSides.length === 0 || knownSides.some((side) => then[side] === now[side]);
}

/** The place in a list without the rule itself that is this position. */
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

/** The places behind all that it stands after, and before all that it stands before. */
function boundsBy({ afterAll, beforeAll }: Position, rules: Rules) {
  const least = Math.max(-1, ...placesOf(afterAll, rules)) + 1;
  return { least, most: Math.min(rules.length, ...placesOf(beforeAll, rules)) };
}

function placesOf(ids: readonly string[] = [], rules: Rules): readonly number[] {
  return ids.map((id) => indexOf(rules, id)).filter((place) => place >= 0);
}
