import { constantTruth } from "../coverage/coverage.js";
import { parsedExpression } from "../parse/parse.js";
import { type ExpressionProblem, problemAt } from "../problem.js";
import { constantNamed } from "../tables/fields.js";
import type { Combination, Expression } from "../tree.js";
import { valuesOf } from "../visit.js";
import { type CheckOptions, review } from "./check.js";

/**
 * The review of an expression, plus its combinations that are never or always true for any request. It takes longer,
 * because it decides all conditions together.
 */
export function reviewWhole(text: string, options: CheckOptions = {}): readonly ExpressionProblem[] {
  const problems = review(text, options);
  const parsed = parsedExpression(text);
  if (!parsed.ok) return problems;
  return [...problems, ...constants(text, parsed.tree, problems)].sort((a, b) => a.start - b.start);
}

/** Outermost combinations only, without those that have a finding of their own or a plain `true` or `false`. */
function constants(
  text: string,
  tree: Expression,
  problems: readonly ExpressionProblem[],
): readonly ExpressionProblem[] {
  switch (tree.as) {
    case "comparison":
    case "any":
    case "all":
      return [];
    case "not":
      return constants(text, tree.item, problems);
    default: {
      const isReported = problems.some(
        ({ code, start }) => CONSTANT_CODES.includes(code) && start >= tree.start && start < tree.end,
      );
      const truth = isReported || hasConstant(tree) ? null : constantTruth(tree);
      return truth === null
        ? tree.items.flatMap((item) => constants(text, item, problems))
        : [constant(text, tree, truth)];
    }
  }
}

const CONSTANT_CODES = ["expression_never_true", "expression_always_true"];

function hasConstant(tree: Expression): boolean {
  return valuesOf(tree).some(({ name }) => constantNamed(name) !== null);
}

function constant(text: string, { start, end }: Combination, truth: boolean): ExpressionProblem {
  const code = truth ? "expression_always_true" : "expression_never_true";
  const message = truth
    ? "Together, these conditions are true for every request. Remove them, or correct one."
    : "No request meets all of these conditions. Remove them, or correct one.";
  return problemAt(text, "warning", code, message, start, end);
}
