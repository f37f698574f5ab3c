import { type KeyOf, keysOf, mayShareScope, underKey } from "../kinds/keys.js";
import type { Kind, Live } from "../kinds/kind.js";
import type { WantedZone } from "../model/declared-zone.js";
import type { Item, Ref } from "../model/item.js";
import type { KindState } from "./base.js";
import { pair } from "./pair.js";
import { withoutReferences } from "./seal.js";

/** Whether an apply has put the second object in the place of the first, or may have. */
export type HasReplaced = (before: Ref, after: Ref) => boolean;

/** The kind and the zone that declared objects are compared in. */
export interface Comparing {
  readonly kind: Kind;
  readonly context: Live["context"];
  readonly zone: WantedZone;
  readonly keyOf: KeyOf;
}

/** Pairs declared with live objects, under keys that are unique in the zone. */
export function underKeys(
  { kind, base, declared, live }: KindState,
  zone: WantedZone,
  hasReplaced: HasReplaced,
) {
  const read = { ...live, items: live.items.map(withoutReferences) };
  const before = base.is === "read" ? base.declared : null;
  const { pairs, unpaired } = pair(kind, declared, read, zone, before);
  // A replaced object needs no key of its own.
  const going = pairs.flatMap(({ declared: { body }, live: item, rivals }) => {
    if (item === null) return [];
    const isMoved = !mayShareScope(kind.keys.declared(body, null), kind.keys.live(item));
    const left = rivals.filter((rival) => hasReplaced(rival.live.ref, item.ref));
    return [...(isMoved ? [item] : []), ...left.map((rival) => rival.live)];
  });
  const keyOf = keysOf(
    kind,
    declared,
    read.items.filter((item) => !going.includes(item)),
  );
  const called = new Map(read.items.map((item) => [item, underKey(item, keyOf)]));
  const under = (item: Item) => called.get(item) ?? item;
  return {
    comparing: { kind, context: live.context, zone, keyOf } satisfies Comparing,
    read: { ...read, items: read.items.map(under) },
    pairs: pairs.map((each) => ({
      ...each,
      live: each.live === null ? null : under(each.live),
      rivals: each.rivals.map((rival) => ({ ...rival, live: under(rival.live) })),
    })),
    unpaired,
  };
}
