import { type Budget, isSpent, spend } from "../budget.js";
import type { Bytes } from "../tree.js";
import {
  add,
  type Compiled,
  eachInBoth,
  emptySet,
  FOUND,
  has,
  keep,
  keyOf,
  type StepSet,
  setOf,
} from "./compile.js";
import { holds, type Place } from "./tree.js";

/** Reads a text byte by byte, following all ways through a pattern at once; computed moves are kept. */
export interface RegexAutomaton {
  readonly start: RegexState;
  /** Once found, it stays found, whatever follows. */
  readonly found: RegexState;
  readonly step: (state: RegexState, byte: number) => RegexState;
  /** Whether the pattern is found if the text ends here. */
  readonly isFoundAtEnd: (state: RegexState) => boolean;
}

/** The steps that may come next, and how the byte before them looks to assertions; null at the start of the text. */
export interface RegexState {
  /** Equal states have the same one. Null where there are too many to remember. */
  readonly number: number | null;
  readonly reached: StepSet;
  readonly before: number | null;
  /** By group of bytes, as far as it was worked out. */
  readonly next: RegexState[];
}

/** The work goes off the budget; to stop when that is spent is up to the caller. */
export function createAutomaton(program: Compiled, mostStates: number, budget: Budget): RegexAutomaton {
  const { steps, start, groups } = program;
  const remembered = new Map<string, RegexState>();
  const alreadyFound = setOf(steps.length, (step) => step === FOUND);
  const found: RegexState = { number: 0, reached: alreadyFound, before: null, next: [] };

  const open: number[] = [];

  /** Adds a step and all that can be next without another byte. At no place, null, no assertion is asked. */
  const follow = (reached: StepSet, from: number, at: Place | null): void => {
    open.push(from);
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      budget.left -= 1;
      if (has(reached, each)) continue;
      add(reached, each);
      const step = steps[each];
      if (step?.as === "either") open.push(...step.next);
      else if (step?.as === "assert" && at !== null && holds(step.what, at)) open.push(step.next);
    }
  };

  /** An assertion that does not hold stays: it may at another place. */
  const reachedAt = ({ reached, before }: RegexState, after: number | null): StepSet => {
    const all = reached.slice();
    eachInBoth(reached, program.asserting, (each) => {
      const step = steps[each];
      const at = { before, after };
      if (step?.as === "assert" && holds(step.what, at)) follow(all, step.next, at);
    });
    return all;
  };

  /** The pattern may begin at any place. */
  const stateOf = (reached: StepSet, before: number | null): RegexState => {
    follow(reached, start, null);
    if (has(reached, FOUND)) return found;
    keep(reached, program.waiting);
    if (remembered.size === mostStates) return { number: null, reached, before, next: [] };
    spend(budget, STATE_WORK + reached.length * WORD_WORK);
    const key = `${before}:${keyOf(reached)}`;
    const state = remembered.get(key) ?? { number: remembered.size + 1, reached, before, next: [] };
    remembered.set(key, state);
    return state;
  };

  const takingIn = (group: number, byte: number): StepSet => {
    program.taking[group] ??= setOf(steps.length, (each) => {
      const step = steps[each];
      return step?.as === "byte" && step.of[byte] === 1;
    });
    return program.taking[group];
  };

  const move = (state: RegexState, group: number, byte: number): RegexState => {
    const reached = reachedAt(state, byte);
    if (has(reached, FOUND)) return found;
    spend(budget, MOVE_WORK + reached.length);
    const next = emptySet(steps.length);
    eachInBoth(reached, takingIn(group, byte), (each) => {
      const step = steps[each];
      if (step?.as === "byte") follow(next, step.next, null);
    });
    return stateOf(next, groups.see(byte));
  };

  const step = (state: RegexState, byte: number): RegexState => {
    const group = groups.of[byte] ?? 0;
    const known = state === found ? found : state.next[group];
    if (known !== undefined) return known;
    const next = move(state, group, byte);
    if (state.number !== null && next.number !== null) state.next[group] = next;
    return next;
  };

  return {
    start: stateOf(emptySet(steps.length), null),
    found,
    step,
    isFoundAtEnd: (state) => has(reachedAt(state, null), FOUND),
  };
}

/** What a move costs besides the steps that it leads to, and what it costs to remember a state, in looks at a step. */
const MOVE_WORK = 20;
const STATE_WORK = 100;
const WORD_WORK = 10;

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
