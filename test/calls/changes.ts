import type { KindChanges } from "../../src/calls/index.js";
import type { Kind, PendingChange } from "../../src/kinds/kind.js";
import { type Item, type Triple, WITHOUT_BASE } from "../../src/model/item.js";
import type { JsonObject } from "../../src/model/json.js";

/** An object that is live under this id, or a new object if the id is null. */
export function item(id: string | null, says: JsonObject, more: Partial<Item> = {}): Item {
  const normal = { description: id ?? "new", ...says };
  const raw = id === null ? null : { id, ...normal };
  return {
    ref: { kind: "k", key: String(normal.description), id },
    normal,
    raw,
    owns: [],
    at: null,
    ...more,
  };
}

export function change(
  live: Item | null,
  want: Item | null,
  { fields = [], ...more }: Partial<Pick<Triple, "replaces">> & { readonly fields?: readonly string[] } = {},
): PendingChange {
  const action = want === null ? "delete" : live === null ? "create" : "update";
  const changed = fields.map((path) => ({ path, before: null, after: null }));
  return { at: 0, action, triple: { ...WITHOUT_BASE, live, want, ...more }, fields: changed };
}

/** Numbered changes of a kind. The live objects of the changes are live. */
export function changesOf(
  kind: Kind,
  changes: readonly PendingChange[],
  more: Partial<KindChanges> = {},
): KindChanges {
  const items = changes.flatMap(({ triple }) => triple.live ?? []);
  const numbered = changes.map((each, at) => ({ ...each, at }));
  return { kind, zoneId: "z", live: { items, context: null }, changes: numbered, isFull: false, ...more };
}
