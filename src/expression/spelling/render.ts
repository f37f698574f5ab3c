import { formatIp, ipLength, networkOf } from "../ip.js";
import { parsedExpression } from "../parse/parse.js";
import type {
  Argument,
  Bytes,
  Combination,
  Expression,
  Index,
  Ip,
  Literal,
  Range,
  Test,
  Value,
} from "../tree.js";
import { fromBytes, toBytes } from "../value.js";
import { normalise } from "./canonical.js";

/** An expression in one spelling: English operators, quoted strings, parentheses only where needed. */
export function render(expression: Expression): string {
  switch (expression.as) {
    case "and":
    case "xor":
    case "or":
      return expression.items.map((item) => renderItem(item, expression.as)).join(` ${expression.as} `);
    case "not":
      return `not ${isCombination(expression.item) ? inParentheses(expression.item) : render(expression.item)}`;
    case "any":
    case "all":
      // Inside these, only a text that begins with a parenthesis or `not` may be more than one comparison.
      return `${expression.as}(${isCombination(expression.item) ? inParentheses(expression.item) : render(expression.item)})`;
    case "comparison":
      return `${renderValue(expression.left)}${renderTest(expression.test)}`;
  }
}

const RANKS = { or: 1, xor: 2, and: 3 } as const;

/** A combination of the same kind keeps its parentheses: without them it would become part of the outer one. */
function renderItem(item: Expression, outer: Combination["as"]): string {
  return isCombination(item) && RANKS[item.as] <= RANKS[outer] ? inParentheses(item) : render(item);
}

function isCombination(expression: Expression): expression is Combination {
  return expression.as in RANKS;
}

function inParentheses(expression: Expression): string {
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

/** A bare value would be read as a value, not as an expression. */
function renderArgument(argument: Argument): string {
  switch (argument.as) {
    case "value":
      return renderValue(argument.value);
    case "literal":
      return renderLiteral(argument.literal);
    case "expression": {
      const { expression } = argument;
      const isValue = expression.as === "comparison" && expression.test.as === "is_true";
      return isValue || isCombination(expression) ? inParentheses(expression) : render(expression);
    }
  }
}

function renderTest(test: Test): string {
  switch (test.as) {
    case "is_true":
      return "";
    case "order":
      return ` ${test.operator} ${renderLiteral(test.right)}`;
    case "value":
      return ` ${test.operator} ${renderValue(test.right)}`;
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

function renderLiteral(literal: Literal): string {
  switch (literal.type) {
    case "Bytes":
      return renderBytes(literal.value);
    case "Int":
      return literal.value.toString();
    case "Ip":
      return formatIp(literal.value);
  }
}

function renderRange(range: Range): string {
  switch (range.type) {
    case "Bytes":
      return renderBytes(range.value);
    case "Int":
      return range.from === range.to ? `${range.from}` : `${range.from}..${range.to}`;
    case "Ip":
      return renderIps(range.from, range.to);
  }
}

/** A network if the addresses form one. */
function renderIps(from: Ip, to: Ip): string {
  if (from.bits === to.bits) return formatIp(from);
  const prefix = ipLength(from.version) - (to.bits - from.bits).toString(2).length;
  const isNetwork = networkOf(from, prefix)?.to.bits === to.bits;
  return isNetwork ? `${formatIp(from)}/${prefix}` : `${formatIp(from)}..${formatIp(to)}`;
}

function renderKey(key: string): string {
  return renderBytes(toBytes(key));
}

/** As text if the bytes are text, with escapes for invisible characters. Byte by byte otherwise. */
export function renderBytes(bytes: Bytes): string {
  const text = fromBytes(bytes);
  return `"${(text ?? bytes).replace(text === null ? /["\\]|[^ -~]/g : /["\\\0-\x1f\x7f]/g, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Quoted if possible, otherwise raw. In quotes, `\"` is only a quote and no escape. */
function renderRegex(pattern: Bytes): string {
  const text = fromBytes(pattern) ?? pattern;
  return quotedRegex(text) ?? rawString(text);
}

/** The pattern in quotes. Null: a quote would end the string, or an escape or class would change its meaning. */
function quotedRegex(pattern: string): string | null {
  let isInClass = false;
  for (const token of pattern.match(/\\[\s\S]|[\s\S]/g) ?? []) {
    if (token === "[") isInClass = true;
    else if (token === "]") isInClass = false;
    else if (token === '"' || token === '\\"') return null;
  }
  return isInClass ? null : `"${pattern}"`;
}

function rawString(text: string): string {
  const longest = Math.max(...[...text.matchAll(/"(#*)/g)].map(([, hashes = ""]) => hashes.length + 1), 0);
  const hashes = "#".repeat(longest);
  return `r${hashes}"${text}"${hashes}`;
}

/** An expression in one spelling for all texts with the same tree. An invalid text with collapsed whitespace. */
export function uniform(text: string): string {
  const parsed = parsedExpression(text);
  return parsed.ok ? render(parsed.tree) : normalise(text);
}
