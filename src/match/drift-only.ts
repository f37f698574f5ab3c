import { type Kind, nameField } from "../kinds/kind.js";
import { type Item, isDrift, originOf, type Triple } from "../model/item.js";
import { without } from "../model/json.js";
import { isSensitive } from "../model/sealed.js";

/**
 * Reduces a triple to the changes made outside the files. All other fields keep their live values. Null: the triple has no
 * such change.
 */
export function driftOnly(kind: Kind, triple: Triple): Triple | null {
  const { want, live, origins } = triple;
  // An object that the files delete or replace is no drift.
  if (want === null || live === null || triple.replaces !== undefined)
    return isDrift(origins.rest) ? triple : null;
  const isUndrifted = (field: string) => !isDrift(originOf(origins, field));
  const undrifted = Object.keys(want.normal).filter(isUndrifted);
  const sensitive = undrifted.filter((field) => isSensitive(live.normal[field] ?? null));
  const isNamed = undrifted.includes(nameField(kind) ?? "");
  const asLive = undrifted.flatMap((field) =>
    field in live.normal ? [[field, live.normal[field] ?? null] as const] : [],
  );
  const normal = { ...without(want.normal, undrifted), ...without(Object.fromEntries(asLive), sensitive) };
  const owns = Array.isArray(want.owns) ? want.owns.filter((field) => !undrifted.includes(field)) : want.owns;
  const item: Item = { ...want, ref: isNamed ? live.ref : want.ref, normal, owns };
  const withoutSecrets = (each: Item) => ({ ...each, normal: without(each.normal, sensitive) });
  return {
    ...triple,
    base: triple.base && withoutSecrets(triple.base),
    want: item,
    live: withoutSecrets(live),
  };
}
