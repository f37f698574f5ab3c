import { BOOL, BOOLS, isSameType, type Type } from "../tables/types.js";
import type { Argument, Combination, Expression } from "../tree.js";
import { parseArgument } from "./argument.js";
import { parseComparison } from "./comparison.js";
import { nextConnective } from "./operator.js";
import { deeper, expect, type Reader, readIf, refuse, skipSpace } from "./reader.js";
import { afterSpace } from "./whitespace.js";

export interface Typed {
  readonly expression: Expression;
  readonly type: Type;
}

/** `not` before `and` before `xor` before `or`. */
export function parseLogic(reader: Reader): Typed {
  return parseMore(reader, parseSimple(reader), 0);
}

interface Operand extends Typed {
  /**
   * The items of a combination that goes on as long as the same word follows: `a and b and c` is one combination, but
   * `(a and b) and c` are two.
   */
  readonly open: Expression[] | null;
}

/** Combines what was read with all that follows and binds at least as tightly. */
function parseMore(reader: Reader, first: Operand, leastRank: number): Operand {
  let left = first;
  for (
    let next = nextConnective(reader);
    next !== null && next.rank >= leastRank;
    next = nextConnective(reader)
  ) {
    reader.at = next.end;
    let right = parseSimple(reader);
    let after = nextConnective(reader);
    for (; after !== null && after.rank > next.rank; after = nextConnective(reader)) {
      right = parseMore(reader, right, after.rank);
    }
    if (left.type.is !== right.type.is) {
      refuse(reader, { code: "mixed_operands", left: left.type, right: right.type }, after?.end ?? reader.at);
    }
    left = combine(next.as, left, right);
  }
  return left;
}

function combine(as: Combination["as"], left: Operand, right: Operand): Operand {
  const { expression, type } = left;
  const goesOn = left.open !== null && expression.as === as;
  const items = goesOn ? left.open : [expression];
  items.push(right.expression);
  const place = { start: expression.start, end: right.expression.end };
  return { expression: { as, items, ...place }, type, open: items };
}

function parseSimple(reader: Reader): Operand {
  const { text, at: start } = reader;
  if (text[start] === "(") return parseGroup(reader);
  if (readIf(reader, "not") || readIf(reader, "!")) return parseNegation(reader, start);
  const quantifier = quantifierAt(text, start);
  if (quantifier !== null) return parseQuantifier(reader, quantifier);
  return { ...parseComparison(reader), open: null };
}

function parseGroup(reader: Reader): Operand {
  deeper(reader, reader.at);
  reader.at += 1;
  skipSpace(reader);
  const inner = parseLogic(reader);
  skipSpace(reader);
  expect(reader, ")");
  reader.depth -= 1;
  return { ...inner, open: null };
}

function parseNegation(reader: Reader, start: number): Operand {
  deeper(reader, start);
  skipSpace(reader);
  const { expression: item, type } = parseSimple(reader);
  reader.depth -= 1;
  return { expression: { as: "not", item, start, end: reader.at }, type, open: null };
}

/** `any` and `all`, if a parenthesis follows. */
export function quantifierAt(text: string, at: number): "any" | "all" | null {
  const word = text.slice(at, at + 3);
  if (word !== "any" && word !== "all") return null;
  return text[afterSpace(text, at + 3)] === "(" ? word : null;
}

function parseQuantifier(reader: Reader, as: "any" | "all"): Operand {
  const start = reader.at;
  reader.at += as.length;
  skipSpace(reader);
  deeper(reader, reader.at);
  expect(reader, "(");
  skipSpace(reader);
  const inside = reader.at;
  const { argument, type } = parseArgument(reader);
  if (argument.as === "literal" || !isSameType(type, BOOLS)) {
    refuse(reader, { code: "expected_list", quantifier: as, type }, inside, reader.at);
  }
  if (argument.as === "value") reader.spellings.push("bare");
  const item = expressionOf(argument, inside, reader.at);
  skipSpace(reader);
  expect(reader, ")");
  reader.depth -= 1;
  return { expression: { as, item, start, end: reader.at }, type: BOOL, open: null };
}

function expressionOf(
  argument: Exclude<Argument, { as: "literal" }>,
  start: number,
  end: number,
): Expression {
  if (argument.as === "expression") return argument.expression;
  return { as: "comparison", left: argument.value, test: { as: "is_true" }, start, end };
}
