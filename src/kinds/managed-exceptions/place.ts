import type { Json, JsonObject } from "../../model/json.js";
import { executedBy } from "../managed-rules.js";

/** An exception as the files have it, in their order. */
export interface Entry {
  /** Of the live rule; null: there is none. */
  readonly id: string | null;
  /** The rulesets that it is about, by their ids; null: all. */
  readonly about: readonly string[] | null;
}

/** Where a rule stands that stands in a wrong place: behind which rule, and behind which rulesets that it is about. */
export interface Misplaced extends JsonObject {
  /** The id of the rule before it; the empty text, as in the service's positions: it is the first. */
  readonly after: string;
  readonly behind: readonly string[];
}

/** A list of rules, live or as it is sent. New ones have no ids. */
type Rules = readonly JsonObject[];

/** The rulesets that run before a place in the list is reached. */
export function executedBefore(rules: Rules, place: number): readonly string[] {
  return rules.slice(0, place).flatMap((rule) => executedBy(rule) ?? []);
}

/** The id of the rule before a place in the list. */
export function ruleBefore(rules: Rules, place: number): string {
  const { id = "" } = rules[place - 1] ?? {};
  return String(id);
}

export function indexOf(rules: Rules, id: string | null): number {
  return id === null ? -1 : rules.findIndex((rule) => rule.id === id);
}

/** The place that an exception has to stand before: that of the first rule that executes what it is about. */
function boundOf({ about }: Entry, rules: Rules): number {
  const place = rules.findIndex((rule) => {
    const executed = executedBy(rule);
    return executed !== null && (about === null || about.includes(executed));
  });
  return place < 0 ? rules.length : place;
}

/** No exception stands behind the next ones of the files, so each stands before what any of these is about. */
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
  for (const each of list) {
    const before = ending.filter((run) => (run.at(-1)?.place ?? -1) < each.place);
    ending.push([...longestOf(before), each]);
  }
  return longestOf(ending);
}

function longestOf<T>(all: readonly (readonly T[])[]): readonly T[] {
  return all.reduce((best, each) => (each.length > best.length ? each : best), []);
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

/** As the service takes it, with the rule itself taken out of the list. */
export function positionAt(rules: Rules, place: number): JsonObject {
  const { id } = rules[place] ?? {};
  return typeof id === "string" ? { before: id } : { after: "" };
}

/** Where a rule says that it stood, or is to stand: the id of the rule before it. Null: that is not known. */
export function afterOf(position: Json | undefined, rules: Rules, id: string | null): string | null {
  const said = typeof position === "object" && position !== null ? (position as JsonObject) : {};
  if (typeof said.after === "string") return said.after;
  if (typeof said.before !== "string") return null;
  const others = rules.filter((rule) => rule.id !== id);
  const place = said.before === "" ? 0 : indexOf(others, said.before);
  return place < 0 ? null : ruleBefore(others, place);
}
