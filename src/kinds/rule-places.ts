import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { executedBy } from "./managed-rules.js";

/** A declared rule. Entries have the order of the files. */
export interface Entry {
  /** The id of the live rule; null: the rule is new. */
  readonly id: string | null;
  /** The ids of the managed rulesets that the rule must stand before. Null: all. */
  readonly about: readonly string[] | null;
}

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
export interface Misplaced extends JsonObject {
  readonly at: Position;
  readonly behind: readonly string[];
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

/** The place of the first rule that executes a ruleset of the entry. The entry must stand before it. */
function boundOf({ about }: Entry, rules: Rules): number {
  const place = rules.findIndex((rule) => {
    const executed = executedBy(rule);
    return executed !== null && (about === null || about.includes(executed));
  });
  return place < 0 ? rules.length : place;
}

/** The bound of each entry. An entry stands before the next entries, so their bounds hold for it too. */
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

/** The ids of the largest set of live rules that can keep their places. */
export function keptOf(entries: readonly Entry[], rules: Rules): ReadonlySet<string> {
  const bounds = boundsOf(entries, rules);
  const inFront = entries.flatMap(({ id }, index) => {
    const place = indexOf(rules, id);
    return id !== null && place >= 0 && place < (bounds[index] ?? 0) ? [{ id, place }] : [];
  });
  return new Set(longestRising(inFront).map(({ id }) => id));
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
 * The place for an entry in the list: before the next entry that stays in place, and before the rulesets of this and
 * all following entries.
 *
 * @param rules the list without the entry's own rule
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
export function isStill(then: Position, place: number, rules: Rules): boolean {
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
