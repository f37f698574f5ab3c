import { type Budget, newBudget, spend } from "../budget.js";
import { createAutomaton, isFound, type RegexAutomaton } from "../regex/automaton.js";
import { compiled } from "../regex/compile.js";

import type { Bytes, Ip, Range } from "../tree.js";
import { isIp, type Known, type Truth } from "./value.js";

/** The budget of one answer, and what was computed for it so far. */
export interface Effort {
  readonly budget: Budget;
  readonly matches: Matches;
  readonly isMember: IsMember;
}

export function newEffort(): Effort {
  const budget = newBudget();
  return { budget, matches: matchingWithin(budget), isMember: membershipWithin(budget) };
}

/** Whether a regular expression of the service is found in a value. "unknown" for what is too large or not modelled. */
type Matches = (pattern: Bytes, value: Bytes) => Truth;

/** Compiled patterns are kept: later values with the same pattern reuse them. */
export function matchingWithin(budget: Budget): Matches {
  const automata = new Map<Bytes, RegexAutomaton | null>();
  return (pattern, value) => {
    const known = automata.get(pattern);
    const automaton = known === undefined ? automatonOf(pattern, budget) : known;
    automata.set(pattern, automaton);
    return automaton === null ? "unknown" : (isFound(automaton, value, budget) ?? "unknown");
  };
}

function automatonOf(pattern: Bytes, budget: Budget): RegexAutomaton | null {
  const program = compiled(pattern, budget);
  return program === null ? null : createAutomaton(program, MOST_STATES, budget);
}

const MOST_STATES = 2000;

/** Whether a value is one of a set's. Each set is sorted once, as it may be asked of many values. */
type IsMember = (value: Known, ranges: readonly Range[]) => Truth;

export function membershipWithin(budget: Budget): IsMember {
  const sets = new Map<readonly Range[], Members>();
  return (value, ranges) => {
    const members = sets.get(ranges) ?? membersOf(ranges, budget);
    sets.set(ranges, members);
    return members(value);
  };
}

type Members = (value: Known) => Truth;

function membersOf(ranges: readonly Range[], budget: Budget): Members {
  if (!spend(budget, ranges.length * RANGE_WORK)) return () => "unknown";
  const texts = new Set(ranges.flatMap((each): Bytes[] => (each.type === "Bytes" ? [each.value] : [])));
  const numbers = within(ranges.flatMap((each) => (each.type === "Int" ? [each] : [])));
  const addresses = { 4: within(stretchesOf(ranges, 4)), 6: within(stretchesOf(ranges, 6)) };
  return (value) => {
    if (typeof value === "string") return texts.has(value);
    if (typeof value === "bigint") return numbers(value);
    return isIp(value) ? addresses[value.version](value.bits) : "unknown";
  };
}

const RANGE_WORK = 40;

interface Stretch {
  readonly from: bigint;
  readonly to: bigint;
}

function stretchesOf(ranges: readonly Range[], version: Ip["version"]): readonly Stretch[] {
  return ranges.flatMap((each) =>
    each.type === "Ip" && each.from.version === version ? [{ from: each.from.bits, to: each.to.bits }] : [],
  );
}

/** Of all ranges that start at or before a number, the one that ends last decides. */
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

/** How many of them start at the number or before it. */
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
