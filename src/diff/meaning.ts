import type { PartChange } from "../model/plan.js";
import type { Sealed } from "../model/sealed.js";

/** What makes two values of a field the same. A field without a meaning is compared as plain JSON. */
export interface Meaning {
  /** The service never shows the field: it makes no difference on its own. */
  readonly writeOnly?: true;
  /** The value in one spelling: two values are the same exactly when these are deep-equal. */
  canonical(value: Sealed): Sealed;
  /** What changed inside, for fields that are a set per part; the part of a field that is one set is "". */
  parts?(before: Sealed, after: Sealed): readonly PartChange[];
}

export type Meanings = { readonly [field: string]: Meaning };

/** A list in which order and repetition mean nothing. */
export const set: Meaning = {
  canonical: (value) => (Array.isArray(value) ? [...new Set(value.map(textOf))].sort() : value),
  parts(before, after) {
    const [old, now] = [before, after].map((value) => (Array.isArray(value) ? value.map(textOf) : []));
    const added = (now ?? []).filter((each) => !old?.includes(each));
    const removed = (old ?? []).filter((each) => !now?.includes(each));
    return [{ part: "", change: "changed", added, removed }];
  },
};

function textOf(value: Sealed): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
