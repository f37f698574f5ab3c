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
  for (const text of [a, b]) requireText(text, "An expression");
  return chargedOnce(["coverage", a, b], () => known(JSON.stringify([a, b])), "unknown");
}

/** A plan compares the same two in many places, and the zones of a fleet share their expressions. */
const known = rememberedText((both): { readonly value: Coverage; readonly work: number } => {
  const [a = "", b = ""] = JSON.parse(both) as readonly string[]; // it is made above
  const [treeA, treeB] = [parsedExpression(a), parsedExpression(b)];
  const work = textWork(a, b);
  if (!treeA.ok || !treeB.ok) return { value: normalise(a) === normalise(b) ? "equal" : "unknown", work };
  const effort = newEffort();
  const value = coverageOfTrees(treeA.tree, treeB.tree, effort);
  return { value, work: work + workOf(effort.budget) };
});

/** What a question costs that needs no search. */
function textWork(a: string, b: string): number {
  return (a.length + b.length) * CHAR_WORK;
}

const CHAR_WORK = 100;

function coverageOfTrees(a: Expression, b: Expression, effort: Effort): Coverage {
  // Always in the same order: how far the search for a witness comes may depend on it.
  if (canonicalNode(a) > canonicalNode(b)) return MIRRORED[coverageOfTrees(b, a, effort)];
  return bounded(() => relation(a, b, effort), "unknown");
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
  const [treeA, treeB] = [parsedExpression(a), parsedExpression(b)];
  if (!treeA.ok || !treeB.ok) return null;
  const trees = { a: treeA.tree, b: treeB.tree };
  const search = () => {
    const effort = newEffort();
    const value = bounded(() => find(formulasOf(trees.a, trees.b, effort), trees, [true, false]), null);
    return { value, work: textWork(a, b) + workOf(effort.budget) };
  };
  return chargedOnce(["witness", a, b], search, null);
}

function bounded<T>(compute: () => T, otherwise: T): T {
  try {
    return compute();
  } catch (error) {
    if (error instanceof TooLarge) return otherwise;
    throw error;
  }
}

function relation(a: Expression, b: Expression, effort: Effort): Coverage {
  const formulas = formulasOf(a, b, effort);
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
    const request = values === null ? null : consistentValues(values, asked);
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

type Filled = Record<string, unknown>;

/** Values of a request, where they can be written down; null where they cannot. */
function requestWith(values: readonly (readonly [of: Value | null, seen: Seen])[]): Filled | null {
  const request: Filled = {};
  const listsLast = [...values].sort(([, a], [, b]) => Number(isItems(a)) - Number(isItems(b)));
  for (const [of, seen] of listsLast) {
    const text = textOf(seen);
    if (of?.as !== "field" || text === undefined) continue;
    const filled = fill(request[of.name], of.indexes, text);
    if (filled === undefined) return null;
    request[of.name] = filled;
  }
  return request;
}

/** As a caller gives it; null is a missing value. */
function textOf(seen: Seen): unknown {
  if (isItems(seen)) return seen.map(textOf);
  if (seen === null || typeof seen === "boolean") return seen;
  if (typeof seen === "string") return fromBytes(seen) ?? undefined;
  if (typeof seen === "bigint") return Number.isSafeInteger(Number(seen)) ? Number(seen) : seen;
  return isIp(seen) ? formatIp(seen) : undefined;
}

/** Undefined where another value stands in the way. A missing key needs its map, but not itself. */
function fill(before: unknown, indexes: readonly Index[], value: unknown): unknown {
  const [index, ...rest] = indexes;
  if (index === undefined)
    return value === null ? undefined : before === undefined ? value : longer(before, value);
  if (index.as === "each") return undefined;
  if (index.as === "key") {
    const map = before === undefined ? {} : asMap(before);
    if (map === null) return undefined;
    if (value === null && !Object.hasOwn(map, index.key)) return map;
    return define(map, index.key, fill(own(map, index.key), rest, value));
  }
  const list = before === undefined ? [] : asList(before);
  if (list === null || index.at > MAX_INDEX) return undefined;
  if (value === null) return list.length > index.at ? undefined : list;
  const padded = [...list, ...Array<string>(Math.max(0, index.at - list.length)).fill("")];
  const inner = fill(list.length > index.at ? list[index.at] : undefined, rest, value);
  return inner === undefined ? undefined : padded.toSpliced(index.at, 1, inner);
}

const MAX_INDEX = 64;

/** Elements that a list should have may follow those that stand at an index. */
function longer(before: unknown, value: unknown): unknown {
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : undefined;
}

function asMap(value: unknown): object | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function own(map: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(map, key)?.value;
}

/** In place: a map may have thousands of keys. A plain assignment to `__proto__` would be none. */
function define(map: object, key: string, value: unknown): object | undefined {
  if (value === undefined) return undefined;
  return Object.defineProperty(map, key, { value, configurable: true, enumerable: true, writable: true });
}

/**
 * Whether no request matches both expressions, as they ask for different texts, or different starts, of one field.
 * `coverage` works out what else tells them apart, and takes far longer. False: they may have requests in common.
 */
export function areApart(a: string, b: string): boolean {
  return startsIn(a).some((one) =>
    startsIn(b).some((other) => one.field === other.field && !meet(one, other)),
  );
}

/** What a field has to begin with, or to be, wherever an expression matches. */
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

function meet(one: Start, other: Start): boolean {
  const [longer, shorter] = one.text.length >= other.text.length ? [one, other] : [other, one];
  return longer.text.startsWith(shorter.text) && (!shorter.isWhole || longer.text === shorter.text);
}
