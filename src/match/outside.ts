import type { Kind } from "../kinds/kind.js";
import { type Item, isFromOutside, originOf, type Triple } from "../model/item.js";

import { isSensitive, type SealedObject } from "../model/sealed.js";

/**
 * Of a triple, what was changed outside the files: all else is left as it is live. Nothing where nothing was.
 */
export function outsideOnly(kind: Kind, triple: Triple): readonly Triple[] {
  const { want, live, origins } = triple;
  // What the files themselves take away is no drift, whatever somebody did to it before.
  if (want === null || live === null || triple.replaces !== undefined)
    return isFromOutside(origins.rest) ? [triple] : [];
  const isLeft = (field: string) => !isFromOutside(originOf(origins, field));
  const left = Object.keys(want.normal).filter(isLeft);
  const hidden = left.filter((field) => isSensitive(live.normal[field] ?? null));
  const isNamed = kind.shape.as === "list" && left.includes(kind.shape.named);
  const asLive = left.flatMap((field) => (field in live.normal ? [[field, live.normal[field] ?? null]] : []));
  const normal = { ...without(want.normal, left), ...without(Object.fromEntries(asLive), hidden) };
  const owns = Array.isArray(want.owns) ? want.owns.filter((field) => !left.includes(field)) : want.owns;
  const item: Item = { ...want, ref: isNamed ? live.ref : want.ref, normal, owns };
  return [{ ...triple, want: item, live: { ...live, normal: without(live.normal, hidden) } }];
}

function without(normal: SealedObject, fields: readonly string[]): SealedObject {
  return Object.fromEntries(Object.entries(normal).filter(([field]) => !fields.includes(field)));
}
