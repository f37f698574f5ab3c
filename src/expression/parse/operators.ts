import type { Type } from "../tables/types.js";
import type { Element, Literal, Order, Range, Test } from "../tree.js";
import {
  readBytes,
  readInt,
  readIntRange,
  readIp,
  readIpRange,
  readRegexLiteral,
  readWildcard,
} from "./literals.js";
import { afterSpace, expect, type Reader, readIf, refuse, skipSpace } from "./reader.js";

/** The operator of a comparison and what stands to its right, for a left side of this type. */
export function readTest(reader: Reader, type: Type): Test {
  skipSpace(reader);
  const start = reader.at;
  const found = readOperator(reader);
  if (found === null) return refuse(reader, { code: "expected_operator", type });
  const { operator, spelling } = found;
  if (!isFor(operator, type)) {
    refuse(reader, { code: "unsupported_operator", operator: spelling, type }, start, reader.at);
  }
  skipSpace(reader);
  return readRight(reader, operator, type);
}

function isFor(operator: Operator, type: Type): boolean {
  switch (operator) {
    case "bits":
      return type.is === "Int";
    case "contains":
    case "matches":
    case "wildcard":
    case "strict wildcard":
      return type.is === "Bytes";
    default:
      return type.is === "Bytes" || type.is === "Int" || type.is === "Ip";
  }
}

function readRight(reader: Reader, operator: Operator, type: Type): Test {
  switch (operator) {
    case "in":
      return reader.text[reader.at] === "$" ? readList(reader) : { as: "in", ranges: readSet(reader, type) };
    case "bits":
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

function readLiteral(reader: Reader, type: Type): Literal {
  if (type.is === "Int") return { type: "Int", value: readInt(reader) };
  if (type.is === "Ip") return { type: "Ip", value: readIp(reader) };
  return { type: "Bytes", value: readBytes(reader) };
}

/** Its elements need no separator where none is needed to tell them apart: `{"a""b"}`, and `{80-90}` are two. */
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
    refuse(reader, { code: "invalid_list_name", name }, start);
  }
  return { as: "in_list", name };
}

type Operator = Order | "in" | "bits" | "contains" | "matches" | "wildcard" | "strict wildcard";

/** Reads the operator of a comparison as it is spelt, or null. The first spelling that fits is taken. */
function readOperator(reader: Reader): { readonly operator: Operator; readonly spelling: string } | null {
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
