import type { Budget } from "../budget.js";
import { createAutomaton, type RegexAutomaton } from "../regex/automaton.js";
import { compiled } from "../regex/compile.js";
import { isFound } from "../regex/search.js";
import type { Bytes } from "../tree.js";
import type { Truth } from "./truth.js";

/** Whether a regular expression of the service is found in a value. "unknown" for what is too large or not modelled. */
export type Matches = (pattern: Bytes, value: Bytes) => Truth;

/** What is worked out for one value serves the next ones with the same pattern. */
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
