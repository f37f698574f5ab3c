import { publishedLines } from "../support/published.js";

/** An expression that the real engine accepted. */
export interface Accepted {
  readonly expr: string;
  readonly scope: "http" | "network" | "account";
  readonly ast: unknown;
}

export interface Refused {
  readonly expr: string;
  readonly why: string;
  readonly layer: string;
  readonly line: number | null;
  readonly column: number | null;
}

export interface Pair {
  readonly a: string;
  readonly b: string;
  readonly relation: string;
  readonly same_engine_ast: boolean;
}

// The README of the data describes the three formats.
export const accepted = publishedLines(
  "data/expression/valid.jsonl",
  "accepted expressions",
) as unknown as readonly Accepted[];
export const refused = publishedLines(
  "data/expression/invalid.jsonl",
  "refused expressions",
) as unknown as readonly Refused[];
export const pairs = publishedLines(
  "data/expression/equivalence.jsonl",
  "equal expressions",
) as unknown as readonly Pair[];
