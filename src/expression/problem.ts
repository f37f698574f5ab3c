import type { Problem } from "../model/problem.js";
import { type Titles, titleOf } from "../model/title.js";
import { isMidWord, placeAround } from "./parse/hints.js";
import { messageOf, type RefusalReason } from "./parse/messages.js";
import type { Refusal } from "./parse/reader.js";
import type { TextRange } from "./tree.js";
import { toBytes } from "./value.js";

/** A problem in an expression. Offsets are UTF-16 indices into its text; `end` is exclusive. */
export interface ExpressionProblem {
  readonly severity: Problem["severity"];
  readonly code: string;
  /** The mistake and the fix, in full sentences. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** The part to highlight for people: the whole word where the engine stops in the middle of one. */
  readonly shown: TextRange;
  /** As the engine counts: from 1, the column in UTF-8 bytes of its line. */
  readonly line: number;
  readonly column: number;
}

export function problemOf(text: string, { why, place: { start, end } }: Refusal): ExpressionProblem {
  const problem = problemAt(text, "error", `expression_${why.code}`, messageOf(why, text, start), start, end);
  return { ...problem, shown: shownPlace(why, text, { start: problem.start, end: problem.end }) };
}

/** A problem between two offsets, cut at the end of its first line. */
export function problemAt(
  text: string,
  severity: Problem["severity"],
  code: string,
  message: string,
  start: number,
  end: number,
): ExpressionProblem {
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", start);
  const endInLine = lineEnd === -1 ? end : Math.max(start, Math.min(end, lineEnd));
  return {
    severity,
    code,
    message,
    start,
    end: endInLine,
    shown: { start, end: endInLine },
    line: text.slice(0, lineStart).split("\n").length,
    column: byteLength(text.slice(lineStart, start)) + 1,
  };
}

function byteLength(text: string): number {
  return toBytes(text).length;
}

/** A summary of a problem that names the part of the expression. */
export function summaryOf({ severity, code, shown }: ExpressionProblem, text: string): string {
  // A lone quote would look like the end of a quoted message.
  const end = text.startsWith('"', shown.start)
    ? Math.max(shown.end, endOfString(text, shown.start))
    : shown.end;
  const part = text.slice(shown.start, end);
  const isEnd = part.trim() === "";
  const operator = severity === "error" ? foreignOperatorAt(text, shown.start) : null;
  if (operator !== null) return `Unknown operator ${operator}`;
  const sign = SIGNS.get(part);
  if (sign !== undefined && (TITLES[code] === undefined || code === "expression_invalid_bytes"))
    return `Unexpected ${sign}`;
  if (isEnd && code === "expression_expected_operator") return "Expression is not a condition";
  const invalid = isEnd ? "Expression ends too early" : "Invalid expression near …";
  const isSign = code === "expression_invalid_bytes" && !/[\p{L}\p{N}]/u.test(part);
  if (isSign) return titleOf({}, code, "Invalid expression near …", part);
  return titleOf(TITLES, code, severity === "error" ? invalid : "Suspicious expression …", part);
}

/** A sign alone would read as punctuation of the summary. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  [",", "comma"],
  ["'", "single quote"],
  ['"', "double quote"],
  ["`", "backtick"],
  ["[", "bracket ["],
  ["(", "parenthesis ("],
  [")", "parenthesis )"],
  ["{", "brace {"],
]);

function endOfString(text: string, start: number): number {
  const [whole = ""] = /^"(?:[^"\\]|\\.)*"?/s.exec(text.slice(start)) ?? [];
  return start + whole.length;
}

/** An operator of another language around this place. Null: none. */
function foreignOperatorAt(text: string, at: number): string | null {
  const [before = ""] = /[<>=!~]*$/.exec(text.slice(Math.max(0, at - 3), at)) ?? [];
  const [after = ""] = /^[<>=!~]*/.exec(text.slice(at, at + 3)) ?? [];
  return FOREIGN_OPERATORS.includes(before + after) ? before + after : null;
}

const FOREIGN_OPERATORS: readonly string[] = ["=", "===", "!==", "<>", "=~", "!~"];

const TITLES: Titles = {
  expression_always_true: "Always true: …",
  expression_argument_count: "Wrong number of arguments: …",
  expression_argument_each: "Unusable [*]: …",
  expression_argument_kind: "Wrong argument: …",
  expression_argument_type: "Wrong argument: …",
  expression_argument_value: "Argument out of range: …",
  expression_dashed_range: "Range with a dash: …",
  expression_deprecated_field: "Deprecated field …",
  expression_expected_operator: "Missing operator before …",
  expression_field_unavailable: "Field unavailable here: …",
  expression_function_unavailable: "Function unavailable here: …",
  expression_header_case: "Uppercase in a header name: …",
  expression_host_bits: "Not the first address of a network: …",
  expression_invalid_address: "Invalid IP address …",
  expression_invalid_bytes: "Text without double quotes: …",
  expression_invalid_escape: "Unknown escape …",
  expression_invalid_integer: "Invalid number …",
  expression_invalid_regex: "Invalid regular expression …",
  expression_invalid_wildcard: "Invalid wildcard pattern …",
  expression_left_over: "Unexpected text …",
  expression_literal_question_mark: "Question mark matches only itself: …",
  expression_literal_star: "Star matches only itself: …",
  expression_method_case: "Method in lowercase: …",
  expression_never_true: "Never true: …",
  expression_not_boolean: "Not a condition: …",
  expression_not_true: "Expression must be true: …",
  expression_operand_type: "Two types compared: …",
  expression_query_with_mark: "Query with its question mark: …",
  expression_too_deep: "Too many levels in an expression",
  expression_too_long: "The expression is too long",
  expression_unclosed_class: "Unclosed [ in a regular expression",
  expression_unclosed_string: "Missing closing quote",
  expression_unknown_argument: "Unknown kind of argument: …",
  expression_unknown_field: "Unknown field …",
  expression_unknown_form: "Unknown form …",
  expression_unknown_function: "Unknown function …",
  expression_unknown_name: "Unknown name …",
  expression_unknown_operand: "Unknown kind of operand: …",
  expression_unsupported_index: "Unusable index: …",
  expression_unsupported_operator: "Operator does not fit: …",
};

/** The part to highlight for people, if the engine reports another one. */
function shownPlace(why: RefusalReason, text: string, place: TextRange): TextRange {
  switch (why.code) {
    case "invalid_bytes":
      return placeAround(text, why.from);
    case "unclosed_string":
      return { start: place.start - 1, end: place.end };
    case "unclosed_class":
      return { start: why.bracket, end: why.bracket + 1 };
    case "invalid_integer":
    case "invalid_address":
    case "glued_name":
      return placeAround(text, place.start);
    case "expected":
    case "left_over":
      return isMidWord(text, place.start) ? placeAround(text, place.start) : place;
    default:
      return isMidWord(text, place.end)
        ? { start: place.start, end: placeAround(text, place.end).end }
        : place;
  }
}
