import type { Budget } from "../budget.js";
import { createAutomaton, type RegexState } from "../regex/automaton.js";
import type { ByteGroups } from "../regex/byte-groups.js";
import { compiled } from "../regex/compile.js";
import type { Bytes } from "../tree.js";
import type { Automaton } from "./automaton.js";
import { TooLarge } from "./diagram.js";

/**
 * Strings in which a regular expression is found; null for one that is too long or not known in full.
 *
 * @param isLoose without the bounds of long repetitions: more strings are accepted then
 */
export function matching(pattern: Bytes, budget: Budget, isLoose = false): Automaton | null {
  const program = compiled(pattern, budget, isLoose);
  if (program === null || program.steps.length > MOST_STEPS) return null;
  const automaton = createAutomaton(program, MOST_STATES, budget);
  const states: RegexState[] = [];
  const numberOf = (state: RegexState): number => {
    if (state.number === null) throw new TooLarge();
    states[state.number] = state;
    return state.number;
  };
  const stateOf = (number: number): RegexState => states[number] ?? automaton.found;
  return {
    start: numberOf(automaton.start),
    step: (state, byte) => numberOf(automaton.step(stateOf(state), byte)),
    accepts: (state) => automaton.isFoundAtEnd(stateOf(state)),
    bytes: toldApart(program.groups),
    isOrdered: false,
  };
}

const MOST_STEPS = 1500;
const MOST_STATES = 1000;

/** All bytes but those of the largest group that nothing tells from each other. */
function toldApart({ of }: ByteGroups): Bytes {
  const groups: number[][] = [];
  for (const [byte, group] of of.entries()) groups[group] = [...(groups[group] ?? []), byte];
  const [, ...others] = groups.sort((a, b) => b.length - a.length);
  return String.fromCharCode(...others.flat());
}
