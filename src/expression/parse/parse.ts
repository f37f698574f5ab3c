import { requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { type ExpressionProblem, problemOf } from "../problem.js";
import { constantNamed, fieldType } from "../tables/fields.js";
import { parameterAt, type Signature, signatureOf, takes } from "../tables/functions.js";
import { isFieldLike, mayBeNew } from "../tables/new-names.js";
import {
  BOOL,
  BOOLS,
  BYTES,
  INT,
  IP,
  isSameType,
  TYPE_NAMES,
  type Type,
  typeNamed,
  UNKNOWN,
} from "../tables/types.js";
import type {
  Argument,
  Combination,
  Expression,
  Field,
  Index,
  Literal,
  Operator,
  Test,
  Value,
} from "../tree.js";
import { fromBytes } from "../value.js";
import { isMidWord } from "./hints.js";
import { readBytes, readInt, readIp } from "./literals.js";
import type { RefusalReason } from "./messages.js";
import { isOperatorAt, isOrder, nextConnective, readOperator, readRight } from "./operators.js";
import {
  afterSpace,
  attempt,
  deeper,
  expect,
  isEnd,
  type Reader,
  Refusal,
  readerOf,
  readIf,
  refuse,
  refuseLong,
  type Spelling,
  skipSpace,
} from "./reader.js";

/**
 * An expression, or the first mistake of an invalid one. `unknown` has a warning for each name and form unknown to this
 * version, because the service may have learnt it since.
 */
export type Parsed =
  | { readonly ok: true; readonly tree: Expression; readonly unknown: readonly ExpressionProblem[] }
  | {
      readonly ok: false;
      readonly problem: ExpressionProblem;
      readonly unknown: readonly ExpressionProblem[];
    };

/**
 * Parses an expression as the service's engine does. Syntax and types are checked in one pass, up to the first mistake,
 * at the place that the engine reports. Names and forms that the service may have learnt since this version are no
 * mistakes.
 *
 * @param extra fields that the service has learnt since this version, with their types: `Map<Array<Bytes>>`
 */
export function parse(text: string, extra: { readonly [name: string]: string } = {}): Parsed {
  const parsed = parseText(text, extra);
  return parsed.ok ? { ok: true, tree: parsed.tree, unknown: parsed.unknown } : parsed;
}

/**
 * The parsed text, cached. For evaluation: an unknown part leaves the other parts as they are. The result is shared, so
 * it must not be changed.
 */
export const readExpression = rememberedText((text) => parseText(text, {}));

/**
 * A fully known expression, with the spellings that the engine's own tree keeps. For comparisons: an expression with an
 * unknown part counts as invalid.
 */
export const parsedExpression = rememberedText((text): Spelt | Unread => {
  const parsed = readExpression(text);
  const [first] = parsed.unknown;
  return parsed.ok && first !== undefined ? { ok: false, problem: first, unknown: parsed.unknown } : parsed;
});

type Unread = Parsed & { readonly ok: false };

function parseText(text: string, extra: Reader["extra"]): Spelt | Unread {
  requireText(text, "An expression");
  const strict = readText(text, extra, null);
  if (!(strict instanceof Refusal)) return strict;
  const refusals: Refusal[] = [];
  const lenient = readText(text, extra, refusals);
  const unknown = refusals.map((each) => ({ ...problemOf(text, each), severity: "warning" as const }));
  if (!(lenient instanceof Refusal)) return { ...lenient, unknown };
  return { ok: false, problem: problemOf(text, unknown.length === 0 ? strict : lenient), unknown };
}

function readText(text: string, extra: Reader["extra"], unknown: Reader["unknown"]): Spelt | Refusal {
  const reader = readerOf(text, extra, unknown);
  try {
    refuseLong(reader);
    return { ok: true, tree: parseFilter(reader), spellings: reader.spellings, unknown: [] };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return refusal;
  }
}

/** Why a text is no expression, without its message, which takes longer to find. Null: the text is valid. */
export function refusalOf(text: string, extra: Reader["extra"]): RefusalReason | null {
  const result = readText(text, extra, null);
  return result instanceof Refusal ? result.why : null;
}

interface Spelt {
  readonly ok: true;
  readonly tree: Expression;
  readonly spellings: readonly Spelling[];
  readonly unknown: readonly ExpressionProblem[];
}

function parseFilter(reader: Reader): Expression {
  const { expression, type } = parseLogic(reader);
  if (!isSameType(type, BOOL)) refuse(reader, { code: "not_boolean" });
  if (!isEnd(reader)) refuse(reader, { code: "left_over" });
  return expression;
}

interface Typed {
  readonly expression: Expression;
  readonly type: Type;
}

/** `not` before `and` before `xor` before `or`. */
function parseLogic(reader: Reader): Typed {
  return parseMore(reader, parseSimple(reader), 0);
}

interface Operand extends Typed {
  /**
   * The items of a combination that continues as long as the same word follows: `a and b and c` is one combination, `(a
   * and b) and c` is two.
   */
  readonly open: Expression[] | null;
}

/** Combines an operand with everything that follows and binds at least as tightly. */
function parseMore(reader: Reader, first: Operand, leastRank: number): Operand {
  let left = first;
  for (
    let next = nextConnective(reader);
    next !== null && next.rank >= leastRank;
    next = nextConnective(reader)
  ) {
    reader.at = next.end;
    let right = parseSimple(reader);
    let after = nextConnective(reader);
    for (; after !== null && after.rank > next.rank; after = nextConnective(reader)) {
      right = parseMore(reader, right, after.rank);
    }
    if (left.type.is !== right.type.is && left.type.is !== "Unknown" && right.type.is !== "Unknown") {
      refuse(reader, { code: "mixed_operands", left: left.type, right: right.type }, after?.end ?? reader.at);
    }
    left = combine(next.as, left, right);
  }
  return left;
}

function combine(as: Combination["as"], left: Operand, right: Operand): Operand {
  const { expression } = left;
  const type = left.type.is === "Unknown" ? right.type : left.type;
  const continues = left.open !== null && expression.as === as;
  const items = continues ? left.open : [expression];
  items.push(right.expression);
  const place = { start: expression.start, end: right.expression.end };
  return { expression: { as, items, ...place }, type, open: items };
}

function parseSimple(reader: Reader): Operand {
  const { text, at: start } = reader;
  if (text[start] === "(") return parseGroup(reader);
  if (readIf(reader, "not") || readIf(reader, "!")) return parseNegation(reader, start);
  const quantifier = quantifierAt(text, start);
  if (quantifier !== null) return parseQuantifier(reader, quantifier);
  return { ...parseComparison(reader), open: null };
}

function parseGroup(reader: Reader): Operand {
  deeper(reader, reader.at);
  reader.at += 1;
  skipSpace(reader);
  const inner = parseLogic(reader);
  skipSpace(reader);
  expect(reader, ")");
  reader.depth -= 1;
  return { ...inner, open: null };
}

function parseNegation(reader: Reader, start: number): Operand {
  deeper(reader, start);
  skipSpace(reader);
  const { expression: item, type } = parseSimple(reader);
  reader.depth -= 1;
  return { expression: { as: "not", item, start, end: reader.at }, type, open: null };
}

/** `any` or `all`, if a parenthesis follows. */
function quantifierAt(text: string, at: number): "any" | "all" | null {
  const word = text.slice(at, at + 3);
  if (word !== "any" && word !== "all") return null;
  return text[afterSpace(text, at + 3)] === "(" ? word : null;
}

function parseQuantifier(reader: Reader, as: "any" | "all"): Operand {
  const start = reader.at;
  reader.at += as.length;
  skipSpace(reader);
  deeper(reader, reader.at);
  expect(reader, "(");
  skipSpace(reader);
  const inside = reader.at;
  const { argument, type } = parseArgument(reader);
  if (argument.as === "literal" || !isSameType(type, BOOLS)) {
    refuse(reader, { code: "expected_list", quantifier: as, type }, inside, reader.at);
  }
  if (argument.as === "value") reader.spellings.push("bare");
  const item = expressionOf(argument, inside, reader.at);
  skipSpace(reader);
  expect(reader, ")");
  reader.depth -= 1;
  return { expression: { as, item, start, end: reader.at }, type: BOOL, open: null };
}

function expressionOf(
  argument: Exclude<Argument, { as: "literal" }>,
  start: number,
  end: number,
): Expression {
  if (argument.as === "expression") return argument.expression;
  return { as: "comparison", left: argument.value, test: { as: "is_true" }, start, end };
}

function parseComparison(reader: Reader): Typed {
  return parseTest(reader, parseValue(reader));
}

/** The test of a value. A Boolean, or a list of Booleans, needs none. */
function parseTest(reader: Reader, left: TypedValue): Typed {
  const { value, type, isEach } = left;
  const isList = "of" in type && type.of.is === "Bool";
  if (isList && isEach)
    refuse(reader, { code: "unsupported_operator", operator: "", type }, reader.at, reader.at);
  const isCondition =
    isList || (type.is === "Bool" && !isComparedAt(reader)) || (type.is === "Unknown" && isComplete(reader));
  const test: Test = isCondition ? { as: "is_true" } : parseOperation(reader, type);
  const result: Type = isEach ? BOOLS : test.as === "is_true" ? type : { is: "Bool" };
  return {
    expression: { as: "comparison", left: value, test, start: value.start, end: reader.at },
    type: result,
  };
}

/** Whether a condition or operand ends here. */
function isComplete(reader: Pick<Reader, "text" | "at">): boolean {
  const next = afterSpace(reader.text, reader.at);
  return nextConnective(reader) !== null || /^[),]?$/.test(reader.text.charAt(next));
}

/** Whether a Boolean is compared with another value, which the engine does not support yet. */
function isComparedAt({ text, at, extra, unknown }: Reader): boolean {
  const start = afterSpace(text, at);
  const [operator = ""] = /^(?:eq|==|ne|!=)/.exec(text.slice(start, start + 2)) ?? [];
  return (
    unknown !== null && operator !== "" && isValueAt({ text, at: afterSpace(text, start + 2), extra }, BOOL)
  );
}

/** An operator, and to its right a literal or another value of the request. */
function parseOperation(reader: Reader, type: Type): Test {
  const operator = readOperator(reader, type);
  if (isValueAt(reader, type))
    return { as: "value", operator, right: parseRightValue(reader, operator, type) };
  const readLiteral = (from: Reader) => readRight(from, operator, type);
  if (type.is !== "Unknown") return readLiteral(reader);
  return readOpen(reader, readLiteral, (right) => ({ as: "value", operator, right }));
}

/** Whether a field or call is here, and no text without quotes. A new value may be compared with any name. */
function isValueAt({ text, at, extra }: Pick<Reader, "text" | "at" | "extra">, left: Type): boolean {
  const [name = ""] = /^[A-Za-z_][\w.]*/.exec(text.slice(at, at + MOST_NAME)) ?? [];
  const end = at + name.length;
  if (name === "") return false;
  if (constantNamed(name) !== null) return left.is === "Unknown";
  if (text[afterSpace(text, end)] === "(") return true;
  if (fieldType(name) !== undefined || learntType(name, extra) !== undefined) return true;
  if (isFieldLike(name)) return true;
  return left.is === "Unknown" && isNew(text, at, name, "field");
}

const MOST_NAME = 600;

/** An operand where anything is allowed: fully readable, or of an unknown form. */
function readOpen<T>(reader: Reader, parse: (reader: Reader) => T, asField: (operand: Field) => T): T {
  const parsed = attempt(reader, (from) => {
    const operand = parse(from);
    return isComplete(from) ? operand : refuse(from, { code: "left_over" });
  });
  if (!(parsed instanceof Refusal)) return parsed;
  const { text, at: start } = reader;
  UNKNOWN_FORM.lastIndex = start;
  const name = UNKNOWN_FORM.exec(text)?.[0] ?? "";
  const end = start + name.length;
  if (name === "" || !isComplete({ text, at: end })) return parse(reader);
  reader.at = end;
  note(reader, { code: "unknown_form", form: name }, start);
  return asField({ as: "field", name, indexes: [], start, end });
}

/** A word that is no name, or a group in which all strings are closed. */
const UNKNOWN_FORM =
  /[\d.$@%*/+-][\w.:$@%*/+-]*|\{(?:[^{}[\]()"']|"(?:[^"\\]|\\.)*")*\}|\[(?:[^{}[\]()"']|"(?:[^"\\]|\\.)*")*\]/sy;

function parseRightValue(reader: Reader, operator: Operator, type: Type): Value {
  const start = reader.at;
  const { value, type: right, isEach } = parseValue(reader);
  const element = operator !== "in" || right.is === "Unknown" ? right : "of" in right ? right.of : null;
  if (element === null || !isSameType(type, element)) {
    refuse(reader, { code: "operand_type", left: type, right }, start, reader.at);
  }
  const isKnown = isOrder(operator) && type.is !== "Bool" && !isEach;
  if (!isKnown && right.is !== "Unknown") note(reader, { code: "unknown_operand", operator }, start);
  return value;
}

/** Notes a part that the service may have learnt since this version. */
function note(reader: Reader, why: RefusalReason, start: number): void {
  if (reader.unknown === null) refuse(reader, why, start, reader.at);
  else reader.unknown.push(new Refusal(why, { start, end: reader.at }));
}

interface TypedValue {
  readonly value: Value;
  readonly type: Type;
  /** Whether the value has `[*]`. The type is that of one element then. */
  readonly isEach: boolean;
}

/** A field or call, with its indexes. */
function parseValue(reader: Reader): TypedValue {
  const start = reader.at;
  const name = readName(reader);
  const type = fieldType(name) ?? learntType(name, reader.extra);
  if (type !== undefined)
    return parseIndexes(reader, { as: "field", name, indexes: [], start, end: reader.at }, type);
  const signature = signatureOf(name) ?? null;
  const isCall = reader.text[afterSpace(reader.text, reader.at)] === "(";
  if (signature === null) noteName(reader, name, isCall ? "function" : "field", start);
  if (signature === null && !isCall)
    return parseIndexes(reader, { as: "field", name, indexes: [], start, end: reader.at }, UNKNOWN);
  const call = parseCall(reader, name, signature);
  return parseIndexes(
    reader,
    { as: "call", name, args: call.args, indexes: [], start, end: reader.at },
    call.type,
  );
}

function noteName(reader: Reader, name: string, kind: "field" | "function", start: number): void {
  if (isMidWord(reader.text, start)) refuse(reader, { code: "glued_name", name }, start, reader.at);
  if (reader.unknown === null || !isNew(reader.text, start, name, kind))
    refuse(reader, { code: "unknown_name", name }, start, reader.at);
  note(reader, { code: `unknown_${kind}`, name }, start);
}

/** Whether a name may be new and is a whole word: `ab:cd` is bytes. */
function isNew(text: string, start: number, name: string, kind: "field" | "function"): boolean {
  return !/["#:/-]/.test(text.charAt(start + name.length)) && mayBeNew(name, kind);
}

function learntType(name: string, extra: Reader["extra"]): Type | undefined {
  const type = Object.hasOwn(extra, name) ? extra[name] : undefined;
  return type !== undefined && TYPE_NAMES.includes(type) ? typeNamed(type) : undefined;
}

function readName(reader: Reader): string {
  const start = reader.at;
  do {
    const part = reader.at;
    while (/[A-Za-z0-9_]/.test(reader.text[reader.at] ?? "")) reader.at += 1;
    if (reader.at === part) refuse(reader, { code: "expected_name" });
  } while (readIf(reader, "."));
  return reader.text.slice(start, reader.at);
}

function parseIndexes(reader: Reader, value: Value, type: Type): TypedValue {
  const indexes: Index[] = [];
  let current = type;
  while (reader.text[reader.at] === "[") {
    const start = reader.at;
    const index = readIndex(reader);
    current =
      elementOf(current, index) ??
      refuse(reader, { code: "unsupported_index", type: current }, start, reader.at);
    indexes.push(index);
  }
  const isEach = indexes.some(({ as }) => as === "each");
  return { value: { ...value, indexes, end: reader.at }, type: current, isEach };
}

function readIndex(reader: Reader): Index {
  reader.at += 1;
  skipSpace(reader);
  const index = readKey(reader);
  skipSpace(reader);
  expect(reader, "]");
  return index;
}

function readKey(reader: Reader): Index {
  if (readIf(reader, "*")) return { as: "each" };
  const start = reader.at;
  if (reader.text[start] === '"') {
    const spellings = reader.spellings.length;
    const key = fromBytes(readBytes(reader));
    reader.spellings.length = spellings;
    return key === null ? refuse(reader, { code: "index_not_utf8" }, start, reader.at) : { as: "key", key };
  }
  const at = attempt(reader, readInt);
  if (at instanceof Refusal) return refuse(reader, { code: "invalid_index" });
  if (at < 0n || at > MOST_INDEX) refuse(reader, { code: "index_too_large" }, start, reader.at);
  return { as: "at", at: Number(at) };
}

const MOST_INDEX = 2n ** 32n - 1n;

function elementOf(type: Type, index: Index): Type | null {
  if (type.is === "Unknown") return type;
  if (!("of" in type)) return null;
  if (index.as === "each") return type.of;
  return type.is === (index.as === "at" ? "Array" : "Map") ? type.of : null;
}

/**
 * The arguments of a function, after its name, and its return type.
 *
 * @param signature null: the function is unknown, and takes any arguments
 */
function parseCall(
  reader: Reader,
  name: string,
  signature: Signature | null,
): { readonly args: readonly Argument[]; readonly type: Type } {
  skipSpace(reader);
  deeper(reader, reader.at);
  expect(reader, "(");
  skipSpace(reader);
  const args: TypedArgument[] = [];
  while (!isEnd(reader) && reader.text[reader.at] !== ")") {
    if (args.length > 0) expect(reader, ",");
    skipSpace(reader);
    const start = reader.at;
    const next = signature === null ? parseOpenArgument(reader) : parseArgument(reader);
    const why = signature === null ? null : argumentProblem(name, signature, args, next);
    if (why?.code === "unknown_argument") note(reader, why, start);
    else if (why !== null) refuse(reader, why, start, reader.at);
    args.push(next);
    skipSpace(reader);
  }
  if (args.length < (signature?.least ?? 0)) refuse(reader, { code: "argument_count", name });
  expect(reader, ")");
  reader.depth -= 1;
  return {
    args: args.map(({ argument }) => argument),
    type: signature === null ? UNKNOWN : returnType(signature, args),
  };
}

/** Why the argument cannot follow the earlier ones. Null: it can. */
function argumentProblem(
  name: string,
  signature: Signature,
  before: readonly TypedArgument[],
  { argument, type, isEach }: TypedArgument,
): RefusalReason | null {
  const index = before.length;
  if (isEach && index > 0) return { code: "argument_each", name };
  const parameter = parameterAt(signature, index);
  if (parameter === undefined) return { code: "argument_count", name };
  if (parameter.kind === "field" && argument.as === "literal") return { code: "argument_kind", name, index };
  const first = signature.returns === "same" ? (before[0]?.type ?? null) : null;
  const isRight = first === null ? takes(parameter, type) : isSameType(type, first);
  if (!isRight) return { code: "argument_type", name, index, type, first };
  const isKnown = parameter.kind !== "literal" || argument.as === "literal" || type.is === "Unknown";
  if (!isKnown) return { code: "unknown_argument", name, index };
  if (parameter.range === null || argument.as !== "literal" || argument.literal.type !== "Int") return null;
  const [least, most] = parameter.range;
  const isInRange = argument.literal.value >= least && argument.literal.value <= most;
  return isInRange ? null : { code: "argument_value", name, index };
}

/** With `[*]` in its first argument, a function is called for each element. */
function returnType(signature: Signature, [first]: readonly TypedArgument[]): Type {
  const result = signature.returns === "same" ? (first?.type ?? BYTES) : signature.returns;
  return first?.isEach === true ? { is: "Array", of: result } : result;
}

interface TypedArgument {
  readonly argument: Argument;
  readonly type: Type;
  readonly isEach: boolean;
}

/** An argument of an unknown function. A mistake in a name, a string or a condition stays a mistake. */
function parseOpenArgument(reader: Reader): TypedArgument {
  if (/^[A-Za-z_"(!]/.test(reader.text.charAt(reader.at))) return parseArgument(reader);
  return readOpen(reader, parseArgument, (value) => ({
    argument: { as: "value", value },
    type: UNKNOWN,
    isEach: false,
  }));
}

/** The form follows from the first characters, as in the engine. Otherwise every form is tried. */
function parseArgument(reader: Reader): TypedArgument {
  const { text, at } = reader;
  if (text[at] === '"' || (text[at] === "r" && /["#]/.test(text[at + 1] ?? ""))) {
    return literalArgument({ type: "Bytes", value: readBytes(reader) });
  }
  if (text[at] === "(" || text[at] === "!" || text.startsWith("not", at) || quantifierAt(text, at) !== null) {
    const { expression, type } = parseLogic(reader);
    return { argument: { as: "expression", expression }, type, isEach: false };
  }
  if (isSurelyName(text, at)) return valueArgument(reader, parseValue(reader));
  if (!/[A-Za-z_]/.test(text[at] ?? "")) return parseAnyLiteral(reader);
  const value = attempt(reader, parseValue);
  return value instanceof Refusal ? parseAnyLiteral(reader, value) : valueArgument(reader, value);
}

/** A letter after F, or `_`, among the first three characters of a word. */
function isSurelyName(text: string, at: number): boolean {
  return /^[0-9A-Fa-f]{0,2}[G-Zg-z_]/.test(text.slice(at, at + 3));
}

/** A value, or one comparison. */
function valueArgument(reader: Reader, value: TypedValue): TypedArgument {
  const end = reader.at;
  skipSpace(reader);
  const isComparison = isOperatorAt(reader.text, reader.at);
  reader.at = end;
  if (!isComparison)
    return { argument: { as: "value", value: value.value }, type: value.type, isEach: value.isEach };
  const { expression, type } = parseTest(reader, value);
  return { argument: { as: "expression", expression }, type, isEach: false };
}

/**
 * If no form fits, the engine refuses the whole argument.
 *
 * @param asValue why it is no field and no call, which says more if it begins like one
 */
function parseAnyLiteral(reader: Reader, asValue?: Refusal): TypedArgument {
  const ip = beginsLikeIp(reader) ? attempt(reader, readIp) : null;
  if (ip !== null && !(ip instanceof Refusal)) return literalArgument({ type: "Ip", value: ip });
  const int = attempt(reader, readInt);
  if (!(int instanceof Refusal)) return literalArgument({ type: "Int", value: int });
  const bytes = attempt(reader, readBytes);
  if (!(bytes instanceof Refusal)) return literalArgument({ type: "Bytes", value: bytes });
  return refuse(reader, asValue?.why ?? { code: "expected_value", type: null });
}

function beginsLikeIp({ text, at }: Reader): boolean {
  return /^[0-9a-fA-F]{0,4}[.:]/.test(text.slice(at, at + 5));
}

const literalTypes = { Bytes: BYTES, Int: INT, Ip: IP } as const;

function literalArgument(literal: Literal): TypedArgument {
  return { argument: { as: "literal", literal }, type: literalTypes[literal.type], isEach: false };
}
