import type { Problem } from "../model/problem.js";
import { isMidWord, placeAround } from "./parse/hints.js";
import { messageOf } from "./parse/messages.js";
import type { Refusal, RefusalReason } from "./parse/reader.js";
import type { Place } from "./tree.js";
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
  readonly shown: Place;
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

/** A fixed summary of a problem. */
export function summaryOf({ severity, code }: ExpressionProblem): string {
  if (severity === "warning" && code.startsWith("expression_unknown_"))
    return "Unknown part of an expression";
  return severity === "error" ? "The expression cannot be used" : "The expression may not do what it is for";
}

/** The part to highlight for people, if the engine reports another one. */
function shownPlace(why: RefusalReason, text: string, place: Place): Place {
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
