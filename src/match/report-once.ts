import type { Item } from "../model/item.js";
import { RULES, type UnmanagedObject } from "../model/unmanaged.js";

/** The objects of one kind in a zone, and its report of undeclared ones. */
export interface KindReport<Told> {
  readonly items: readonly Item[];
  readonly reported: readonly Told[];
}

/**
 * Reports a rule of a list that several kinds read only once: by the kind that has it as an object, else by the first.
 *
 * @param objectOf null: the report is not of a rule
 */
export function reportOnce<Told>(
  all: readonly KindReport<Told>[],
  objectOf: (told: Told) => Pick<UnmanagedObject, "ref" | "list"> | null,
): readonly (readonly Told[])[] {
  const idOf = (each: Told) => {
    const { ref = null, list = null } = objectOf(each) ?? {};
    return list === RULES ? (ref?.id ?? null) : null;
  };
  const reporters = new Map<string, number>();
  for (const [index, { items }] of all.entries())
    for (const { ref } of items) if (ref.id !== null) reporters.set(ref.id, index);
  for (const [index, { reported: told }] of all.entries()) {
    for (const each of told) {
      const id = idOf(each);
      if (id !== null && !reporters.has(id)) reporters.set(id, index);
    }
  }
  return all.map(({ reported: told }, index) =>
    told.filter((each) => {
      const id = idOf(each);
      return id === null || reporters.get(id) === index;
    }),
  );
}
