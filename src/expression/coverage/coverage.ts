import { rememberedText } from "../../model/remembered.js";
import { spend } from "../budget.js";
import { evaluateTree } from "../evaluate/evaluate.js";
import type { Seen } from "../evaluate/value.js";
import { parse } from "../parse/parse.js";
import { canonicalNode } from "../spelling/canonical.js";
import { normalise } from "../spelling/normalise.js";
import type { Expression, Value } from "../tree.js";
import { fieldsOf } from "../visit.js";
import { partsOf } from "./address.js";
import { TooLarge } from "./diagram.js";
import { type Formulas, formulasOf } from "./formula.js";
import { requestWith } from "./request.js";
import { together, type Values } from "./together.js";

/**
 * How what one expression matches stands to what another one matches. "subset": the other matches all of it too;
 * whether it matches more is left open. "overlaps": each matches something that the other does not, and both match
 * something.
 */
export type Coverage = "equal" | "subset" | "superset" | "disjoint" | "overlaps" | "unknown";

/**
 * How what `a` matches stands to what `b` matches, over all requests. What is not certain is "unknown", as is whether
 * they overlap where that takes values of fields of which nobody here knows whether they go together.
 */
export function coverage(a: string, b: string): Coverage {
  return known(JSON.stringify([a, b]));
}

/** A plan asks of the same two in many places, and the zones of a fleet have the same ones over and over. */
const known = rememberedText((both): Coverage => {
  const [a = "", b = ""] = JSON.parse(both) as readonly string[]; // it is made above
  const [treeA, treeB] = [parse(a), parse(b)];
  if (treeA.ok && treeB.ok) return coverageOfTrees(treeA.tree, treeB.tree);
  return normalise(a) === normalise(b) ? "equal" : "unknown";
});

function coverageOfTrees(a: Expression, b: Expression): Coverage {
  // Always in the same order: how far the search for a witness comes may depend on it.
  if (canonicalNode(a) > canonicalNode(b)) return MIRRORED[coverageOfTrees(b, a)];
  return bounded(() => relation(a, b), "unknown");
}

const MIRRORED: { readonly [stands in Coverage]: Coverage } = {
  equal: "equal",
  subset: "superset",
  superset: "subset",
  disjoint: "disjoint",
  overlaps: "overlaps",
  unknown: "unknown",
};

/** Whether an expression matches all requests, or none; null where neither is certain. */
export function constantTruth(tree: Expression): boolean | null {
  return bounded(() => {
    const formulas = formulasOf(tree, tree);
    if (region(formulas, [true, true]) === 0) return false;
    return region(formulas, [false, false]) === 0 ? true : null;
  }, null);
}

/**
 * A request that `a` matches and `b` does not, by fields that go together; null where none is found, which is no proof
 * that there is none.
 */
export function witness(a: string, b: string): Record<string, unknown> | null {
  const [treeA, treeB] = [parse(a), parse(b)];
  if (!treeA.ok || !treeB.ok) return null;
  return bounded(
    () => find(formulasOf(treeA.tree, treeB.tree), { a: treeA.tree, b: treeB.tree }, [true, false]),
    null,
  );
}

function bounded<T>(compute: () => T, otherwise: T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof TooLarge) return otherwise;
    throw error;
  }
}

function relation(a: Expression, b: Expression): Coverage {
  const formulas = formulasOf(a, b);
  const isEmpty = (wanted: Wanted) => region(formulas, wanted) === 0;
  const [onlyA, onlyB] = [isEmpty([true, false]), isEmpty([false, true])];
  if (onlyA && onlyB) return "equal";
  if (onlyA) return "subset";
  if (onlyB) return "superset";
  if (isEmpty([true, true])) return "disjoint";
  const regions: readonly Wanted[] = [
    [true, false],
    [false, true],
    [true, true],
  ];
  return regions.every((wanted) => find(formulas, { a, b }, wanted) !== null) ? "overlaps" : "unknown";
}

/** Whether `a`, and whether `b` should match. */
type Wanted = readonly [a: boolean, b: boolean];

function region({ diagram, a, b, always }: Formulas, [wantedA, wantedB]: Wanted): number {
  const side = (node: number, wanted: boolean) => (wanted ? node : diagram.combine("xor", node, 1));
  return diagram.combine("and", always, diagram.combine("and", side(a, wantedA), side(b, wantedB)));
}

/**
 * That a region has a way in the diagram is no proof that a request is in it: cells may have no example, and values of
 * fields that depend on each other may not go together. It is a witness only if it can be, and evaluation says so.
 */
function find(
  formulas: Formulas,
  trees: { readonly a: Expression; readonly b: Expression },
  wanted: Wanted,
): Values | null {
  const { variables, effort } = formulas;
  const asked = askedIn([trees.a, trees.b]);
  let tries = 0;
  for (const way of formulas.diagram.ways(region(formulas, wanted))) {
    tries += 1;
    if (tries > MAX_TRIES || !spend(effort.budget, variables.length * VALUE_WORK)) return null;
    const values = requestWith(
      variables.flatMap(({ of, cells }, index): readonly (readonly [Value | null, Seen])[] => {
        const example = cells.cells[way.get(index) ?? 0]?.example;
        if (of === null || "as" in of) return [[of, example]];
        return typeof example === "string" ? partsOf(example, of) : [];
      }),
    );
    const request = values === null ? null : together(values, asked);
    if (request === null) continue;
    const matches = (tree: Expression) => evaluateTree(tree, request, effort);
    if (matches(trees.a) === wanted[0] && matches(trees.b) === wanted[1]) return request;
  }
  return null;
}

/** The names of the fields that expressions ask for. */
function askedIn(trees: readonly Expression[]): ReadonlySet<string> {
  return new Set(trees.flatMap(fieldsOf).map(({ name }) => name));
}

const MAX_TRIES = 64;
const VALUE_WORK = 100;
