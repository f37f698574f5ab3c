import { call } from "../evaluate/call.js";
import { compare, type Effort } from "../evaluate/compare.js";
import { fieldType } from "../tables/fields.js";
import type { Argument, Bytes, Call, Comparison, Test, Value } from "../tree.js";
import type { Known, Seen, Truth } from "../value.js";

/** The question of a comparison about a value, with the pure functions around the value taken off. */
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
  readonly args: readonly Bytes[];
}

/** Null: nothing can be said about the values that decide. */
export function questionOf({ left, test }: Comparison): Question | null {
  if (test.as === "value") return null;
  if (left.as === "call" && left.indexes.length === 0) {
    const question = callQuestion(left, test);
    if (question !== null) return question;
  }
  const type = typeOf(test);
  return type === null ? null : peel(left, type, test, []);
}

function callQuestion(call: Call, test: Test): Question | null {
  const [inner] = call.args;
  if (inner?.as !== "value") return null;
  if (call.name === "len") return test.as === "is_true" ? null : lengthOf(inner.value, test);
  const text = literalBytes(call.args[1]);
  if (test.as !== "is_true" || text === null) return null;
  if (call.name !== "starts_with" && call.name !== "ends_with") return null;
  return peel(inner.value, "Bytes", { as: call.name, text }, []);
}

/** The length of a string is a question about the string, the length of a list one about the length itself. */
function lengthOf(value: Value, test: Test): Question | null {
  const question = peel(value, "Bytes", { as: "length", test }, []);
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

function peel(
  value: Value,
  type: Question["type"],
  asks: Asks,
  through: readonly Through[],
): Question | null {
  if (value.indexes.some(({ as }) => as === "each")) return null;
  if (value.as === "call" && value.indexes.length === 0 && BYTEWISE.includes(value.name)) {
    const [inner, ...args] = value.args;
    const texts = args.map(literalBytes);
    if (inner?.as === "value" && texts.every((each) => each !== null)) {
      return peel(inner.value, type, asks, [{ name: value.name, args: texts }, ...through]);
    }
  }
  return { of: value, type, asks, through };
}

function literalBytes(arg: Argument | undefined): Bytes | null {
  return arg?.as === "literal" && arg.literal.type === "Bytes" ? arg.literal.value : null;
}

/** Answers the question for known values. */
export function answererOf({ through, asks }: Question, effort: Effort): (value: Seen) => Truth {
  const test = testerOf(asks, effort);
  return (value) => {
    const result = resultOf(value, through, effort);
    return result === null ? false : result === undefined ? "unknown" : test(result);
  };
}

function testerOf(asks: Asks, effort: Effort): (value: Known) => Truth {
  switch (asks.as) {
    case "starts_with":
    case "ends_with":
      return (value) => compare(call(asks.as, [value, asks.text], effort), { as: "is_true" }, effort);
    case "length":
      return (value) => compare(call("len", [value], effort), asks.test, effort);
    default:
      return (value) => compare(value, asks, effort);
  }
}

function resultOf(value: Seen, through: readonly Through[], effort: Effort): Seen {
  return through.reduce<Seen>((from, { name, args }) => call(name, [from, ...args], effort), value);
}

/** The functions applied to a single byte. Null: they remove it. */
export function mapByte(through: readonly Through[], byte: number, effort: Effort): number | null {
  const result = resultOf(String.fromCharCode(byte), through, effort);
  return typeof result === "string" && result !== "" ? result.charCodeAt(0) : null;
}
