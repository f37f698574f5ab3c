import { BYTES, INT, IP, type Type } from "../tables/types.js";
import type { Element, Literal, Operator, Order, Range, Test } from "../tree.js";
import {
  readBytes,
  readInt,
  readIntRange,
  readIp,
  readIpRange,
  readRegexLiteral,
  readWildcard,
} from "./literals.js";
import { afterSpace, attempt, expect, type Reader, Refusal, readIf, refuse, skipSpace } from "./reader.js";

/** Reads the operator of a comparison whose left side has this type. The reader ends at the right side. */
export function readOperator(reader: Reader, type: Type): Operator {
  skipSpace(reader);
  const start = reader.at;
  const match = spelledAt(reader);
  if (match === null) return refuse(reader, { code: "expected_operator", type });
  const { operator, spelling } = match;
  if (!isFor(operator, type)) {
    refuse(reader, { code: "unsupported_operator", operator: spelling, type }, start, reader.at);
  }
  skipSpace(reader);
  return operator;
}

function isFor(operator: Operator, type: Type): boolean {
  if (type.is === "Unknown") return true;
  switch (operator) {
    case "bitwise_and":
      return type.is === "Int";
    case "contains":
    case "matches":
    case "wildcard":
    case "strict wildcard":
      return type.is === "Bytes";
    default:
      return !("of" in type);
  }
}

export function isOrder(operator: Operator): operator is Order {
  return ORDERS.includes(operator);
}

const ORDERS: readonly Operator[] = ["eq", "ne", "lt", "le", "gt", "ge"];

/** The literal to the right of an operator. */
export function readRight(reader: Reader, operator: Operator, type: Type): Test {
  if (type.is === "Unknown") return readRightOfUnknown(reader, operator);
  switch (operator) {
    case "in":
      return reader.text[reader.at] === "$" ? readList(reader) : { as: "in", ranges: readSet(reader, type) };
    case "bitwise_and":
      return { as: "bits", right: readInt(reader) };
    case "contains":
      return { as: "contains", right: readBytes(reader) };
    case "matches":
      return { as: "matches", pattern: readRegexLiteral(reader) };
    case "wildcard":
      return { as: "wildcard", pattern: readWildcard(reader, operator), caseless: true };
    case "strict wildcard":
      return { as: "wildcard", pattern: readWildcard(reader, operator), caseless: false };
    default:
      return { as: "order", operator, right: readLiteral(reader, type) };
  }
}

/** A value of the first type that fits. A refusal is reported as for a string. */
function readRightOfUnknown(reader: Reader, operator: Operator): Test {
  for (const type of operator === "in" ? [BYTES, INT, IP] : [BYTES, IP, INT]) {
    const test = attempt(reader, (from) => readRight(from, operator, type));
    if (!(test instanceof Refusal)) return test;
  }
  return readRight(reader, operator, BYTES);
}

function readLiteral(reader: Reader, type: Type): Literal {
  if (type.is === "Int") return { type: "Int", value: readInt(reader) };
  if (type.is === "Ip") return { type: "Ip", value: readIp(reader) };
  return { type: "Bytes", value: readBytes(reader) };
}

/** Elements need no separator if they are distinct without one: `{"a""b"}`, and `{80-90}` is two elements. */
function readSet(reader: Reader, type: Type): readonly Element[] {
  expect(reader, "{");
  const ranges: Element[] = [];
  for (;;) {
    skipSpace(reader);
    if (readIf(reader, "}")) return ranges;
    const start = reader.at;
    ranges.push({ ...readRange(reader, type), start, end: reader.at });
  }
}

function readRange(reader: Reader, type: Type): Range {
  if (type.is === "Int") return readIntRange(reader);
  if (type.is === "Ip") return readIpRange(reader);
  return { type: "Bytes", value: readBytes(reader) };
}

function readList(reader: Reader): Test {
  reader.at += 1;
  const { text, at: start } = reader;
  while (/[a-z0-9_.]/.test(text[reader.at] ?? "")) reader.at += 1;
  const name = text.slice(start, reader.at);
  if (name === "" || name.startsWith(".") || name.endsWith(".")) {
    refuse(reader, { code: "invalid_list_name" }, start);
  }
  return { as: "in_list", name };
}

/** Reads the first spelling of an operator that fits. Null: none fits. */
function spelledAt(reader: Reader): { readonly operator: Operator; readonly spelling: string } | null {
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
  ["&", "bitwise_and"],
  ["bitwise_and", "bitwise_and"],
  ["contains", "contains"],
  ["~", "matches"],
  ["matches", "matches"],
  ["wildcard", "wildcard"],
  ["strict wildcard", "strict wildcard"],
];

export interface Connective {
  readonly as: "and" | "xor" | "or";
  /** A higher rank binds tighter. */
  readonly rank: number;
  /** The start of its right side. */
  readonly end: number;
}

/** The next `and`, `or` or `xor`, without reading it. */
export function nextConnective({ text, at }: Pick<Reader, "text" | "at">): Connective | null {
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
