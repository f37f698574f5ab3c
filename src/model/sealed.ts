import type { Json } from "./json.js";

/** A sensitive value, by where it comes from (`env:NAME`), never by what it is. */
export interface Secret {
  readonly $secret: string;
}

/** The id that the answer to step `$result` of the same zone gives to a new object. */
export interface Late {
  readonly $result: number;
}

/**
 * A sensitive live value, relative to the declared one. `not_compared`: the declared one is not there, and the files did
 * not have it in these words before, or a new object is sent it: so it is taken for a different one.
 */
export interface Sensitive {
  readonly $sensitive: "same" | "different" | "absent" | "not_compared";
}

/** JSON that can be shown, kept and compared by anybody: what is secret or not known yet stands in it as a reference. */
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

/** Also of a value that is read from a document. */
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
