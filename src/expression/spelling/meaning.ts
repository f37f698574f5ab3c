import type { Json } from "../../model/json.js";
import { parse } from "../parse/parse.js";
import type { Argument, Comparison, Expression, Test, Value } from "../tree.js";
import { exactNode } from "./canonical.js";
import { joined, literalOf } from "./join-ranges.js";
import { normalise } from "./normalise.js";

/**
 * What an expression means, for comparing: as `canonical`, and besides the same for what surely matches the same
 * requests. The order and repetition of elements of a set and of conditions, a set of one, ranges that touch, nested
 * conditions of one word and double negations make no difference. Old names of fields do: who replaces one wants that.
 */
export function meaning(text: string): Json {
  const parsed = parse(text);
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
  if (test.as !== "in") return test;
  const ranges = joined(test.ranges);
  const [only] = ranges;
  const single = only !== undefined && ranges.length === 1 ? literalOf(only) : null;
  return single === null ? { as: "in", ranges } : { as: "order", operator: "eq", right: single };
}
