import { requireText } from "../../model/arguments.js";
import { rememberedText } from "../../model/remembered.js";
import { chargedOnce } from "../../model/work-budget.js";
import { parsedExpression } from "../parse/parse.js";
import { canonicalNode, normalise } from "../spelling/canonical.js";
import type { Bytes, Expression } from "../tree.js";
import { questionOf } from "./questions.js";
import { type Regions, withRegions, withRegionsOf } from "./regions.js";

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
  return chargedOnce(["coverage", a, b], () => coverageOf(a, b), "unknown");
}

function coverageOf(a: string, b: string): { readonly value: Coverage; readonly work: number } {
  const [treeA, treeB] = [parsedExpression(a), parsedExpression(b)];
  if (!treeA.ok || !treeB.ok)
    return { value: normalise(a) === normalise(b) ? "equal" : "unknown", work: textWork(a, b) };
  // The order is always the same, because the search for a witness may depend on it.
  const isSwapped = canonicalNode(treeA.tree) > canonicalNode(treeB.tree);
  const [first, second] = isSwapped ? [b, a] : [a, b];
  const { value, work } = withRegions([first, second], (regions) => relation(first, second, regions));
  const found = value ?? "unknown";
  return { value: isSwapped ? MIRRORED[found] : found, work: textWork(a, b) + work };
}

/** The cost of a question without a search. */
function textWork(a: string, b: string): number {
  return (a.length + b.length) * CHAR_WORK;
}

const CHAR_WORK = 100;

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
  return withRegionsOf(new Map([[WHOLE, tree]]), ({ matching, all, none }) => {
    const region = matching(WHOLE);
    return region === none ? false : region === all ? true : null;
  }).value;
}

const WHOLE = "the expression";

/** A request that `a` matches and `b` does not, or null if none is found. Null does not prove that none exists. */
export function witness(a: string, b: string): Record<string, unknown> | null {
  if (![a, b].every((text) => parsedExpression(text).ok)) return null;
  const search = () => {
    const { value, work } = withRegions([a, b], ({ matching, without, example }) =>
      example(without(matching(a), matching(b))),
    );
    return { value, work: textWork(a, b) + work };
  };
  return chargedOnce(["witness", a, b], search, null);
}

function relation(a: string, b: string, { matching, without, both, none, example }: Regions): Coverage {
  const [ofA, ofB] = [matching(a), matching(b)];
  const [onlyA, onlyB, common] = [without(ofA, ofB), without(ofB, ofA), both(ofA, ofB)];
  if (onlyA === none) return onlyB === none ? "equal" : "subset";
  if (onlyB === none) return "superset";
  if (common === none) return "disjoint";
  return [onlyA, onlyB, common].every((region) => example(region) !== null) ? "overlaps" : "unknown";
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
