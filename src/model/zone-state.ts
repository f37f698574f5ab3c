import type { Item } from "./item.js";
import type { JsonObject } from "./json.js";

/** A zone at one moment: declared, live, or after a plan. */
export interface ZoneState {
  /** By kind. Absent: not declared or not read. */
  readonly objects: ReadonlyMap<string, KindObjects>;
  /** The ordered rules of a phase, by phase. Absent: not declared or not read. */
  readonly rules: ReadonlyMap<string, readonly JsonObject[]>;
}

/** The objects of one kind, undeclared ones included. */
interface KindObjects {
  readonly items: readonly Item[];
  /** Further data that the kind read. Null: none. */
  readonly context: unknown;
}

/** The objects of all kinds. */
export function allItems({ objects }: ZoneState): readonly Item[] {
  return [...objects.values()].flatMap(({ items }) => items);
}

/** The objects of a kind; empty if it was not declared or read. */
export function itemsOf({ objects }: ZoneState, kind: string): readonly Item[] {
  return objects.get(kind)?.items ?? [];
}
