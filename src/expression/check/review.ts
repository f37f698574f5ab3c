import { parse } from "../parse/parse.js";
import type { ExpressionProblem } from "../problem.js";
import { advice } from "./advice.js";
import { type CheckOptions, checkTree } from "./check.js";

/** Everything that can be said about an expression on its own: what is refused, and what is surely not meant. */
export function review(text: string, options: CheckOptions = {}): readonly ExpressionProblem[] {
  const parsed = parse(text);
  if (!parsed.ok) return [parsed.problem];
  return [...checkTree(text, parsed.tree, options), ...advice(text, parsed.tree)].sort(
    (a, b) => a.start - b.start,
  );
}
