import type { Item } from "../model/item.js";
import { RULES, type UnmanagedObject } from "../model/unmanaged.js";

/** What one kind has read of a zone, and what it tells of that nobody declares. */
export interface Telling<Told> {
  readonly items: readonly Item[];
  readonly told: readonly Told[];
}

/**
 * A rule of a list that several kinds look at is told of once: by the kind that has it as an object, else by the first.
 *
 * @param all of a zone, kind by kind
 * @param objectOf null: it is no rule
 */
export function toldOnce<Told>(
  all: readonly Telling<Told>[],
  objectOf: (told: Told) => Pick<UnmanagedObject, "ref" | "list"> | null,
): readonly (readonly Told[])[] {
  const idOf = (each: Told) => {
    const { ref = null, list = null } = objectOf(each) ?? {};
    return list === RULES ? (ref?.id ?? null) : null;
  };
  const tellers = new Map<string, number>();
  for (const [index, { items }] of all.entries())
    for (const { ref } of items) if (ref.id !== null) tellers.set(ref.id, index);
  for (const [index, { told }] of all.entries()) {
    for (const each of told) {
      const id = idOf(each);
      if (id !== null && !tellers.has(id)) tellers.set(id, index);
    }
  }
  return all.map(({ told }, index) =>
    told.filter((each) => {
      const id = idOf(each);
      return id === null || tellers.get(id) === index;
    }),
  );
}
