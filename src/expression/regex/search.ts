import { type Budget, isSpent, spend } from "../budget.js";
import type { Bytes } from "../tree.js";
import type { RegexAutomaton } from "./automaton.js";

/** Whether a regular expression is found in a text; null where that takes more than the budget has left. */
export function isFound(automaton: RegexAutomaton, text: Bytes, budget: Budget): boolean | null {
  let state = automaton.start;
  for (let at = 0; at < text.length; at += 1) {
    if (state === automaton.found) return true;
    if (!spend(budget, 1)) return null;
    state = automaton.step(state, text.charCodeAt(at));
  }
  const isThere = automaton.isFoundAtEnd(state);
  return isSpent(budget) ? null : isThere;
}
