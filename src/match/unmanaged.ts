import type { Kind, Live, LiveUnmanaged } from "../kinds/kind.js";
import { type Item, NO_ORIGINS, type Origins, type Triple, WITHOUT_BASE } from "../model/item.js";

import { type Listing, patternsFor, type Unmanaged } from "../model/unmanaged.js";
import type { WantedZone } from "../model/wanted.js";
import type { BaseDeclarations, Counterparts } from "./base.js";
import { withOrigins } from "./origins.js";
import { withoutSensitive } from "./seal.js";

/** Live objects that the files do not declare. */
export interface UnmanagedLive {
  /** Of those that are deleted: the files prune, or the base declares them. */
  readonly triples: readonly Triple[];
  readonly items: readonly Item[];
  /** What those that stay do, those that the change only names, and unmanaged rules. */
  readonly unmanaged: readonly Unmanaged[];
}

/** @param live what the files do not have, and what the change to them names and says nothing of */
export function unmanagedLive(
  kind: Kind,
  live: { readonly undeclared: readonly Item[]; readonly named: readonly Item[] },
  { noLongerDeclared }: Pick<Counterparts, "noLongerDeclared">,
  context: Live["context"],
  zone: WantedZone,
  base: BaseDeclarations | null,
): UnmanagedLive {
  const pruned = zone.prune.includes(kind.section);
  const bases = new Map(noLongerDeclared.map(({ declared, live }) => [live, declared]));
  const isGoing = (item: Item) => pruned || bases.has(item);
  const { undeclared: items, named } = live;
  const triples = items.filter(isGoing).flatMap((item): readonly Triple[] => {
    const old = withoutSensitive(kind, item);
    const entry = bases.get(item);
    if (entry === undefined)
      return [{ base: null, want: null, live: old, origins: prunedOrigins(kind, base) }];
    const triple = { ...WITHOUT_BASE, want: null, live: { ...old, at: [kind.section] } };
    const told = withOrigins(
      kind,
      [triple],
      { base: entry, want: null, live: item },
      context,
      base?.lacks === true,
    );
    return told.map((each) => ({ ...each, noLongerDeclared: true }));
  });
  const stays = items.filter((item) => !isGoing(item));
  const names = new Set(named.map(({ ref }) => ref));
  const told = kind.unmanaged([...stays, ...named], context).map((each): Unmanaged => {
    const { ref, list, does, effect } = each;
    return names.has(ref) ? { ref, list, does, effect, known: "newly_listed" } : withKnown(each, zone, base);
  });
  return { triples, items: stays.map((item) => withoutSensitive(kind, item)), unmanaged: told };
}

/** Whether the files list it under `unmanaged:`. What the base does not list too is marked for review. */
function withKnown(
  { ref, list, does, effect }: LiveUnmanaged,
  zone: WantedZone,
  base: BaseDeclarations | null,
): Unmanaged {
  const isIn = (listing: Listing) => patternsFor(listing, { list, ref }).length > 0;
  const isNew = base !== null && !isIn(base.zone?.unmanaged ?? {});
  const known = !isIn(zone.unmanaged) ? "not_listed" : isNew ? "newly_listed" : "listed";
  return { ref, list, does, effect, known };
}

/** What came into a list that was pruned already came from outside the files. */
function prunedOrigins({ section }: Kind, base: BaseDeclarations | null): Origins {
  if (base === null) return NO_ORIGINS;
  return { fields: {}, rest: base.zone?.prune.includes(section) ? "drift" : "declared" };
}
