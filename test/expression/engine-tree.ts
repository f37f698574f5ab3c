import { formatIp, networkOf, parseIp } from "../../src/expression/ip.js";
import type {
  Argument,
  Bytes,
  Expression,
  Index,
  Literal,
  Range,
  Test,
  Value,
} from "../../src/expression/tree.js";
import { fromBytes } from "../../src/expression/value.js";
import type { Json } from "../../src/model/json.js";

/** Converts our tree into the engine's JSON shape. */
export function engineTree(expression: Expression): Json {
  switch (expression.as) {
    case "and":
    case "or":
    case "xor":
      return { op: capital(expression.as), items: expression.items.map(engineTree) };
    case "not":
      return { op: "Not", arg: engineTree(expression.item) };
    case "any":
    case "all":
      return { op: capital(expression.as), arg: { kind: "SimpleExpr", value: engineTree(expression.item) } };
    case "comparison":
      return { lhs: engineValue(expression.left), ...engineTest(expression.test) };
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function engineValue(value: Value): Json {
  const base = value.as === "field" ? value.name : { name: value.name, args: value.args.map(engineArgument) };
  return value.indexes.length === 0 ? base : [base, ...value.indexes.map(engineIndex)];
}

function engineIndex(index: Index): Json {
  if (index.as === "each") return { kind: "MapEach" };
  return index.as === "key" ? { kind: "MapKey", value: index.key } : { kind: "ArrayIndex", value: index.at };
}

function engineArgument(argument: Argument): Json {
  switch (argument.as) {
    case "value":
      return { kind: "IndexExpr", value: engineValue(argument.value) };
    case "literal":
      return { kind: "Literal", value: engineLiteral(argument.literal) };
    case "expression":
      return { kind: "SimpleExpr", value: engineTree(argument.expression) };
  }
}

const orders = {
  eq: "Equal",
  ne: "NotEqual",
  lt: "LessThan",
  le: "LessThanEqual",
  gt: "GreaterThan",
  ge: "GreaterThanEqual",
} as const;

function engineTest(test: Test): { readonly [key: string]: Json } {
  switch (test.as) {
    case "is_true":
      return { op: "IsTrue" };
    case "order":
      return { op: orders[test.operator], rhs: engineLiteral(test.right) };
    case "value":
      throw new Error("The engine only compares with literal values.");
    case "bits":
      return { op: "BitwiseAnd", rhs: Number(test.right) };
    case "in":
      return { op: "OneOf", rhs: test.ranges.map(engineRange) };
    case "in_list":
      return { op: "InList", rhs: test.name };
    case "contains":
      return { op: "Contains", rhs: engineBytes(test.right) };
    case "matches":
      return { op: "Matches", rhs: engineBytes(test.pattern) };
    case "wildcard":
      return { op: test.caseless ? "Wildcard" : "Strict Wildcard", rhs: engineBytes(test.pattern) };
  }
}

function engineLiteral(literal: Literal): Json {
  if (literal.type === "Bytes") return engineBytes(literal.value);
  return literal.type === "Int" ? Number(literal.value) : formatIp(literal.value);
}

function engineRange(range: Range): Json {
  if (range.type === "Bytes") return engineBytes(range.value);
  if (range.type === "Int") return { start: Number(range.from), end: Number(range.to) };
  return { start: formatIp(range.from), end: formatIp(range.to) };
}

function engineBytes(bytes: Bytes): Json {
  return fromBytes(bytes) ?? [...bytes].map((byte) => byte.charCodeAt(0));
}

/**
 * The engine's tree without details that ours leaves out: the spelling of bytes, and networks as opposed to
 * ranges.
 */
export function comparable(tree: unknown): unknown {
  if (Array.isArray(tree)) {
    const isBytes = tree.length > 0 && tree.every((each) => typeof each === "number");
    return isBytes ? engineBytes(String.fromCharCode(...tree)) : tree.map(comparable);
  }
  if (typeof tree !== "object" || tree === null) return tree;
  const entries = Object.entries(tree).map(([key, value]) => [key, comparable(value)] as const);
  const { op, rhs } = Object.fromEntries(entries);
  if (op !== "OneOf" || !Array.isArray(rhs)) return Object.fromEntries(entries);
  return {
    ...Object.fromEntries(entries),
    rhs: rhs.map((each) => (typeof each === "string" ? asRange(each) : each)),
  };
}

function asRange(text: string): unknown {
  const [address = "", prefix] = text.split("/");
  const ip = parseIp(address);
  if (ip === null) return text;
  const network = prefix === undefined ? { from: ip, to: ip } : networkOf(ip, Number(prefix));
  return network === null ? text : { start: formatIp(network.from), end: formatIp(network.to) };
}
