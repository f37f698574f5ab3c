import type { Json } from "./json.js";

/** A sensitive value, named by its source (`env:NAME`). */
export interface Secret {
  readonly $secret: string;
}

/** The id of a new object, from the answer to step `$result` of the same zone. */
export interface Late {
  readonly $result: number;
}

/**
 * A sensitive live value, relative to the declared one. `not_compared`: the declared value is not set and its text in
 * the files is new, or it goes into a new object, so it counts as different.
 */
export interface Sensitive {
  readonly $sensitive: "same" | "different" | "absent" | "not_compared";
}

export const DIFFERENT: Sensitive = { $sensitive: "different" };
export const NOT_COMPARED: Sensitive = { $sensitive: "not_compared" };

/** JSON that is safe to show and keep: secrets and future ids are references. */
export type Sealed =
  | Json
  | Secret
  | Late
  | Sensitive
  | readonly Sealed[]
  | { readonly [key: string]: Sealed };

export type SealedObject = { readonly [key: string]: Sealed };

export function isLate(value: Sealed): value is Late {
  return typeof value === "object" && value !== null && "$result" in value;
}

export function isSecret(value: Sealed): value is Secret {
  return typeof value === "object" && value !== null && "$secret" in value;
}

/** Whether a reference or a mark stands for a sensitive value. Also for values from a document. */
export function isMasked(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("$secret" in value || "$sensitive" in value);
}

/** Also for values from a document. */
export function isNotCompared(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "$sensitive" in value &&
    value.$sensitive === "not_compared"
  );
}

export function isSensitive(value: Sealed): value is Sensitive {
  return typeof value === "object" && value !== null && "$sensitive" in value;
}
