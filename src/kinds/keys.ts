import type { Declared } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { asText, type Json, type JsonObject } from "../model/json.js";
import type { SealedObject } from "../model/sealed.js";
import { canonicalName } from "./fields.js";
import { entryName, type Key, type Kind, type NamedBy, nameField } from "./kind.js";

/** A kind with one object in a zone. */
export function oneIn(section: string): Pick<Kind, "section" | "sections" | "keys"> {
  return { section, sections: [{ section }], keys: { declared: () => ONLY, live: () => ONLY } };
}

const ONLY: Key = { name: "", within: null };

/** A kind with named objects in a list. */
export function listIn(section: string, list: NamedBy): Pick<Kind, "section" | "sections" | "keys"> {
  return {
    section,
    sections: [{ section, ...list }],
    keys: { declared: (body) => keyIn(list, body), live: ({ normal }) => keyIn(list, normal) },
  };
}

/** @param values an entry of a list, or the normal form of its object */
export function keyIn({ named, within }: NamedBy, values: JsonObject | SealedObject): Key {
  const name = textIn(values, named);
  return {
    name: name === null ? null : canonicalName(name),
    within: within === undefined ? null : textIn(values, within),
  };
}

function textIn(values: JsonObject | SealedObject, field: string): string | null {
  const value = values[field] as Json | undefined; // names and scopes are not sealed
  return typeof value === "string" && value !== "" ? value : null;
}

/** Whether two scopes can be the same one. Null matches any scope. */
export function mayShareScope(a: Key, b: Key): boolean {
  return a.within === null || b.within === null || a.within === b.within;
}

export function haveSameKey(a: Key, b: Key): boolean {
  return a.name !== null && a.name === b.name && mayShareScope(a, b);
}

/** The key of an object as plans show it: its name, with the scope if several objects share the name. */
export type KeyOf = (normal: SealedObject, declared: Declared | null) => string;

export function keysOf(kind: Kind, declared: readonly Declared[], items: readonly Item[]): KeyOf {
  const named = nameField(kind);
  if (named === null) return (_, entry) => (entry === null ? "" : entryName(kind, entry));
  const scopes = new Map<string, Set<string>>();
  for (const { name, within } of [
    ...declared.map(({ body }) => kind.keys.declared(body, null)),
    ...items.map((item) => kind.keys.live(item)),
  ]) {
    if (name !== null && within !== null) scopes.set(name, (scopes.get(name) ?? new Set()).add(within));
  }
  return (normal) => {
    const { name, within } = kind.keys.live({ normal, raw: null });
    const text = asText(normal[named]);
    return within !== null && (scopes.get(name ?? "")?.size ?? 0) > 1 ? `${text} (${within})` : text;
  };
}

/** A file's body for a live object. It has the id if the object has no name. */
export function bodyWithId(kind: Kind, item: Item, body: JsonObject): JsonObject {
  if (kind.keys.live(item).name !== null) return body;
  const { [nameField(kind) ?? ""]: _, ...rest } = body;
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
