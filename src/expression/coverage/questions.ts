import { call } from "../evaluate/call.js";
import { compare, type Effort } from "../evaluate/compare.js";
import { fieldType } from "../tables/fields.js";
import type { Argument, Bytes, Call, Comparison, Test, Value } from "../tree.js";
import type { Known, Seen, Truth } from "../value.js";

/** What a comparison asks of a value, with the pure functions around the value taken off it. */
export interface Question {
  readonly of: Value;
  readonly type: "Bytes" | "Int" | "Ip" | "Bool";
  /** The functions, the innermost first, with their further arguments. */
  readonly through: readonly Through[];
  readonly asks: Asks;
}

export type Asks =
  | Test
  | { readonly as: "starts_with" | "ends_with"; readonly text: Bytes }
  | { readonly as: "length"; readonly test: Test };

export interface Through {
  readonly name: string;
  readonly others: readonly Bytes[];
}

/** Null where nothing can be said of the values that the answer depends on. */
export function questionOf({ left, test }: Comparison): Question | null {
  if (test.as === "value") return null;
  if (left.as === "call" && left.indexes.length === 0) {
    const asked = askedByCall(left, test);
    if (asked !== null) return asked;
  }
  const type = typeOf(test);
  return type === null ? null : peeled(left, type, test, []);
}

function askedByCall(call: Call, test: Test): Question | null {
  const [inner] = call.args;
  if (inner?.as !== "value") return null;
  if (call.name === "len") return test.as === "is_true" ? null : lengthOf(inner.value, test);
  const text = literalBytes(call.args[1]);
  if (test.as !== "is_true" || text === null) return null;
  if (call.name !== "starts_with" && call.name !== "ends_with") return null;
  return peeled(inner.value, "Bytes", { as: call.name, text }, []);
}

/** A length is asked of the string where it is one, and of the list itself where it is not. */
function lengthOf(value: Value, test: Test): Question | null {
  const question = peeled(value, "Bytes", { as: "length", test }, []);
  return question !== null && isString(question.of) ? question : null;
}

function isString(value: Value): boolean {
  if (value.as === "call") return false;
  let type = fieldType(value.name);
  for (const _ of value.indexes) type = type !== undefined && "of" in type ? type.of : undefined;
  return type?.is === "Bytes";
}

function typeOf(test: Test): Question["type"] | null {
  switch (test.as) {
    case "is_true":
      return "Bool";
    case "order":
      return test.right.type;
    case "bits":
      return "Int";
    case "in":
      return test.ranges[0]?.type ?? null;
    case "contains":
    case "matches":
    case "wildcard":
      return "Bytes";
    case "in_list":
    case "value":
      return null;
  }
}

/** These map strings to strings byte by byte. */
const BYTEWISE = ["lower", "upper", "remove_bytes"];

function peeled(
  value: Value,
  type: Question["type"],
  asks: Asks,
  through: readonly Through[],
): Question | null {
  if (value.indexes.some(({ as }) => as === "each")) return null;
  if (value.as === "call" && value.indexes.length === 0 && BYTEWISE.includes(value.name)) {
    const [inner, ...others] = value.args;
    const texts = others.map(literalBytes);
    if (inner?.as === "value" && texts.every((each) => each !== null)) {
      return peeled(inner.value, type, asks, [{ name: value.name, others: texts }, ...through]);
    }
  }
  return { of: value, type, asks, through };
}

function literalBytes(arg: Argument | undefined): Bytes | null {
  return arg?.as === "literal" && arg.literal.type === "Bytes" ? arg.literal.value : null;
}

/** The answers to a question, for values that are known. */
export function answering({ through, asks }: Question, effort: Effort): (value: Seen) => Truth {
  const test = testing(asks, effort);
  return (value) => {
    const seen = passed(value, through, effort);
    return seen === null ? false : seen === undefined ? "unknown" : test(seen);
  };
}

function testing(asks: Asks, effort: Effort): (seen: Known) => Truth {
  switch (asks.as) {
    case "starts_with":
    case "ends_with":
      return (seen) => compare(call(asks.as, [seen, asks.text], effort), { as: "is_true" }, effort);
    case "length":
      return (seen) => compare(call("len", [seen], effort), asks.test, effort);
    default:
      return (seen) => compare(seen, asks, effort);
  }
}

function passed(value: Seen, through: readonly Through[], effort: Effort): Seen {
  return through.reduce<Seen>((from, { name, others }) => call(name, [from, ...others], effort), value);
}

/** What the functions make of a single byte; null if they leave it out. */
export function mapByte(through: readonly Through[], byte: number, effort: Effort): number | null {
  const seen = passed(String.fromCharCode(byte), through, effort);
  return typeof seen === "string" && seen !== "" ? seen.charCodeAt(0) : null;
}
