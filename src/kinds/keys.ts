import type { Item } from "../model/item.js";
import { asText, type Json, type JsonObject } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import type { Declared } from "../model/wanted.js";
import { canonicalName } from "./fields.js";
import { entryName, type Kind, type Shape } from "./kind.js";

/** An object's name, and the scope in which the name is unique, such as a dataset. Null: not given. */
export interface Called {
  readonly name: string | null;
  readonly within: string | null;
}

/** @param values a declared object or the normal form of a live one */
export function nameIn(shape: Shape, values: JsonObject | SealedObject): Called {
  if (shape.named === undefined) return { name: null, within: null };
  const name = textIn(values, shape.named);
  return {
    name: name === null ? null : canonicalName(name),
    within: shape.within === undefined ? null : textIn(values, shape.within),
  };
}

function textIn(values: JsonObject | SealedObject, field: string): string | null {
  const value = values[field] as Json | undefined; // names and scopes are not sealed
  return typeof value === "string" && value !== "" ? value : null;
}

/** Whether two scopes can be the same one. Null matches any scope. */
export function mayShareScope(a: Called, b: Called): boolean {
  return a.within === null || b.within === null || a.within === b.within;
}

export function haveSameName(a: Called, b: Called): boolean {
  return a.name !== null && a.name === b.name && mayShareScope(a, b);
}

/** The key of an object in its zone: its name, with the scope if several objects share the name. */
export type KeyOf = (normal: SealedObject, declared: Declared | null) => string;

export function keysOf(kind: Kind, declared: readonly Declared[], items: readonly Item[]): KeyOf {
  const { shape } = kind;
  const { named, within: scope } = shape;
  if (named === undefined) return (_, entry) => (entry === null ? "" : entryName(kind, entry));
  if (scope === undefined) return (normal) => asText(normal[named]);
  const places = new Map<string, Set<string>>();
  for (const values of [...declared.map(({ body }) => body), ...items.map(({ normal }) => normal)]) {
    const { name, within } = nameIn(shape, values);
    if (name !== null && within !== null) places.set(name, (places.get(name) ?? new Set()).add(within));
  }
  return (normal) => {
    const { name, within } = nameIn(shape, normal);
    const key = asText(normal[named]);
    return within !== null && (places.get(name ?? "")?.size ?? 0) > 1 ? `${key} (${within})` : key;
  };
}

/** A file's body for a live object. It has the id if the object has no name. */
export function bodyWithId({ shape }: Pick<Kind, "shape">, item: Item, body: JsonObject): JsonObject {
  if (shape.named === undefined || nameIn(shape, item.normal).name !== null) return body;
  const { [shape.named]: _, ...rest } = body;
  return { id: idToPin(item), ...rest };
}

/** Ids are text at some endpoints and numbers at others. */
export function idToPin({ raw, ref }: Item): string | number {
  return typeof raw?.id === "number" ? raw.id : (ref.id ?? "");
}

/** The item with its key in the zone. An object without a name keeps its id as the key. */
export function underKey(item: Item, keyOf: KeyOf): Item {
  const key = keyOf(item.normal, null);
  return key === "" || key === item.ref.key ? item : { ...item, ref: { ...item.ref, key } };
}
