import { requireText } from "../../model/arguments.js";
import { chargedOnce } from "../../model/comparing.js";
import { rememberedText } from "../../model/remembered.js";
import { workOf } from "../budget.js";
import { type Effort, newEffort } from "../evaluate/compare.js";
import { parsedExpression } from "../parse/parse.js";
import { canonicalNode, normalise } from "../spelling/canonical.js";
import type { Bytes, Expression } from "../tree.js";
import type { Values } from "./consistent-values.js";
import { FALSE, TooLarge, TRUE } from "./diagram.js";
import { exampleIn } from "./example.js";
import { type Formulas, formulasOf } from "./formula.js";
import { questionOf } from "./questions.js";

/**
 * The relation between the requests that two expressions match. "subset": the other expression matches all of them too,
 * and perhaps more. "overlaps": both match something in common, and each matches something that the other does not.
 */
export type Coverage = "equal" | "subset" | "superset" | "disjoint" | "overlaps" | "unknown";

/**
 * The relation between the requests of `a` and of `b`. Uncertain answers are "unknown". So is an overlap that would
 * need a combination of field values that may not exist.
 */
export function coverage(a: string, b: string): Coverage {
  for (const text of [a, b]) requireText(text, "An expression");
  return chargedOnce(["coverage", a, b], () => cachedCoverage(JSON.stringify([a, b])), "unknown");
}

/** A plan compares the same pair in many places, and the zones of a fleet share their expressions. */
const cachedCoverage = rememberedText((pair): { readonly value: Coverage; readonly work: number } => {
  const [a = "", b = ""] = JSON.parse(pair) as readonly string[]; // it is made above
  const [treeA, treeB] = [parsedExpression(a), parsedExpression(b)];
  const work = textWork(a, b);
  if (!treeA.ok || !treeB.ok) return { value: normalise(a) === normalise(b) ? "equal" : "unknown", work };
  const effort = newEffort();
  const value = coverageOfTrees(treeA.tree, treeB.tree, effort);
  return { value, work: work + workOf(effort.budget) };
});

/** The cost of a question without a search. */
function textWork(a: string, b: string): number {
  return (a.length + b.length) * CHAR_WORK;
}

const CHAR_WORK = 100;

function coverageOfTrees(a: Expression, b: Expression, effort: Effort): Coverage {
  // The order is always the same, because the search for a witness may depend on it.
  if (canonicalNode(a) > canonicalNode(b)) return MIRRORED[coverageOfTrees(b, a, effort)];
  return withinLimits(() => relation(a, b, effort), "unknown");
}

const MIRRORED: { readonly [stands in Coverage]: Coverage } = {
  equal: "equal",
  subset: "superset",
  superset: "subset",
  disjoint: "disjoint",
  overlaps: "overlaps",
  unknown: "unknown",
};

/** Whether an expression matches all requests, or none. Null: neither is certain. */
export function constantTruth(tree: Expression): boolean | null {
  return withinLimits(() => {
    const formulas = formulasOf([tree, tree]);
    if (region(formulas, [true, true]) === FALSE) return false;
    return region(formulas, [false, false]) === FALSE ? true : null;
  }, null);
}

/** A request that `a` matches and `b` does not, or null if none is found. Null does not prove that none exists. */
export function witness(a: string, b: string): Record<string, unknown> | null {
  const [treeA, treeB] = [parsedExpression(a), parsedExpression(b)];
  if (!treeA.ok || !treeB.ok) return null;
  const trees = [treeA.tree, treeB.tree];
  const search = () => {
    const effort = newEffort();
    const value = withinLimits(() => find(formulasOf(trees, effort), trees, [true, false]), null);
    return { value, work: textWork(a, b) + workOf(effort.budget) };
  };
  return chargedOnce(["witness", a, b], search, null);
}

function withinLimits<T>(compute: () => T, fallback: T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof TooLarge) return fallback;
    throw error;
  }
}

function relation(a: Expression, b: Expression, effort: Effort): Coverage {
  const formulas = formulasOf([a, b], effort);
  const isEmpty = (sides: Sides) => region(formulas, sides) === FALSE;
  const [onlyA, onlyB] = [isEmpty([true, false]), isEmpty([false, true])];
  if (onlyA && onlyB) return "equal";
  if (onlyA) return "subset";
  if (onlyB) return "superset";
  if (isEmpty([true, true])) return "disjoint";
  const regions: readonly Sides[] = [
    [true, false],
    [false, true],
    [true, true],
  ];
  return regions.every((sides) => find(formulas, [a, b], sides) !== null) ? "overlaps" : "unknown";
}

/** Whether `a` and whether `b` should match. */
type Sides = readonly [a: boolean, b: boolean];

function region(
  { diagram, nodes: [a = FALSE, b = FALSE], always }: Formulas,
  [wantedA, wantedB]: Sides,
): number {
  const side = (node: number, matches: boolean) => (matches ? node : diagram.combine("xor", node, TRUE));
  return diagram.combine("and", always, diagram.combine("and", side(a, wantedA), side(b, wantedB)));
}

function find(formulas: Formulas, trees: readonly Expression[], sides: Sides): Values | null {
  return exampleIn(formulas, trees, region(formulas, sides), ([a, b]) => a === sides[0] && b === sides[1]);
}

/**
 * Whether no request matches both expressions, because they need different texts, or different starts, of one field.
 * `coverage` finds other differences and takes far longer. False: they may have requests in common.
 */
export function areApart(a: string, b: string): boolean {
  return startsIn(a).some((startOfA) =>
    startsIn(b).some((startOfB) => startOfA.field === startOfB.field && !meet(startOfA, startOfB)),
  );
}

/** The start of a field, or its whole text, that every matching request has. */
interface Start {
  /** With its indexes. */
  readonly field: string;
  readonly text: Bytes;
  readonly isWhole: boolean;
}

const startsIn = rememberedText((text): readonly Start[] => {
  const parsed = parsedExpression(text);
  return parsed.ok ? startsOf(parsed.tree) : [];
});

function startsOf(tree: Expression): readonly Start[] {
  if (tree.as === "and") return tree.items.flatMap(startsOf);
  const question = tree.as === "comparison" ? questionOf(tree) : null;
  if (question === null || question.through.length > 0 || question.of.as !== "field") return [];
  const { of, asks } = question;
  const field = JSON.stringify([of.name, of.indexes]);
  if (asks.as === "starts_with") return [{ field, text: asks.text, isWhole: false }];
  if (asks.as !== "order" || asks.operator !== "eq" || asks.right.type !== "Bytes") return [];
  return [{ field, text: asks.right.value, isWhole: true }];
}

function meet(a: Start, b: Start): boolean {
  const [longer, shorter] = a.text.length >= b.text.length ? [a, b] : [b, a];
  return longer.text.startsWith(shorter.text) && (!shorter.isWhole || longer.text === shorter.text);
}
