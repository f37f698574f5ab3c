import type { Json } from "../../model/json.js";
import { parsedExpression } from "../parse/parse.js";
import type { Argument, Comparison, Element, Expression, Literal, Test, Value } from "../tree.js";
import { exactNode, normalise } from "./canonical.js";

/**
 * What an expression means, for comparing: as `canonical`, and besides the same for what surely matches the same
 * requests. The order and repetition of elements of a set and of conditions, a set of one, ranges that touch, nested
 * conditions of one word and double negations make no difference. Old names of fields do: who replaces one wants that.
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

/** Conditions have no side effects, so their order means nothing; `a xor a` is not `a`. */
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

/** Of a missing value `in` and `eq` are both false. */
function simpleTest({ test }: Comparison): Test {
  if (test.as === "value") return { ...test, right: simpleValue(test.right) };
  if (test.as !== "in") return test;
  const ranges = joined(test.ranges);
  const [only] = ranges;
  const single = only !== undefined && ranges.length === 1 ? literalOf(only) : null;
  return single === null ? { as: "in", ranges } : { as: "order", operator: "eq", right: single };
}

/** The elements of a set in one order, each once; numbers and addresses that overlap or follow each other are one. */
function joined(elements: readonly Element[]): readonly Element[] {
  const all: Element[] = [];
  for (const element of elements.toSorted(order)) {
    const last = all.at(-1);
    const both = last === undefined ? null : together(last, element);
    if (both === null) all.push(element);
    else all[all.length - 1] = both;
  }
  return all;
}

/** What an element stands for if that is one value. */
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

function order(one: Element, other: Element): number {
  const [a, b] = [first(one), first(other)];
  if (one.type === "Ip" && other.type === "Ip" && one.from.version !== other.from.version) {
    return one.from.version - other.from.version;
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

/** One element for both, if the second begins in the first one or right behind it; null if there is a gap. */
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
