import type { Kind, Live, Stranger } from "../kinds/kind.js";
import { type Item, NO_ORIGINS, type Origins, type Triple, WITHOUT_BASE } from "../model/item.js";

import { type Listing, patternsFor, type Unmanaged } from "../model/unmanaged.js";
import type { WantedZone } from "../model/wanted.js";
import type { Counterparts, Former } from "./base.js";
import { based } from "./origins.js";
import { withoutSensitive } from "./seal.js";

/** Live objects that the files do not declare. */
export interface Undeclared {
  /** Of those that are deleted: the files prune, or the base declares them. */
  readonly triples: readonly Triple[];
  readonly stays: readonly Item[];
  /** What those that stay do, those that the change only names, and the rules of others. */
  readonly told: readonly Unmanaged[];
}

/** @param live what the files do not have, and what the change to them names and says nothing of */
export function undeclared(
  kind: Kind,
  live: { readonly foreign: readonly Item[]; readonly named: readonly Item[] },
  { dropped }: Pick<Counterparts, "dropped">,
  around: Live["around"],
  zone: WantedZone,
  former: Former | null,
): Undeclared {
  const pruned = zone.prune.includes(kind.section);
  const bases = new Map(dropped.map(({ declared, live }) => [live, declared]));
  const isGoing = (item: Item) => pruned || bases.has(item);
  const { foreign: items, named } = live;
  const triples = items.filter(isGoing).flatMap((item): readonly Triple[] => {
    const old = withoutSensitive(kind, item);
    const base = bases.get(item);
    if (base === undefined)
      return [{ base: null, want: null, live: old, origins: prunedOrigins(kind, former) }];
    const triple = { ...WITHOUT_BASE, want: null, live: { ...old, at: [kind.section] } };
    const told = based(kind, [triple], { base, want: null, live: item }, around, former?.lacks === true);
    return told.map((each) => ({ ...each, dropped: true }));
  });
  const stays = items.filter((item) => !isGoing(item));
  const names = new Set(named.map(({ ref }) => ref));
  const told = kind.undeclared([...stays, ...named], around).map((each): Unmanaged => {
    const { ref, list, does, effect } = each;
    return names.has(ref)
      ? { ref, list, does, effect, known: "newly_listed" }
      : withKnown(each, zone, former);
  });
  return { triples, stays: stays.map((item) => withoutSensitive(kind, item)), told };
}

/** What the files list. With a base, what it does not list too is news to whoever approves the change. */
function withKnown(
  { ref, list, does, effect }: Stranger,
  zone: WantedZone,
  former: Former | null,
): Unmanaged {
  const isIn = (listing: Listing) => patternsFor(listing, { list, ref }).length > 0;
  const isNew = former !== null && !isIn(former.zone?.unmanaged ?? {});
  const known = !isIn(zone.unmanaged) ? "not_listed" : isNew ? "newly_listed" : "listed";
  return { ref, list, does, effect, known };
}

/** What came into a list that was pruned already came from outside the files. */
function prunedOrigins({ section }: Kind, former: Former | null): Origins {
  if (former === null) return NO_ORIGINS;
  return { fields: {}, rest: former.zone?.prune.includes(section) ? "drift" : "declared" };
}
