import { rememberedObject } from "../../model/remembered.js";
import { type Budget, newBudget, spend } from "../budget.js";
import { createAutomaton, isFound, type RegexAutomaton } from "../regex/automaton.js";
import { compiledPattern } from "../regex/compile.js";
import type { Bytes, Ip, Literal, Order, Range, Test } from "../tree.js";
import { isIp, type Known, type Seen, type Truth, toLower } from "../value.js";

/**
 * Whether a comparison holds for one value. Every comparison with a missing value is false, even `ne`: so the service's
 * documentation says, while its open-source engine alone would take `ne` as true.
 */
export function compare(value: Seen, test: Test, { budget, matches }: Effort): Truth {
  if (test.as === "value") return "unknown";
  if (value === null) return false;
  if (value === undefined || test.as === "in_list") return "unknown";
  if (!spend(budget, workOf(value, test))) return "unknown";
  switch (test.as) {
    case "is_true":
      return typeof value === "boolean" ? value : "unknown";
    case "order":
      return compareOrder(value, test.operator, test.right);
    case "in":
      return membersOf(test.ranges)(value);
    case "bits":
      return typeof value === "bigint" ? (BigInt.asIntN(64, value) & test.right) !== 0n : "unknown";
    case "contains":
      return typeof value === "string" ? value.includes(test.right) : "unknown";
    case "matches":
      return typeof value === "string" ? matches(test.pattern, value) : "unknown";
    case "wildcard":
      return typeof value === "string" ? matchesWildcard(test, value) : "unknown";
  }
}

/** The work of `matches` is counted in its own search. */
function workOf(value: Known, test: Test): number {
  const length = typeof value === "string" ? value.length : 0;
  switch (test.as) {
    case "contains":
      return COMPARISON_WORK + searchWork(length, test.right.length);
    case "wildcard":
      return COMPARISON_WORK + PATTERN_WORK * test.pattern.length + searchWork(length, test.pattern.length);
    default:
      return COMPARISON_WORK;
  }
}

const COMPARISON_WORK = 10;
const PATTERN_WORK = 20;

/** Nearly equal texts are compared byte by byte at each position, which is fast but not free. */
function searchWork(length: number, sought: number): number {
  return Math.ceil((length * (sought + SHORT)) / 64);
}

const SHORT = 16;

/** By the order of two values: -1, 0 or 1. Null: addresses of two families, for which only `ne` is true. */
const ORDERS: { readonly [operator in Order]: (order: number | null) => boolean } = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order === -1,
  le: (order) => order === -1 || order === 0,
  gt: (order) => order === 1,
  ge: (order) => order === 1 || order === 0,
};

export function holdsFor(operator: Order, order: number | null): boolean {
  return ORDERS[operator](order);
}

function compareOrder(value: Known, operator: Order, right: Literal): Truth {
  const left = sameType(value, right.type);
  return left === undefined ? "unknown" : holdsFor(operator, orderOf(left, right.value));
}

type Scalar = string | bigint | Ip;

function sameType(value: Known, type: Literal["type"]): Scalar | undefined {
  switch (type) {
    case "Bytes":
      return typeof value === "string" ? value : undefined;
    case "Int":
      return typeof value === "bigint" ? value : undefined;
    case "Ip":
      return isIp(value) ? value : undefined;
  }
}

function orderOf(left: Scalar, right: Scalar): number | null {
  if (typeof left === "object" && typeof right === "object") {
    return left.version === right.version ? orderOf(left.bits, right.bits) : null;
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether the whole value matches a pattern of `wildcard` or `strict wildcard`. */
function matchesWildcard(
  test: { readonly pattern: Bytes; readonly caseless: boolean },
  value: Bytes,
): boolean {
  const texts = wildcardTexts(test.caseless ? toLower(test.pattern) : test.pattern);
  return fits(texts, test.caseless ? toLower(value) : value);
}

/** The texts between the stars of a pattern, without its escapes. */
export function wildcardTexts(pattern: Bytes): readonly Bytes[] {
  const texts: Bytes[] = [];
  let text = "";
  for (const [token] of pattern.matchAll(/\\.|./gs)) {
    if (token === "*") {
      texts.push(text);
      text = "";
    } else text += token.length === 2 ? token.slice(1) : token;
  }
  return [...texts, text];
}

/** The earliest match of each middle text leaves most room for the next. */
function fits(texts: readonly Bytes[], value: Bytes): boolean {
  const [first = "", ...rest] = texts;
  const last = rest.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const text of rest) {
    const index = value.indexOf(text, at);
    if (index === -1) return false;
    at = index + text.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}

/** The budget of one answer, and its results so far. */
export interface Effort {
  readonly budget: Budget;
  readonly matches: Matches;
}

export function newEffort(): Effort {
  const budget = newBudget();
  return { budget, matches: matchingWithin(budget) };
}

/** Whether a regular expression of the service matches a value. "unknown": too large or not modelled. */
type Matches = (pattern: Bytes, value: Bytes) => Truth;

/** Compiled patterns are kept for later values, up to a number of states. */
export function matchingWithin(budget: Budget): Matches {
  const automata = new Map<Bytes, RegexAutomaton | null>();
  return (pattern, value) => {
    const cached = automata.get(pattern);
    const isUsable = cached !== undefined && (cached === null || cached.size() <= MOST_STATES);
    const automaton = isUsable ? cached : automatonOf(pattern, budget);
    automata.set(pattern, automaton);
    return automaton === null ? "unknown" : (isFound(automaton, value, budget) ?? "unknown");
  };
}

function automatonOf(pattern: Bytes, budget: Budget): RegexAutomaton | null {
  const program = compiledPattern(pattern, budget);
  return program === null ? null : createAutomaton(program, budget);
}

const MOST_STATES = 2000;

/**
 * Whether a value is in a set, which is sorted once. Sorting takes no work from a budget: whether an earlier expression has
 * sorted the set already depends on other zones, and reading the set's text takes longer.
 */
export const membersOf = rememberedObject((ranges: readonly Range[]): ((value: Known) => Truth) => {
  const texts = new Set(ranges.flatMap((each): Bytes[] => (each.type === "Bytes" ? [each.value] : [])));
  const numbers = within(ranges.flatMap((each) => (each.type === "Int" ? [each] : [])));
  const addresses = { 4: within(stretchesOf(ranges, 4)), 6: within(stretchesOf(ranges, 6)) };
  return (value) => {
    if (typeof value === "string") return texts.has(value);
    if (typeof value === "bigint") return numbers(value);
    return isIp(value) ? addresses[value.version](value.bits) : "unknown";
  };
});

interface Stretch {
  readonly from: bigint;
  readonly to: bigint;
}

function stretchesOf(ranges: readonly Range[], version: Ip["version"]): readonly Stretch[] {
  return ranges.flatMap((each) =>
    each.type === "Ip" && each.from.version === version ? [{ from: each.from.bits, to: each.to.bits }] : [],
  );
}

/** Of all ranges that start at or before a number, the one with the last end decides. */
function within(stretches: readonly Stretch[]): (value: bigint) => boolean {
  const sorted = [...stretches].sort((a, b) => (a.from < b.from ? -1 : 1));
  let furthest = -1n;
  const ends = sorted.map(({ to }, index) => {
    furthest = index === 0 || to > furthest ? to : furthest;
    return furthest;
  });
  return (value) => {
    const end = ends[countUpTo(sorted, value) - 1];
    return end !== undefined && value <= end;
  };
}

/** The number of stretches that start at or before the value. */
function countUpTo(sorted: readonly Stretch[], value: bigint): number {
  let least = 0;
  let most = sorted.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    const from = sorted[middle]?.from;
    if (from !== undefined && from <= value) least = middle + 1;
    else most = middle;
  }
  return least;
}
