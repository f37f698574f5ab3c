import { constantTruth } from "../coverage/coverage.js";
import { parsedExpression } from "../parse/parse.js";
import { type ExpressionProblem, problemAt } from "../problem.js";
import { constantNamed } from "../tables/fields.js";
import type { Combination, Expression } from "../tree.js";
import { valuesOf } from "../visit.js";
import { type CheckOptions, review } from "./check.js";

/**
 * The review of an expression, and its combinations that can never be true whatever the request, or always are. That
 * takes longer, as it decides what all conditions together leave.
 */
export function reviewWhole(text: string, options: CheckOptions = {}): readonly ExpressionProblem[] {
  const found = review(text, options);
  const parsed = parsedExpression(text);
  if (!parsed.ok) return found;
  return [...found, ...constants(text, parsed.tree, found)].sort((a, b) => a.start - b.start);
}

/** Of the outermost ones. What has a problem of its own, or says `true` or `false` itself, is left out. */
function constants(
  text: string,
  tree: Expression,
  found: readonly ExpressionProblem[],
): readonly ExpressionProblem[] {
  switch (tree.as) {
    case "comparison":
    case "any":
    case "all":
      return [];
    case "not":
      return constants(text, tree.item, found);
    default: {
      const isSaid = found.some(
        ({ code, start }) => SAID.includes(code) && start >= tree.start && start < tree.end,
      );
      const truth = isSaid || hasConstant(tree) ? null : constantTruth(tree);
      return truth === null
        ? tree.items.flatMap((item) => constants(text, item, found))
        : [constant(text, tree, truth)];
    }
  }
}

const SAID = ["expression_never_true", "expression_always_true"];

function hasConstant(tree: Expression): boolean {
  return valuesOf(tree).some(({ name }) => constantNamed(name) !== null);
}

function constant(text: string, { start, end }: Combination, truth: boolean): ExpressionProblem {
  const code = truth ? "expression_always_true" : "expression_never_true";
  const message = truth
    ? "These conditions together are true for every request: whatever one leaves out, another allows."
    : "These conditions can never be true together: no request meets them all.";
  return problemAt(text, "warning", code, message, start, end);
}
