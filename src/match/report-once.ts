import type { Item } from "../model/item.js";
import { RULES, type UnmanagedObject } from "../model/unmanaged.js";

/** The objects of one kind in a zone, and its report of undeclared ones. */
export interface KindReport<Report> {
  readonly items: readonly Item[];
  readonly reported: readonly Report[];
}

/**
 * Reports a rule of a list that several kinds read only once: by the kind that has it as an object, else by the first.
 *
 * @param objectOf null: the report is not of a rule
 */
export function reportOnce<Report>(
  all: readonly KindReport<Report>[],
  objectOf: (report: Report) => Pick<UnmanagedObject, "ref" | "list"> | null,
): readonly (readonly Report[])[] {
  const idOf = (each: Report) => {
    const { ref = null, list = null } = objectOf(each) ?? {};
    return list === RULES ? (ref?.id ?? null) : null;
  };
  const reporters = new Map<string, number>();
  for (const [index, { items }] of all.entries())
    for (const { ref } of items) if (ref.id !== null) reporters.set(ref.id, index);
  for (const [index, { reported }] of all.entries()) {
    for (const each of reported) {
      const id = idOf(each);
      if (id !== null && !reporters.has(id)) reporters.set(id, index);
    }
  }
  return all.map(({ reported }, index) =>
    reported.filter((each) => {
      const id = idOf(each);
      return id === null || reporters.get(id) === index;
    }),
  );
}
