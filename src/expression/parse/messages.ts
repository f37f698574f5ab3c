import { cutEnd } from "../../model/cut.js";
import { fieldTypes } from "../tables/fields.js";
import { functions, parameterAt } from "../tables/functions.js";
import { describeType, type Type } from "../tables/types.js";
import {
  habitAt,
  leftOver,
  misplacedHint,
  missingOperator,
  missingValue,
  placeAround,
  swallowing,
  unknownName,
  wordAround,
  wordAt,
} from "./hints.js";
import {
  A_NUMBER,
  expectedLiteral,
  hostBits,
  invalidAddress,
  invalidBytes,
  invalidEscape,
  invalidInteger,
  networkIn,
  quoteIt,
} from "./literal-messages.js";

const SENT = "The expression is sent as written; its effect is unknown.";

/** The message for each reason of a refusal, from its facts. The engine's own words are those of a lexer. */
const MESSAGES = {
  expected_name: (_why: object, text, start) => expectedName(text, start),
  unknown_name: ({ name }: Has<"name">, text, start) => unknownName(name, text, start),
  unknown_field: ({ name }: Has<"name">) => `Field \`${name}\` is unknown to this version. ${SENT}`,
  unknown_function: ({ name }: Has<"name">) => `Function \`${name}\` is unknown to this version. ${SENT}`,
  unknown_operand: ({ operator }: Has<"operator">) =>
    `This version does not know \`${operator}\` with a field or a call to its right. ${SENT}`,
  unknown_argument: (why: OfArgument) =>
    `${argumentOf(why).subject} is usually a literal. This version does not know a field or a call there. ${SENT}`,
  unknown_form: ({ form }: Has<"form">) =>
    `\`${cutEnd(form, MOST_SHOWN)}\` has a form unknown to this version. ${SENT}`,
  /** The name is the rest of a word that the engine begins to read as an operator. */
  glued_name: ({ name }: Has<"name">, text, start) => gluedName(cutEnd(name, MOST_SHOWN), text, start),
  operand_type: ({ left, right }: Has<"left" | "right", Type>) =>
    `The two sides have different types: ${describeType(left)} and ${describeType(right)}. Compare values of one type.`,
  expected: ({ sign }: Has<"sign">, text, start) => expectedSign(sign, text, start),
  expected_operator: ({ type }: Has<"type", Type>, text, start) =>
    missingOperator(describeType(type), text, start),
  unsupported_operator: ({ operator, type }: Has<"operator"> & Has<"type", Type>, text, start) =>
    unsupportedOperator(operator, type, text.slice(start + operator.length)),
  left_over: (_why: object, text, start) => leftOver(text, start),
  expected_value: ({ type }: Has<"type", Type | null>, text, start) => missingValue(type, text, start),
  expected_string: ({ operator }: Has<"operator">, text, start) =>
    habitAt(text, start) ??
    `${misplacedHint(text, start) ?? ""} \`${operator}\` takes a string in double quotes, or raw as r"…".`.trim(),
  /** `from` is the start of the unquoted string. */
  invalid_bytes: ({ from }: Has<"from", number>, text) => invalidBytes(text, from),
  invalid_escape: (why: Has<"escape">) => invalidEscape(why.escape),
  unclosed_string: 'This string never ends. Add the closing `"`.',
  /** `bracket` is the place of the `[` that keeps the quote from ending the string. */
  unclosed_class: (_why: Has<"bracket", number>) =>
    'No `]` closes this `[`, and inside `[…]` a `"` does not end the string. Close it with `]`, or write `\\[` for the character.',
  unclosed_raw_prefix: (_why: object, text, start) =>
    `After \`r\`, a raw string needs a quote, as in r"…". ${quoteIt(wordAt(text, start - 1))}`,
  too_many_hashes: "A raw string may have at most 255 `#`.",
  expected_digit: (_why: object, text, start) => expectedLiteral(A_NUMBER, "80", text, start),
  invalid_integer: ({ digits, radix }: Has<"digits"> & Has<"radix", 8 | 10 | 16>, text, start) =>
    invalidInteger(digits, radix, text, start),
  integer_out_of_range: ({ digits }: Has<"digits">) =>
    `The number ${digits.slice(0, 40)} does not fit into 64 bits.`,
  reversed_range: "Write two ends of one kind, the lower one first.",
  expected_address: (_why: object, text, start) => expectedLiteral("An IP address", "192.0.2.1", text, start),
  invalid_address: ({ address }: Has<"address">, text, start) => invalidAddress(address, text, start),
  invalid_prefix: ({ prefix }: Has<"prefix">) =>
    `"${prefix}" is not a number of bits. Write the network as 192.0.2.0/24.`,
  prefix_too_long: ({ most }: Has<"most", number>) =>
    `A network of this kind of address has at most ${most} fixed bits.`,
  host_bits: ({ network }: Has<"network">) => hostBits(network),
  invalid_list_name:
    "Write the name of a list in lowercase letters, digits and `_`, as in `$office_network`.",
  invalid_regex: ({ detail }: Has<"detail">) => `This regular expression is not valid. ${detail}`,
  invalid_wildcard: ({ detail }: Has<"detail">) => `This wildcard pattern is not valid. ${detail}`,
  invalid_index: 'Inside `[…]`, write a key in double quotes, a number, or `*`: `["accept"]`, `[0]`, `[*]`.',
  index_too_large: "Write an index from 0 to 4294967295. It cannot count from the end.",
  index_not_utf8: "A key has to be valid UTF-8.",
  unsupported_index: ({ type }: Has<"type", Type>) => unsupportedIndex(type),
  expected_list: ({ quantifier, type }: Has<"quantifier"> & Has<"type", Type>) =>
    expectedList(quantifier, type),
  mixed_operands: ({ left, right }: Has<"left" | "right", Type>) => mixedOperands(left, right),
  not_boolean:
    "With `[*]`, the comparison gives one answer for each element. Put it into `any(…)` or `all(…)`.",
  argument_count: ({ name }: Has<"name">) => argumentCount(name),
  argument_kind: argumentKind,
  argument_type: argumentType,
  argument_value: argumentValue,
  argument_each: ({ name }: Has<"name">) =>
    `Only the first argument of \`${name}\` may have \`[*]\`. Remove it here.`,
  too_deep: "The expression nests more than 128 levels deep. Remove needless parentheses.",
  too_long: ({ most }: Has<"most", number>) =>
    `The expression has more than ${most} characters, so it is not read; Cloudflare accepts 4096. Shorten the expression.`,
} satisfies { readonly [code: string]: string | ((why: never, text: string, start: number) => string) };

/** The facts of a reason, by name. */
type Has<Fact extends string, Value = string> = { readonly [Each in Fact]: Value };

type OfArgument = Has<"name"> & Has<"index", number>;

type Messages = typeof MESSAGES;

/** Why the engine refuses an expression, with the facts for the message. */
export type RefusalReason = {
  [Code in keyof Messages]: { readonly code: Code } & (Messages[Code] extends (
    why: infer Facts,
    ...rest: never
  ) => string
    ? Facts
    : unknown);
}[keyof Messages];

/** The mistake and the fix for people. */
export function messageOf(why: RefusalReason, text: string, start: number): string {
  const name = misreadName(why, text, start);
  if (name !== null) return unknownName(name, text, start + wordAt(text, start).length - name.length);
  // The facts are those of the code.
  const message = MESSAGES[why.code] as
    | string
    | ((why: RefusalReason, text: string, start: number) => string);
  return typeof message === "string" ? message : message(why, text, start);
}

/** The engine reads an operator at the start of a word, whatever follows. */
function gluedName(name: string, text: string, start: number): string {
  const operator = text.slice(placeAround(text, start).start, start);
  const reading = `\`${operator}${name}\` is read as \`${operator} ${name}\``;
  return operator === "not"
    ? `${reading}, and \`${name}\` is unknown.`
    : `${reading}. Add the missing operator before \`${operator}${name}\`, such as \`eq\` or \`and\`.`;
}

const MOST_SHOWN = 80;

/** A name that begins like hexadecimal bytes: the engine stops in the middle of it. */
function misreadName(why: RefusalReason, text: string, start: number): string | null {
  const isArgument = why.code.startsWith("argument_") || why.code === "expected_list";
  if (!isArgument && !(why.code === "expected" && /[,)]/.test(why.sign))) return null;
  const word = wordAround(text, start);
  return /^[A-Za-z]\w*(?:\.\w+)+$/.test(word) && !fieldTypes.has(word) ? word : null;
}

function expectedName(text: string, start: number): string {
  if (start === text.trimEnd().length) {
    return text.trim() === ""
      ? "The expression is empty. Write a condition, or `true` for all requests."
      : "The expression ends where a condition should follow. Add the condition.";
  }
  const hint = misplacedHint(text, start);
  if (hint !== null) return hint;
  const sign = text.charAt(start);
  if (sign === ")") return "No condition stands before this `)`. Add it.";
  if (sign === '"') return 'A comparison begins with a field. Write `http.host eq "example.com"`.';
  if (sign === "{") return "A set needs a field and `in` before it. Write `ip.src in {192.0.2.1}`.";
  return `\`${wordAt(text, start)}\` is not a field or function. Write one here.`;
}

function expectedSign(sign: string, text: string, start: number): string {
  switch (sign) {
    case "(":
      return "A function needs its arguments in parentheses. Write them after its name.";
    case ")":
      return missingParenthesis(text, start);
    case "{":
      return missingBrace(text, start);
    case ",":
      return `${misplacedHint(text, start) ?? ""} Arguments of a function are separated by commas.`.trim();
    default:
      return 'No `]` closes this index. Write `["accept"]`, `[0]` or `[*]`.';
  }
}

function missingParenthesis(text: string, start: number): string {
  const isEnd = text.slice(start).trim() === "";
  if (isEnd) return "The expression ends before a `(` is closed. Add the missing `)`.";
  const hint = swallowing(text, start) ?? `${leftOver(text, start)} Otherwise add a \`)\` before it.`;
  const isCombined = /^[ \r\n]*(?:and|or|xor|&&|\|\||\^\^)/.test(text.slice(start, start + 100));
  return isCombined
    ? "`any(…)` and `all(…)` take one comparison. Put several into parentheses of their own: `any((… and …))`."
    : hint;
}

function missingBrace(text: string, start: number): string {
  const sign = text.charAt(start);
  if (sign === "(" || sign === "[") return `A set has braces, not \`${sign}\`. Write \`in {"a" "b"}\`.`;
  return "`in` needs a set in braces or the name of a list. Write `in {192.0.2.0/24}` or `in $office_network`.";
}

function unsupportedOperator(operator: string, type: Type, after: string): string {
  if (operator === "")
    return "A list of lists of Booleans cannot be used here. Write an index instead of `[*]`.";
  const has = `has the type ${describeType(type)}`;
  if (type.is === "Array")
    return `\`${operator}\` cannot compare a list, and this ${has}. Use \`[*]\` inside \`any(…)\`, or an index such as \`[0]\`.`;
  if (type.is === "Map")
    return `\`${operator}\` cannot compare a map, and this ${has}. Add a key, such as \`["accept"]\`.`;
  if (type.is === "Ip" && operator !== "&" && operator !== "bitwise_and")
    return `\`${operator}\` compares text, and this is an IP address. Write a network: \`in {${networkIn(after)}}\`.`;
  return `\`${operator}\` does not fit: the value before it ${has}. Use ${alternatives(type)}.`;
}

function alternatives({ is }: Type): string {
  const any = "`eq`, `ne`, `lt`, `le`, `gt`, `ge` or `in`";
  return is === "Int" ? `\`&\`, ${any}` : any;
}

function unsupportedIndex(type: Type): string {
  switch (type.is) {
    case "Array":
      return "This is a list. Index it with a number or `*`, as in `[0]` or `[*]`.";
    case "Map":
      return 'This is a map. Index it with a key in double quotes or `*`, as in `["accept"]`.';
    default:
      return `This has the type ${describeType(type)} and takes no index. Remove the index.`;
  }
}

function expectedList(quantifier: string, type: Type): string {
  const needs = `\`${quantifier}\` needs an answer for each element of a list`;
  if (type.is === "Bool")
    return `${needs}, and this gives only one. Use \`[*]\` on a list, or remove \`${quantifier}(…)\`.`;
  return `${needs}. Compare the elements, as in \`${quantifier}(http.request.headers.names[*] eq "accept")\`.`;
}

function mixedOperands(left: Type, right: Type): string {
  return (
    "Put the side that has `[*]` into `any(…)` or `all(…)`. `and`, `or` and `xor` need the same type on both sides: " +
    `the left side has the type ${describeType(left)}, the right side ${describeType(right)}.`
  );
}

function argumentCount(name: string): string {
  const signature = functions.get(name);
  if (signature === undefined) return `\`${name}\` takes another number of arguments. Correct them.`;
  const { least, most, parameters } = signature;
  const names = parameters.map((parameter) => parameter.name).join(", ");
  const count = most === null ? `at least ${least}` : most === least ? `${least}` : `${least} to ${most}`;
  return `\`${name}\` takes ${count} argument${count === "1" ? "" : "s"}. Write ${names}.`;
}

function argumentKind(why: OfArgument): string {
  const { parameter, subject } = argumentOf(why);
  return parameter?.kind === "literal"
    ? `${subject} must be a literal. Replace the field or call with a literal.`
    : `${subject} must be a field or a call. Replace the literal.`;
}

function argumentType(why: OfArgument & Has<"type", Type> & Has<"first", Type | null>): string {
  const { type, first } = why;
  const { parameter, subject } = argumentOf(why);
  const types = parameter?.types.map((each) => (each === "Array" ? "Array" : describeType(each))) ?? [];
  const required = first === null ? types.join(" or ") : `${describeType(first)}, as the first one has`;
  return `${subject} must have the type ${required}, and this has the type ${describeType(type)}.`;
}

function argumentValue(why: OfArgument): string {
  const { parameter, subject } = argumentOf(why);
  const [least, most] = parameter?.range ?? [];
  return `${subject} must be from ${least} to ${most}.`;
}

function argumentOf({ name, index }: OfArgument) {
  const signature = functions.get(name);
  const parameter = signature === undefined ? undefined : parameterAt(signature, index);
  return {
    parameter,
    subject: `Argument ${index + 1} of \`${name}\`${parameter === undefined ? "" : ` (${parameter.name})`}`,
  };
}
