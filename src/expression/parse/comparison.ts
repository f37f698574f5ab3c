import { BOOLS, type Type } from "../tables/types.js";
import type { Element, Literal, Range, Test } from "../tree.js";
import { readBytes } from "./literal-bytes.js";
import { readInt, readIntRange } from "./literal-int.js";
import { readIp, readIpRange } from "./literal-ip.js";
import { readRegexLiteral, readWildcard } from "./literal-pattern.js";
import type { Typed } from "./logic.js";
import { type Operator, readOperator } from "./operator.js";
import { expect, type Reader, readIf, refuse, skipSpace } from "./reader.js";
import { parseValue, type TypedValue } from "./value.js";

export function parseComparison(reader: Reader): Typed {
  return parseTest(reader, parseValue(reader));
}

/** What a value is compared with. A Boolean, and a list of them, is compared with nothing. */
export function parseTest(reader: Reader, left: TypedValue): Typed {
  const { value, type, isEach } = left;
  const isList = "of" in type && type.of.is === "Bool";
  if (isList && isEach)
    refuse(reader, { code: "unsupported_operator", operator: "", type }, reader.at, reader.at);
  const test: Test = isList || type.is === "Bool" ? { as: "is_true" } : readTest(reader, type);
  const result: Type = isEach ? BOOLS : test.as === "is_true" ? type : { is: "Bool" };
  return {
    expression: { as: "comparison", left: value, test, start: value.start, end: reader.at },
    type: result,
  };
}

function readTest(reader: Reader, type: Type): Test {
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
