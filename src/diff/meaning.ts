import type { PartChange } from "../model/plan.js";
import type { Sealed } from "../model/sealed.js";

/** What makes two values of a field the same. A field without a meaning is compared as plain JSON. */
export interface Meaning {
  /** The value in one spelling: two values are the same exactly when these are deep-equal. */
  canonical(value: Sealed): Sealed;
  /** What changed inside, for fields that are a set per part. */
  parts?(before: Sealed, after: Sealed): readonly PartChange[];
}

export type Meanings = { readonly [field: string]: Meaning };
