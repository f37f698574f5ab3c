import { requireText } from "../../model/arguments.js";
import { chargedOnce } from "../../model/comparing.js";
import { rememberedText } from "../../model/remembered.js";
import { spend, workOf } from "../budget.js";
import { type Effort, newEffort } from "../evaluate/compare.js";
import { evaluateTree } from "../evaluate/evaluate.js";
import { formatIp } from "../ip.js";
import { parsedExpression } from "../parse/parse.js";
import { canonicalNode, normalise } from "../spelling/canonical.js";
import type { Bytes, Expression, Index, Value } from "../tree.js";
import { fromBytes, isIp, isItems, type Seen } from "../value.js";
import { fieldsOf } from "../visit.js";
import { partsOf } from "./address.js";
import { consistentValues, type Values } from "./consistent-values.js";
import { TooLarge } from "./diagram.js";
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
    const formulas = formulasOf(tree, tree);
    if (region(formulas, [true, true]) === 0) return false;
    return region(formulas, [false, false]) === 0 ? true : null;
  }, null);
}

/**
 * A request that `a` matches and `b` does not, or null if none is found. Null does not prove that none exists.
 */
export function witness(a: string, b: string): Record<string, unknown> | null {
  const [treeA, treeB] = [parsedExpression(a), parsedExpression(b)];
  if (!treeA.ok || !treeB.ok) return null;
  const trees = { a: treeA.tree, b: treeB.tree };
  const search = () => {
    const effort = newEffort();
    const value = withinLimits(() => find(formulasOf(trees.a, trees.b, effort), trees, [true, false]), null);
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
  const formulas = formulasOf(a, b, effort);
  const isEmpty = (sides: Sides) => region(formulas, sides) === 0;
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
  return regions.every((sides) => find(formulas, { a, b }, sides) !== null) ? "overlaps" : "unknown";
}

/** Whether `a` and whether `b` should match. */
type Sides = readonly [a: boolean, b: boolean];

function region({ diagram, a, b, always }: Formulas, [wantedA, wantedB]: Sides): number {
  const side = (node: number, matches: boolean) => (matches ? node : diagram.combine("xor", node, 1));
  return diagram.combine("and", always, diagram.combine("and", side(a, wantedA), side(b, wantedB)));
}

/**
 * A path through the diagram does not prove that a request exists: cells may have no example, and dependent fields may
 * not fit together. So a witness needs consistent values and is evaluated.
 */
function find(
  formulas: Formulas,
  trees: { readonly a: Expression; readonly b: Expression },
  sides: Sides,
): Values | null {
  const { variables, effort } = formulas;
  const fieldNames = fieldNamesIn([trees.a, trees.b]);
  let tries = 0;
  for (const way of formulas.diagram.ways(region(formulas, sides))) {
    tries += 1;
    if (tries > MAX_TRIES || !spend(effort.budget, variables.length * VALUE_WORK)) return null;
    const values = requestWith(
      variables.flatMap(({ of, cells }, index): readonly (readonly [Value | null, Seen])[] => {
        const example = cells.cells[way.get(index) ?? 0]?.example;
        if (of === null || "as" in of) return [[of, example]];
        return typeof example === "string" ? partsOf(example, of) : [];
      }),
    );
    const request = values === null ? null : consistentValues(values, fieldNames);
    if (request === null) continue;
    const matches = (tree: Expression) => evaluateTree(tree, request, effort);
    if (matches(trees.a) === sides[0] && matches(trees.b) === sides[1]) return request;
  }
  return null;
}

/** The names of the fields in the expressions. */
function fieldNamesIn(trees: readonly Expression[]): ReadonlySet<string> {
  return new Set(trees.flatMap(fieldsOf).map(({ name }) => name));
}

const MAX_TRIES = 64;
const VALUE_WORK = 100;

type Filled = Record<string, unknown>;

/** The values as a request. Null: they do not fit into one. */
function requestWith(values: readonly (readonly [of: Value | null, seen: Seen])[]): Filled | null {
  const request: Filled = {};
  const listsLast = [...values].sort(([, a], [, b]) => Number(isItems(a)) - Number(isItems(b)));
  for (const [of, value] of listsLast) {
    const text = textOf(value);
    if (of?.as !== "field" || text === undefined) continue;
    const filled = fill(request[of.name], of.indexes, text);
    if (filled === undefined) return null;
    request[of.name] = filled;
  }
  return request;
}

/** In the form that callers use. Null is a missing value. */
function textOf(value: Seen): unknown {
  if (isItems(value)) return value.map(textOf);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return fromBytes(value) ?? undefined;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return isIp(value) ? formatIp(value) : undefined;
}

/** Undefined: another value is in the way. A missing key needs its map, but not itself. */
function fill(before: unknown, indexes: readonly Index[], value: unknown): unknown {
  const [index, ...innerIndexes] = indexes;
  if (index === undefined)
    return value === null ? undefined : before === undefined ? value : longer(before, value);
  if (index.as === "each") return undefined;
  if (index.as === "key") {
    const map = before === undefined ? {} : asMap(before);
    if (map === null) return undefined;
    if (value === null && !Object.hasOwn(map, index.key)) return map;
    return define(map, index.key, fill(ownValue(map, index.key), innerIndexes, value));
  }
  const list = before === undefined ? [] : asList(before);
  if (list === null || index.at > MAX_INDEX) return undefined;
  if (value === null) return list.length > index.at ? undefined : list;
  const padded = [...list, ...Array<string>(Math.max(0, index.at - list.length)).fill("")];
  const inner = fill(list.length > index.at ? list[index.at] : undefined, innerIndexes, value);
  return inner === undefined ? undefined : padded.toSpliced(index.at, 1, inner);
}

const MAX_INDEX = 64;

/** More elements of a list may follow the elements with an index. */
function longer(before: unknown, value: unknown): unknown {
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : undefined;
}

function asMap(value: unknown): object | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function ownValue(map: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(map, key)?.value;
}

/** In place, because a map may have thousands of keys. A plain assignment to `__proto__` would not work. */
function define(map: object, key: string, value: unknown): object | undefined {
  if (value === undefined) return undefined;
  return Object.defineProperty(map, key, { value, configurable: true, enumerable: true, writable: true });
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
