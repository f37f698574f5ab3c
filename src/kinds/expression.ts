import type { Meaning } from "../diff/meaning.js";
import { review } from "../expression/check/review.js";
import { summaryOf } from "../expression/problem.js";
import { meaning } from "../expression/spelling/meaning.js";
import { normalise } from "../expression/spelling/normalise.js";
import type { JsonObject } from "../model/json.js";
import type { Service } from "../model/wanted.js";
import type { Finding } from "./kind.js";
import { tooLong } from "./limits.js";

/**
 * Two filter expressions are the same where they surely match the same requests: parentheses, the spelling of operators
 * and literals, whitespace, and the order of sets and conditions make no difference.
 */
export const expressionMeaning: Meaning = {
  canonical: (value) => (typeof value === "string" ? meaning(value) : value),
};

/**
 * What is wrong with a declared expression, or odd about it.
 *
 * @param phase where the service evaluates it
 */
export function checkExpression(
  { expression }: JsonObject,
  phase: string,
  { limits }: Service,
): readonly Finding[] {
  if (typeof expression !== "string") return [];
  const found = review(expression, { phase }).map((each): Finding => {
    const { severity, code, message, shown } = each;
    return {
      path: ["expression"],
      offset: shown.start,
      severity,
      code,
      summary: summaryOf(each),
      detail: message,
    };
  });
  const length = normalise(expression).length;
  const limit = limits.expression_chars;
  if (length <= limit) return found;
  return [...found, tooLong("expression", "The expression", length, limit, "expression_chars")];
}
