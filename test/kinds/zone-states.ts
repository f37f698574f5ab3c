import { checkBetween } from "../../src/kinds/between/index.js";
import type { Item, Path } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";
import type { ZoneState } from "../../src/model/zone-state.js";
import { itemOf as plainItem } from "../support/item-of.js";

/** Wanted objects of one kind with their live state. */
export interface Part {
  readonly kind: string;
  readonly objects: readonly {
    readonly normal: JsonObject;
    /** Null: the object is undeclared. */
    readonly at: Path | null;
    /** Null: the object is not live. */
    readonly was: JsonObject | null;
  }[];
  /** Objects to delete. Null: only the files are known. */
  readonly gone: readonly JsonObject[] | null;
}

/** The findings about these objects together. */
export function findingsOf(...parts: readonly Part[]) {
  const after = stateOf(parts, ({ kind, objects }) =>
    objects.map(({ normal, at }, index) => itemOf(kind, index, normal, at)),
  );
  const known = parts.filter(({ gone }) => gone !== null);
  const before = stateOf(known, ({ kind, objects, gone }) => [
    ...objects.flatMap(({ was, at }, index) => (was === null ? [] : [itemOf(kind, index, was, at)])),
    ...(gone ?? []).map((normal, index) => itemOf(kind, objects.length + index, normal, null)),
  ]);
  return checkBetween(after, known.length === 0 ? null : before);
}

function stateOf(parts: readonly Part[], of: (part: Part) => readonly Item[]): ZoneState {
  return {
    objects: new Map(parts.map((part) => [part.kind, { items: of(part), context: null }])),
    rules: new Map(),
  };
}

function itemOf(kind: string, index: number, normal: JsonObject, at: Path | null): Item {
  return { ...plainItem(normal), ref: { kind, key: "", id: String(index) }, at };
}
