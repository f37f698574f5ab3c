import type { Json } from "../../model/json.js";
import { parsedExpression } from "../parse/parse.js";
import type { Argument, Comparison, Element, Expression, Literal, Test, Value } from "../tree.js";
import { exactNode, normalise } from "./canonical.js";

/**
 * The meaning of an expression, for comparisons: like `canonical`, and equal for more texts that surely match the same
 * requests. These make no difference: order and repetition in sets and conditions, a set of one, adjacent ranges,
 * nested conditions of one word, and double negations. Old field names do: replacing one is an intended change.
 */
export function meaning(text: string): Json {
  const parsed = parsedExpression(text);
  return parsed.ok ? JSON.parse(exactNode(simple(parsed.tree))) : normalise(text);
}

function simple(tree: Expression): Expression {
  switch (tree.as) {
    case "and":
    case "or":
    case "xor":
      return combination(tree.as, tree.items.map(simple), tree);
    case "not": {
      const item = simple(tree.item);
      return item.as === "not" ? item.item : { ...tree, item };
    }
    case "any":
    case "all":
      return { ...tree, item: simple(tree.item) };
    case "comparison":
      return { ...tree, left: simpleValue(tree.left), test: simpleTest(tree) };
  }
}

/** Conditions have no side effects, so their order means nothing. `a xor a` is not `a`. */
function combination(
  as: "and" | "or" | "xor",
  items: readonly Expression[],
  { start, end }: Expression,
): Expression {
  const flat = items.flatMap((item) => (item.as === as ? item.items : [item]));
  const keyed = flat.map((item) => [exactNode(item), item] as const);
  const distinct = as === "xor" ? keyed : [...new Map(keyed)];
  const sorted = distinct.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
  const [first] = sorted;
  return first !== undefined && sorted.length === 1 ? first : { as, items: sorted, start, end };
}

function simpleValue(value: Value): Value {
  return value.as === "field" ? value : { ...value, args: value.args.map(simpleArgument) };
}

function simpleArgument(argument: Argument): Argument {
  switch (argument.as) {
    case "value":
      return { ...argument, value: simpleValue(argument.value) };
    case "expression":
      return { ...argument, expression: simple(argument.expression) };
    case "literal":
      return argument;
  }
}

/** For a missing value, `in` and `eq` are both false. */
function simpleTest({ test }: Comparison): Test {
  if (test.as === "value") return { ...test, right: simpleValue(test.right) };
  if (test.as !== "in") return test;
  const ranges = mergeElements(test.ranges);
  const [only] = ranges;
  const single = only !== undefined && ranges.length === 1 ? literalOf(only) : null;
  return single === null ? { as: "in", ranges } : { as: "order", operator: "eq", right: single };
}

/** The elements of a set, sorted and unique. Overlapping or adjacent numbers and addresses become one. */
function mergeElements(elements: readonly Element[]): readonly Element[] {
  const merged: Element[] = [];
  for (const element of elements.toSorted(order)) {
    const last = merged.at(-1);
    const union = last === undefined ? null : together(last, element);
    if (union === null) merged.push(element);
    else merged[merged.length - 1] = union;
  }
  return merged;
}

/** The literal of an element with a single value. Null: it has several. */
function literalOf(element: Element): Literal | null {
  switch (element.type) {
    case "Bytes":
      return { type: "Bytes", value: element.value };
    case "Int":
      return element.from === element.to ? { type: "Int", value: element.from } : null;
    case "Ip":
      return element.from.bits === element.to.bits ? { type: "Ip", value: element.from } : null;
  }
}

function order(left: Element, right: Element): number {
  const [a, b] = [first(left), first(right)];
  if (left.type === "Ip" && right.type === "Ip" && left.from.version !== right.from.version) {
    return left.from.version - right.from.version;
  }
  return a === b ? 0 : a < b ? -1 : 1;
}

function first(element: Element): string | bigint {
  switch (element.type) {
    case "Bytes":
      return element.value;
    case "Int":
      return element.from;
    case "Ip":
      return element.from.bits;
  }
}

/** One element for both, if the second begins inside the first or right after it. Null: there is a gap. */
function together(before: Element, next: Element): Element | null {
  switch (before.type) {
    case "Bytes":
      return next.type === "Bytes" && next.value === before.value ? before : null;
    case "Int": {
      if (next.type !== "Int" || next.from > before.to + 1n) return null;
      const last = before.to > next.to ? before : next;
      return { ...before, to: last.to };
    }
    case "Ip": {
      if (next.type !== "Ip" || next.from.version !== before.from.version) return null;
      if (next.from.bits > before.to.bits + 1n) return null;
      const last = before.to.bits > next.to.bits ? before : next;
      return { ...before, to: last.to };
    }
  }
}
