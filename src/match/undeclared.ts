import { type Kind, listOf } from "../kinds/kind.js";
import { undeclaredAmong } from "../kinds/undeclared-fields.js";
import type { WantedZone } from "../model/declared-zone.js";
import { type Item, NO_ORIGINS, type Origins, type Ref, type Triple, WITHOUT_BASE } from "../model/item.js";
import {
  isPattern,
  type Listing,
  type LiveUnmanaged,
  newEntries,
  patternsFor,
  type Unmanaged,
} from "../model/unmanaged.js";
import type { BaseOf, KindState } from "./base.js";
import type { Counterparts } from "./no-longer-declared.js";
import { threeOf, withOrigins } from "./origins.js";
import { withoutSensitive } from "./seal.js";
import { withBaseObjects } from "./taken-over.js";

/** Live objects that the files do not declare. */
export interface UndeclaredLive {
  /** For the objects to delete: pruned, or declared by the base only. */
  readonly triples: readonly Triple[];
  readonly items: readonly Item[];
  /** The effects of objects that stay or that the change only names, and of unmanaged rules. */
  readonly unmanaged: readonly Unmanaged[];
}

/** @param live objects that are undeclared, objects that the change declares by little more than their names, and declared ones */
export function undeclaredLive(
  { kind, base, live: { context } }: KindState,
  live: {
    readonly undeclared: readonly Item[];
    readonly named: readonly Item[];
    readonly declared: readonly Item[];
  },
  { noLongerDeclared }: Pick<Counterparts, "noLongerDeclared">,
  zone: WantedZone,
): UndeclaredLive {
  const list = listOf(kind);
  const pruned = list !== null && zone.prune.includes(list.section);
  const bases = new Map(noLongerDeclared.map(({ declared, live }) => [live, declared]));
  const { undeclared: undeclaredItems, named, declared } = live;
  const keptIds = pruned
    ? listedIn(sparedIn(zone, base, list.section), undeclaredAmong(kind, undeclaredItems, [], context))
    : new Set();
  const isGoing = (item: Item) => (pruned && !keptIds.has(item.ref.id)) || bases.has(item);
  const triples = undeclaredItems.filter(isGoing).flatMap((item): readonly Triple[] => {
    const shown = withoutSensitive(kind, item);
    const entry = bases.get(item);
    if (entry === undefined)
      return [{ base: null, want: null, live: shown, origins: prunedOrigins(kind, base) }];
    const triple = { ...WITHOUT_BASE, want: null, live: { ...shown, at: entry.path.slice(0, 1) } };
    const baseWithoutSecrets = { ...base, context, secretFields: NO_FIELDS };
    const three = threeOf(baseWithoutSecrets, { base: entry, want: null, live: item });
    const withOrigin = withOrigins(baseWithoutSecrets, [triple], three);
    return withBaseObjects(baseWithoutSecrets, withOrigin, entry).map((each) => ({
      ...each,
      noLongerDeclared: true,
    }));
  });
  const staying = undeclaredItems.filter((item) => !isGoing(item));
  const newlyNamed = new Set(named.map(({ ref }) => ref));
  const otherDeclared = declared.filter(({ ref }) => !newlyNamed.has(ref));
  const all = undeclaredAmong(kind, [...staying, ...named], otherDeclared, context);
  const unmanaged = all.map((object): Unmanaged => {
    const { raw: _, name: _name, ...shown } = object;
    return { ...shown, known: newlyNamed.has(object.ref) ? "newly_listed" : knownIn(object, zone, base) };
  });
  return { triples, items: staying.map((item) => withoutSensitive(kind, item)), unmanaged };
}

// Deleted objects show no sensitive field.
const NO_FIELDS: ReadonlySet<string> = new Set();

/** Entries that protect objects from pruning. A new pattern does not, in a section that the base prunes already. */
function sparedIn({ unmanaged }: WantedZone, { zone: before }: BaseOf, section: string): Listing {
  if (!before.prune.includes(section)) return unmanaged;
  const isNew = (newEntries(unmanaged, before.unmanaged)[section] ?? []).filter(isPattern);
  return { ...unmanaged, [section]: (unmanaged[section] ?? []).filter((each) => !isNew.includes(each)) };
}

function listedIn(listing: Listing, objects: readonly LiveUnmanaged[]): ReadonlySet<Ref["id"]> {
  return new Set(objects.filter((each) => patternsFor(listing, each).length > 0).map(({ ref }) => ref.id));
}

/** Whether the files list the object under `unmanaged:`. An object that the base does not list is marked for review. */
function knownIn(object: LiveUnmanaged, zone: WantedZone, base: BaseOf): Unmanaged["known"] {
  const isIn = (listing: Listing) => patternsFor(listing, object).length > 0;
  if (!isIn(zone.unmanaged)) return "not_listed";
  return base.is === "read" && !isIn(base.zone.unmanaged) ? "newly_listed" : "listed";
}

/** An undeclared object in a section that the base prunes already was created outside the files. */
function prunedOrigins(kind: Kind, base: BaseOf): Origins {
  if (base.is !== "read") return NO_ORIGINS;
  const isPruned = base.zone.prune.includes(listOf(kind)?.section ?? kind.section);
  return { fields: {}, rest: isPruned ? "drift" : "declared" };
}
