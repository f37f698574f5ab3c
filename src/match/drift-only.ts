import type { Kind } from "../kinds/kind.js";
import { type Item, isDrift, originOf, type Triple } from "../model/item.js";
import { isSensitive, type SealedObject } from "../model/sealed.js";

/**
 * Of a triple, what was changed outside the files: all else is left as it is live. Null: the object as a whole is left as
 * it is live.
 */
export function driftOnly(kind: Kind, triple: Triple): Triple | null {
  const { want, live, origins } = triple;
  // What the files themselves delete or replace is no drift.
  if (want === null || live === null || triple.replaces !== undefined)
    return isDrift(origins.rest) ? triple : null;
  const isLeft = (field: string) => !isDrift(originOf(origins, field));
  const left = Object.keys(want.normal).filter(isLeft);
  const sensitive = left.filter((field) => isSensitive(live.normal[field] ?? null));
  const isNamed = kind.shape.as === "list" && left.includes(kind.shape.named);
  const asLive = left.flatMap((field) => (field in live.normal ? [[field, live.normal[field] ?? null]] : []));
  const normal = { ...without(want.normal, left), ...without(Object.fromEntries(asLive), sensitive) };
  const owns = Array.isArray(want.owns) ? want.owns.filter((field) => !left.includes(field)) : want.owns;
  const item: Item = { ...want, ref: isNamed ? live.ref : want.ref, normal, owns };
  const told = (each: Item) => ({ ...each, normal: without(each.normal, sensitive) });
  return { ...triple, base: triple.base && told(triple.base), want: item, live: told(live) };
}

function without(normal: SealedObject, fields: readonly string[]): SealedObject {
  return Object.fromEntries(Object.entries(normal).filter(([field]) => !fields.includes(field)));
}
