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
import { MOST_CHARS, type RefusalReason } from "./reader.js";

const SENT = "The expression is sent as written; its effect is unknown.";

/** The mistake and the fix for people. The engine's own words are those of a lexer. */
export function messageOf(why: RefusalReason, text: string, start: number): string {
  const name = misreadName(why, text, start);
  if (name !== null) return unknownName(name, text, start + wordAt(text, start).length - name.length);
  switch (why.code) {
    case "expected_name":
      return expectedName(text, start);
    case "unknown_name":
      return unknownName(why.name, text, start);
    case "unknown_field":
      return `Field \`${why.name}\` is unknown to this version. ${SENT}`;
    case "unknown_function":
      return `Function \`${why.name}\` is unknown to this version. ${SENT}`;
    case "unknown_operand":
      return `This version does not know \`${why.operator}\` with a field or a call to its right. ${SENT}`;
    case "unknown_argument":
      return `${argumentOf(why.name, why.index).subject} is usually a literal. This version does not know a field or a call there. ${SENT}`;
    case "unknown_form":
      return `\`${cutEnd(why.form, MOST_SHOWN)}\` has a form unknown to this version. ${SENT}`;
    case "glued_name":
      return gluedName(cutEnd(why.name, MOST_SHOWN), text, start);
    case "operand_type":
      return `The two sides have different types: ${describeType(why.left)} and ${describeType(why.right)}. Compare values of one type.`;
    case "expected":
      return expectedSign(why.sign, text, start);
    case "expected_operator":
      return missingOperator(describeType(why.type), text, start);
    case "unsupported_operator":
      return unsupportedOperator(why.operator, why.type, text.slice(start + why.operator.length));
    case "left_over":
      return leftOver(text, start);
    case "expected_value":
      return missingValue(why.type, text, start);
    case "expected_string":
      return (
        habitAt(text, start) ??
        `${misplacedHint(text, start) ?? ""} \`${why.operator}\` takes a string in double quotes, or raw as r"…".`.trim()
      );
    case "invalid_bytes":
      return invalidBytes(text, why.from);
    case "invalid_escape":
      return invalidEscape(why.escape);
    case "unclosed_string":
      return 'This string never ends. Add the closing `"`.';
    case "unclosed_class":
      return 'No `]` closes this `[`, and inside `[…]` a `"` does not end the string. Close it with `]`, or write `\\[` for the character.';
    case "unclosed_raw_prefix":
      return `After \`r\`, a raw string needs a quote, as in r"…". ${quoteIt(wordAt(text, start - 1))}`;
    case "too_many_hashes":
      return "A raw string may have at most 255 `#`.";
    case "expected_digit":
      return expectedLiteral(A_NUMBER, "80", text, start);
    case "invalid_integer":
      return invalidInteger(why.digits, why.radix, text, start);
    case "integer_out_of_range":
      return `The number ${why.digits.slice(0, 40)} does not fit into 64 bits.`;
    case "reversed_range":
      return "Write two ends of one kind, the lower one first.";
    case "expected_address":
      return expectedLiteral("An IP address", "192.0.2.1", text, start);
    case "invalid_address":
      return invalidAddress(why.address, text, start);
    case "invalid_prefix":
      return `"${why.prefix}" is not a number of bits. Write the network as 192.0.2.0/24.`;
    case "prefix_too_long":
      return `A network of this kind of address has at most ${why.most} fixed bits.`;
    case "host_bits":
      return hostBits(why.network);
    case "invalid_list_name":
      return "Write the name of a list in lowercase letters, digits and `_`, as in `$office_network`.";
    case "invalid_regex":
      return `This regular expression is not valid. ${why.detail}`;
    case "invalid_wildcard":
      return `This wildcard pattern is not valid. ${why.detail}`;
    case "invalid_index":
      return 'Inside `[…]`, write a key in double quotes, a number, or `*`: `["accept"]`, `[0]`, `[*]`.';
    case "index_too_large":
      return "Write an index from 0 to 4294967295. It cannot count from the end.";
    case "index_not_utf8":
      return "A key has to be valid UTF-8.";
    case "unsupported_index":
      return unsupportedIndex(why.type);
    case "expected_list":
      return expectedList(why.quantifier, why.type);
    case "mixed_operands":
      return mixedOperands(why.left, why.right);
    case "not_boolean":
      return "With `[*]`, the comparison gives one answer for each element. Put it into `any(…)` or `all(…)`.";
    case "argument_count":
      return argumentCount(why.name);
    case "argument_kind":
      return argumentKind(why.name, why.index);
    case "argument_type":
      return argumentType(why.name, why.index, why.type, why.first);
    case "argument_value":
      return argumentValue(why.name, why.index);
    case "argument_each":
      return `Only the first argument of \`${why.name}\` may have \`[*]\`. Remove it here.`;
    case "too_deep":
      return "The expression nests more than 128 levels deep. Remove needless parentheses.";
    case "too_long":
      return `The expression has more than ${MOST_CHARS} characters, so it is not read; Cloudflare accepts 4096. Shorten the expression.`;
  }
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

function argumentKind(name: string, index: number): string {
  const { parameter, subject } = argumentOf(name, index);
  return parameter?.kind === "literal"
    ? `${subject} must be a literal. Replace the field or call with a literal.`
    : `${subject} must be a field or a call. Replace the literal.`;
}

function argumentType(name: string, index: number, type: Type, first: Type | null): string {
  const { parameter, subject } = argumentOf(name, index);
  const types = parameter?.types.map((each) => (each === "Array" ? "Array" : describeType(each))) ?? [];
  const required = first === null ? types.join(" or ") : `${describeType(first)}, as the first one has`;
  return `${subject} must have the type ${required}, and this has the type ${describeType(type)}.`;
}

function argumentValue(name: string, index: number): string {
  const { parameter, subject } = argumentOf(name, index);
  const [least, most] = parameter?.range ?? [];
  return `${subject} must be from ${least} to ${most}.`;
}

function argumentOf(name: string, index: number) {
  const signature = functions.get(name);
  const parameter = signature === undefined ? undefined : parameterAt(signature, index);
  return {
    parameter,
    subject: `Argument ${index + 1} of \`${name}\`${parameter === undefined ? "" : ` (${parameter.name})`}`,
  };
}
