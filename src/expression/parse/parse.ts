import { requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { type ExpressionProblem, problemOf } from "../problem.js";
import { fieldType } from "../tables/fields.js";
import { parameterAt, type Signature, signatureOf, takes } from "../tables/functions.js";
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
} from "../tables/types.js";
import type { Argument, Combination, Expression, Index, Literal, Test, Value } from "../tree.js";
import { fromBytes } from "../value.js";
import { readBytes, readInt, readIp } from "./literals.js";
import { isOperatorAt, nextConnective, readTest } from "./operators.js";
import {
  afterSpace,
  attempt,
  deeper,
  expect,
  isEnd,
  type Reader,
  Refusal,
  type RefusalReason,
  readerOf,
  readIf,
  refuse,
  type Spelling,
  skipSpace,
} from "./reader.js";

/** A text that is an expression, or the first mistake that keeps it from being one. */
export type Parsed =
  | { readonly ok: true; readonly tree: Expression }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/**
 * An expression as wirefilter reads it, the service's engine: reading and checking of types in one go, up to the first
 * mistake, which is shown where the engine shows it.
 *
 * @param extra fields that the service has learnt since this version, with their types: `Map<Array<Bytes>>`
 */
export function parse(text: string, extra: { readonly [name: string]: string } = {}): Parsed {
  const parsed = parseText(text, extra);
  return parsed.ok ? { ok: true, tree: parsed.tree } : parsed;
}

/**
 * The same, read once for each text, with what the engine's own tree tells apart besides. Everybody has the same
 * result, so that nobody may change it; the library's users get their own by `parse`.
 */
export const parsedExpression = rememberedText((text) => parseText(text, {}));

function parseText(text: string, extra: Reader["extra"]): Spelt | (Parsed & { readonly ok: false }) {
  requireText(text, "An expression");
  const read = readText(text, extra);
  return read instanceof Refusal ? { ok: false, problem: problemOf(text, read) } : read;
}

function readText(text: string, extra: Reader["extra"]): Spelt | Refusal {
  const reader = readerOf(text, extra);
  try {
    return { ok: true, tree: parseFilter(reader), spellings: reader.spellings };
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    return refusal;
  }
}

/** Why a text is no expression, without the words for it, which take longer to find. Null: it is one. */
export function refusalOf(text: string, extra: Reader["extra"]): RefusalReason | null {
  const read = readText(text, extra);
  return read instanceof Refusal ? read.why : null;
}

interface Spelt {
  readonly ok: true;
  readonly tree: Expression;
  readonly spellings: readonly Spelling[];
}

function parseFilter(reader: Reader): Expression {
  const { expression, type } = parseLogic(reader);
  if (type.is !== "Bool") refuse(reader, { code: "not_boolean", type });
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
   * The items of a combination that goes on as long as the same word follows: `a and b and c` is one combination, but
   * `(a and b) and c` are two.
   */
  readonly open: Expression[] | null;
}

/** Combines what was read with all that follows and binds at least as tightly. */
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
    if (left.type.is !== right.type.is) {
      refuse(reader, { code: "mixed_operands", left: left.type, right: right.type }, after?.end ?? reader.at);
    }
    left = combine(next.as, left, right);
  }
  return left;
}

function combine(as: Combination["as"], left: Operand, right: Operand): Operand {
  const { expression, type } = left;
  const goesOn = left.open !== null && expression.as === as;
  const items = goesOn ? left.open : [expression];
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

/** `any` and `all`, if a parenthesis follows. */
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

/** What a value is compared with. A Boolean, and a list of them, is compared with nothing. */
function parseTest(reader: Reader, left: TypedValue): Typed {
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

interface TypedValue {
  readonly value: Value;
  readonly type: Type;
  /** Whether it has `[*]`: the type is that of one of many then. */
  readonly isEach: boolean;
}

/** A field or a call, with its indexes. */
function parseValue(reader: Reader): TypedValue {
  const start = reader.at;
  const name = readName(reader);
  const type = fieldType(name) ?? learntType(name, reader.extra);
  if (type !== undefined)
    return parseIndexes(reader, { as: "field", name, indexes: [], start, end: reader.at }, type);
  const signature = signatureOf(name);
  if (signature === undefined) return refuse(reader, { code: "unknown_name", name }, start, reader.at);
  const call = parseCall(reader, name, signature);
  return parseIndexes(
    reader,
    { as: "call", name, args: call.args, indexes: [], start, end: reader.at },
    call.type,
  );
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
  if (!("of" in type)) return null;
  if (index.as === "each") return type.of;
  return type.is === (index.as === "at" ? "Array" : "Map") ? type.of : null;
}

/** The arguments of a function, after its name, and what it gives for them. */
function parseCall(
  reader: Reader,
  name: string,
  signature: Signature,
): { readonly args: readonly Argument[]; readonly type: Type } {
  skipSpace(reader);
  deeper(reader, reader.at);
  expect(reader, "(");
  skipSpace(reader);
  const given: TypedArgument[] = [];
  while (!isEnd(reader) && reader.text[reader.at] !== ")") {
    if (given.length > 0) expect(reader, ",");
    skipSpace(reader);
    const start = reader.at;
    const next = parseArgument(reader);
    const why = argumentProblem(name, signature, given, next);
    if (why !== null) refuse(reader, why, start, reader.at);
    given.push(next);
    skipSpace(reader);
  }
  if (given.length < signature.least) refuse(reader, { code: "argument_count", name });
  expect(reader, ")");
  reader.depth -= 1;
  return { args: given.map(({ argument }) => argument), type: returned(signature, given) };
}

/** Why the argument cannot follow those before it, or null. */
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
  const kind = argument.as === "literal" ? "literal" : "field";
  if (parameter.kind !== "any" && parameter.kind !== kind) return { code: "argument_kind", name, index };
  const first = signature.returns === "same" ? (before[0]?.type ?? null) : null;
  const isRight = first === null ? takes(parameter, type) : isSameType(type, first);
  if (!isRight) return { code: "argument_type", name, index, type, first };
  if (parameter.range === null || argument.as !== "literal" || argument.literal.type !== "Int") return null;
  const [least, most] = parameter.range;
  const isInRange = argument.literal.value >= least && argument.literal.value <= most;
  return isInRange ? null : { code: "argument_value", name, index };
}

/** With `[*]` in its first argument a function is called for each element. */
function returned(signature: Signature, [first]: readonly TypedArgument[]): Type {
  const one = signature.returns === "same" ? (first?.type ?? BYTES) : signature.returns;
  return first?.isEach === true ? { is: "Array", of: one } : one;
}

interface TypedArgument {
  readonly argument: Argument;
  readonly type: Type;
  readonly isEach: boolean;
}

/** What it is, is seen from its first characters where the engine sees it there; otherwise everything is tried. */
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
 * The engine refuses all of an argument that it can read in no way.
 *
 * @param asValue why it was no field and no call either, which says more where it begins like one
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
