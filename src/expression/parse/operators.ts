import type { Order } from "../tree.js";
import { afterSpace, type Reader } from "./reader.js";

export type Operator = Order | "in" | "bits" | "contains" | "matches" | "wildcard" | "strict wildcard";

/** Reads the operator of a comparison as it is spelt, or null. The first spelling that fits is taken. */
export function readOperator(
  reader: Reader,
): { readonly operator: Operator; readonly spelling: string } | null {
  for (const [spelling, operator] of operators) {
    if (!reader.text.startsWith(spelling, reader.at)) continue;
    reader.at += spelling.length;
    return { operator, spelling };
  }
  return null;
}

export function isOperatorAt(text: string, at: number): boolean {
  return operators.some(([spelling]) => text.startsWith(spelling, at));
}

/** In the engine's order. */
const operators: readonly (readonly [spelling: string, operator: Operator])[] = [
  ["in", "in"],
  ["eq", "eq"],
  ["==", "eq"],
  ["ne", "ne"],
  ["!=", "ne"],
  ["ge", "ge"],
  [">=", "ge"],
  ["le", "le"],
  ["<=", "le"],
  ["gt", "gt"],
  [">", "gt"],
  ["lt", "lt"],
  ["<", "lt"],
  ["&", "bits"],
  ["bitwise_and", "bits"],
  ["contains", "contains"],
  ["~", "matches"],
  ["matches", "matches"],
  ["wildcard", "wildcard"],
  ["strict wildcard", "strict wildcard"],
];

export interface Connective {
  readonly as: "and" | "xor" | "or";
  /** The higher, the tighter it binds. */
  readonly rank: number;
  /** Where its right side begins. */
  readonly end: number;
}

/** The `and`, `or` or `xor` that comes next, not yet read. */
export function nextConnective({ text, at }: Reader): Connective | null {
  const start = afterSpace(text, at);
  for (const { spelling, as, rank } of connectives) {
    if (text.startsWith(spelling, start)) return { as, rank, end: afterSpace(text, start + spelling.length) };
  }
  return null;
}

const connectives = [
  { spelling: "or", as: "or", rank: 1 },
  { spelling: "||", as: "or", rank: 1 },
  { spelling: "xor", as: "xor", rank: 2 },
  { spelling: "^^", as: "xor", rank: 2 },
  { spelling: "and", as: "and", rank: 3 },
  { spelling: "&&", as: "and", rank: 3 },
] as const;
