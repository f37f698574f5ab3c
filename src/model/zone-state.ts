import type { Item } from "./item.js";
import type { JsonObject } from "./json.js";

/** A zone at one moment: as files declare it, as it is live, or as a plan leaves it. */
export interface ZoneState {
  /** By the name of their kind. A kind that was not declared or read is not among them. */
  readonly objects: ReadonlyMap<string, KindObjects>;
  /** The rules of a phase in their order, by its name. A phase that was not declared or read is not among them. */
  readonly rules: ReadonlyMap<string, readonly JsonObject[]>;
}

/** The objects of one kind, undeclared ones included. */
export interface KindObjects {
  readonly items: readonly Item[];
  /** What the kind has read beside them. */
  readonly context?: unknown;
}

/** None of a kind that was not declared or read. */
export function itemsOf({ objects }: ZoneState, kind: string): readonly Item[] {
  return objects.get(kind)?.items ?? [];
}
