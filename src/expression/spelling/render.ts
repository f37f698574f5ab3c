import type { Argument, Combination, Expression, Index, Test, Value } from "../tree.js";
import { renderBytes, renderKey, renderLiteral, renderRange, renderRegex } from "./render-literal.js";

/** An expression in one spelling: English operators, strings in quotes, parentheses only where they are needed. */
export function render(expression: Expression): string {
  switch (expression.as) {
    case "and":
    case "xor":
    case "or":
      return expression.items.map((item) => renderItem(item, expression.as)).join(` ${expression.as} `);
    case "not":
      return `not ${isCombination(expression.item) ? grouped(expression.item) : render(expression.item)}`;
    case "any":
    case "all":
      // Inside these only what begins with a parenthesis or a `not` may be more than one comparison.
      return `${expression.as}(${isCombination(expression.item) ? grouped(expression.item) : render(expression.item)})`;
    case "comparison":
      return `${renderValue(expression.left)}${renderTest(expression.test)}`;
  }
}

const RANKS = { or: 1, xor: 2, and: 3 } as const;

/** A combination of the same kind keeps its parentheses too: without them it would become part of the outer one. */
function renderItem(item: Expression, outer: Combination["as"]): string {
  return isCombination(item) && RANKS[item.as] <= RANKS[outer] ? grouped(item) : render(item);
}

function isCombination(expression: Expression): expression is Combination {
  return expression.as in RANKS;
}

function grouped(expression: Expression): string {
  return `(${render(expression)})`;
}

function renderValue(value: Value): string {
  const args = value.as === "call" ? `(${value.args.map(renderArgument).join(", ")})` : "";
  return `${value.name}${args}${value.indexes.map(renderIndex).join("")}`;
}

function renderIndex(index: Index): string {
  switch (index.as) {
    case "each":
      return "[*]";
    case "key":
      return `[${renderKey(index.key)}]`;
    case "at":
      return `[${index.at}]`;
  }
}

/** A value alone would be read as a value and not as an expression. */
function renderArgument(argument: Argument): string {
  switch (argument.as) {
    case "value":
      return renderValue(argument.value);
    case "literal":
      return renderLiteral(argument.literal);
    case "expression": {
      const { expression } = argument;
      const isValue = expression.as === "comparison" && expression.test.as === "is_true";
      return isValue || isCombination(expression) ? grouped(expression) : render(expression);
    }
  }
}

function renderTest(test: Test): string {
  switch (test.as) {
    case "is_true":
      return "";
    case "order":
      return ` ${test.operator} ${renderLiteral(test.right)}`;
    case "bits":
      return ` & ${test.right}`;
    case "in":
      return ` in {${test.ranges.map(renderRange).join(" ")}}`;
    case "in_list":
      return ` in $${test.name}`;
    case "contains":
      return ` contains ${renderBytes(test.right)}`;
    case "matches":
      return ` matches ${renderRegex(test.pattern)}`;
    case "wildcard":
      return ` ${test.caseless ? "wildcard" : "strict wildcard"} ${renderBytes(test.pattern)}`;
  }
}
