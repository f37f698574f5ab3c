/**
 * Where a difference between the files and the live state comes from. `declared`: the files were changed. `drift`: live
 * moved away from what they said. `conflict`: both. `unknown`: there is no base to tell by.
 */
export type Origin = "declared" | "drift" | "conflict" | "unknown";

/** The origins of an object's differences, field by field. */
export interface Origins {
  readonly fields: { readonly [field: string]: Origin };
  /** Of all other fields, and of whether it is there at all. */
  readonly rest: Origin;
}

/** Without a base, nobody can tell. */
export const NO_ORIGINS: Origins = { fields: {}, rest: "unknown" };

export function originOf({ fields, rest }: Origins, field: string): Origin {
  return Object.hasOwn(fields, field) ? (fields[field] ?? rest) : rest;
}

/** What an object's differences come from, together. */
export function originOfAll(origins: Origins, fields: readonly string[]): Origin | "mixed" {
  const [first = origins.rest, ...others] = fields.map((field) => originOf(origins, field));
  return others.every((each) => each === first) ? first : "mixed";
}

/** Whether somebody changed something outside the files. */
export function isFromOutside(origin: Origin): boolean {
  return origin === "drift" || origin === "conflict";
}
