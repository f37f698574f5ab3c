import type { NamedBy } from "../kinds/kind.js";
import type { BodyEntry } from "./bodies.js";
import { filledFor, type Own, patternsOf } from "./pattern.js";
import { type Kept, lacking, type Place } from "./split.js";

/** An object that each zone has. */
export interface Row {
  /** As a template calls it. Null: it is in no list. */
  readonly name: string | null;
  /** In the order of the zones. */
  readonly entries: readonly BodyEntry[];
  /** The keys that say which entry of a list it is. */
  readonly isCalled?: readonly string[];
}

/**
 * Which entries of the zones' lists are one object: those of one name, the zone's own name in it apart. Where a zone has
 * the name more than once, what it counts within has to be the same too.
 */
export function rowsOf(
  lists: readonly (readonly BodyEntry[])[],
  shape: NamedBy,
  place: Place,
  owns: readonly Own[],
): { readonly rows: readonly Row[]; readonly kept: readonly Kept[] } {
  const [first = []] = lists;
  const [own] = owns;
  const taken = new Set<BodyEntry>();
  const found = first.flatMap((entry): readonly Row[] => {
    const name = entry.body[shape.named];
    if (own === undefined || typeof name !== "string") return [];
    for (const pattern of patternsOf(name, own)) {
      const called = lists.map((list, zone) => namedIn(list, shape, filledFor(pattern, owns[zone])));
      const isOnly = called.every(({ length }) => length === 1);
      const entries = called.flatMap((alike) => {
        const free = alike.filter((each) => !taken.has(each) && (isOnly || isWithin(each, entry, shape)));
        return free.slice(0, 1);
      });
      if (entries.length < lists.length) continue;
      for (const each of entries) taken.add(each);
      const isCalled = [shape.named, ...(isOnly || shape.within === undefined ? [] : [shape.within])];
      return [{ name: pattern, entries, isCalled }];
    }
    return [];
  });
  const rows = shape.inOrder !== undefined ? leading(found, lists) : found;
  return {
    rows,
    kept: [...misplaced(found.slice(rows.length), place), ...unlike(lists, taken, shape, place, owns)],
  };
}

function namedIn(list: readonly BodyEntry[], { named }: NamedBy, name: string): readonly BodyEntry[] {
  return list.filter(({ body }) => body[named] === name);
}

function isWithin(one: BodyEntry, other: BodyEntry, { within }: NamedBy): boolean {
  return within === undefined || one.body[within] === other.body[within];
}

/** Those that stand in the same order before all others: what templates have comes first. */
function leading(rows: readonly Row[], lists: readonly (readonly BodyEntry[])[]): readonly Row[] {
  const end = rows.findIndex(({ entries }, at) => entries.some((entry, zone) => lists[zone]?.[at] !== entry));
  return end < 0 ? rows : rows.slice(0, end);
}

function misplaced(rows: readonly Row[], place: Place): readonly Kept[] {
  return rows.map(({ name }) => ({
    ...place,
    object: name,
    why: "behind what is not the same in all zones",
  }));
}

/** Entries that not all zones have. */
function unlike(
  lists: readonly (readonly BodyEntry[])[],
  taken: ReadonlySet<BodyEntry>,
  { named }: NamedBy,
  place: Place,
  owns: readonly Own[],
): readonly Kept[] {
  const nameOf = ({ body }: BodyEntry) => (typeof body[named] === "string" ? body[named] : null);
  const left = lists.map((list) => list.filter((entry) => !taken.has(entry)));
  const names = [...new Set(left.flatMap((list) => list.map(nameOf)))];
  return names.map((object) => {
    const has = left.map((list) => list.find((entry) => nameOf(entry) === object));
    const isInAll = has.every((each) => each !== undefined);
    return { ...place, object, why: isInAll ? "more than one of the name" : lacking(has, owns) };
  });
}
