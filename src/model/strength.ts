import type { Json } from "./json.js";

/** A CSP that applies somewhere. Every layer blocks (or reports) on its own: a page under two gets both. */
export interface Layer {
  readonly mode: "enforce" | "report";
  /** The filter expression of the requests it applies to. */
  readonly where: string;
  readonly csp: string;
}

/** How strongly an object protects in one dimension, as data that can be compared. */
export type Strength =
  /** `is`: the rank in words, where people know it by them. */
  | { readonly as: "rank"; readonly value: number; readonly is?: string }
  | { readonly as: "set"; readonly stronger: "more" | "fewer"; readonly of: readonly string[] }
  | { readonly as: "layers"; readonly layers: readonly Layer[] }
  /** What can only be told to be the same or another. */
  | { readonly as: "opaque"; readonly is: string };

/** The dimension of the service itself, which all protection in the zone rests on: whether it is switched on. */
export const SERVICE = "service";

export type Dimensions = { readonly [dimension: string]: Strength };

/** What a change does to one dimension. No shift is made for a dimension that stays as it is. */
export interface Shift {
  readonly dimension: string;
  readonly way: "stronger" | "weaker" | "mixed" | "unknown";
  readonly why: string;
  readonly witness: Json | null;
}

/** The sum of an object's shifts, in the words of plan documents. */
export type Effect = "strengthens" | "weakens" | "mixed" | "neutral" | "unknown";
