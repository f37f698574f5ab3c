import type { NamedBy } from "../kinds/kind.js";
import type { BodyEntry } from "./bodies.js";
import { type Leftover, type LeftoverPlace, lacking } from "./split.js";
import { filledFor, patternsOf, type ZoneLabel } from "./zone-placeholder.js";

export interface Row {
  /** Its name in the template. Null: it is in no list. */
  readonly name: string | null;
  readonly entries: readonly BodyEntry[];
  /** The keys that identify the entry in a list. */
  readonly nameKeys?: readonly string[];
}

/**
 * Matches the entries of the zones' lists by name, where the zone's own name may differ. If a name is not unique in a
 * zone, the key that it counts within has to match too.
 */
export function rowsOf(
  lists: readonly (readonly BodyEntry[])[],
  keys: NamedBy,
  place: LeftoverPlace,
  labels: readonly ZoneLabel[],
): { readonly rows: readonly Row[]; readonly leftovers: readonly Leftover[] } {
  const [first = []] = lists;
  const [firstLabel] = labels;
  const taken = new Set<BodyEntry>();
  const matching = first.flatMap((entry): readonly Row[] => {
    const name = entry.body[keys.named];
    if (firstLabel === undefined || typeof name !== "string") return [];
    for (const pattern of patternsOf(name, firstLabel)) {
      const candidates = lists.map((list, zone) => namedIn(list, keys, filledFor(pattern, labels[zone])));
      const isOnly = candidates.every(({ length }) => length === 1);
      const entries = candidates.flatMap((named) => {
        const free = named.filter((each) => !taken.has(each) && (isOnly || isWithin(each, entry, keys)));
        return free.slice(0, 1);
      });
      if (entries.length < lists.length) continue;
      for (const zoneEntry of entries) taken.add(zoneEntry);
      const nameKeys = [keys.named, ...(isOnly || keys.within === undefined ? [] : [keys.within])];
      return [{ name: pattern, entries, nameKeys }];
    }
    return [];
  });
  const rows = keys.inOrder !== undefined ? leading(matching, lists) : matching;
  return {
    rows,
    leftovers: [
      ...misplaced(matching.slice(rows.length), place),
      ...unsharedEntries(lists, taken, keys, place, labels),
    ],
  };
}

function namedIn(list: readonly BodyEntry[], { named }: NamedBy, name: string): readonly BodyEntry[] {
  return list.filter(({ body }) => body[named] === name);
}

function isWithin(entry: BodyEntry, otherEntry: BodyEntry, { within }: NamedBy): boolean {
  return within === undefined || entry.body[within] === otherEntry.body[within];
}

/** The first rows that have the same order in all zones: the entries of a template come first. */
function leading(rows: readonly Row[], lists: readonly (readonly BodyEntry[])[]): readonly Row[] {
  const end = rows.findIndex(({ entries }, at) => entries.some((entry, zone) => lists[zone]?.[at] !== entry));
  return end < 0 ? rows : rows.slice(0, end);
}

function misplaced(rows: readonly Row[], place: LeftoverPlace): readonly Leftover[] {
  return rows.map(({ name }) => ({
    ...place,
    object: name,
    why: "after rules that differ per zone",
  }));
}

function unsharedEntries(
  lists: readonly (readonly BodyEntry[])[],
  taken: ReadonlySet<BodyEntry>,
  { named }: NamedBy,
  place: LeftoverPlace,
  labels: readonly ZoneLabel[],
): readonly Leftover[] {
  const nameOf = ({ body }: BodyEntry) => (typeof body[named] === "string" ? body[named] : null);
  const remaining = lists.map((list) => list.filter((entry) => !taken.has(entry)));
  const names = [...new Set(remaining.flatMap((list) => list.map(nameOf)))];
  return names.map((object) => {
    const holders = remaining.map((list) => list.find((entry) => nameOf(entry) === object));
    const isInAll = holders.every((each) => each !== undefined);
    return { ...place, object, why: isInAll ? "more than one of the name" : lacking(holders, labels) };
  });
}
