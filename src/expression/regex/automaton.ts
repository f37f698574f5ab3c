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
import { type BytePlace, holds } from "./tree.js";

/** Reads a text byte by byte and follows all paths through a pattern at once. Computed moves are cached. */
export interface RegexAutomaton {
  readonly start: RegexState;
  /** A final state: a match stays a match, whatever follows. */
  readonly found: RegexState;
  readonly step: (state: RegexState, byte: number) => RegexState;
  /** Whether the pattern matches if the text ends here. */
  readonly isFoundAtEnd: (state: RegexState) => boolean;
}

/** The possible next steps, and the kind of the byte before them for assertions. Null: the start of the text. */
export interface RegexState {
  /** Equal states share a number. Null: there are too many to remember. */
  readonly number: number | null;
  readonly reached: StepSet;
  readonly before: number | null;
  /** By group of bytes, as far as computed. */
  readonly next: RegexState[];
}

/** Takes its work from the budget. The caller stops when the budget is spent. */
export function createAutomaton(program: Compiled, mostStates: number, budget: Budget): RegexAutomaton {
  const { steps, start, groups } = program;
  const states = new Map<string, RegexState>();
  const alreadyFound = setOf(steps.length, (step) => step === FOUND);
  const found: RegexState = { number: 0, reached: alreadyFound, before: null, next: [] };

  const open: number[] = [];

  /** Adds a step and all steps that need no further byte. Without a place, assertions are left open. */
  const follow = (reached: StepSet, from: number, at: BytePlace | null): void => {
    open.push(from);
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      budget.left -= 1;
      if (has(reached, each)) continue;
      add(reached, each);
      const step = steps[each];
      if (step?.as === "either") open.push(...step.next);
      else if (step?.as === "assert" && at !== null && holds(step.assertion, at)) open.push(step.next);
    }
  };

  /** An assertion that does not hold stays, because it may hold at another place. */
  const reachedAt = ({ reached, before }: RegexState, after: number | null): StepSet => {
    const closure = reached.slice();
    eachInBoth(reached, program.asserting, (each) => {
      const step = steps[each];
      const at = { before, after };
      if (step?.as === "assert" && holds(step.assertion, at)) follow(closure, step.next, at);
    });
    return closure;
  };

  /** The pattern may begin at any place. */
  const stateOf = (reached: StepSet, before: number | null): RegexState => {
    follow(reached, start, null);
    if (has(reached, FOUND)) return found;
    keep(reached, program.waiting);
    if (states.size === mostStates) return { number: null, reached, before, next: [] };
    spend(budget, STATE_WORK + reached.length * WORD_WORK);
    const key = `${before}:${keyOf(reached)}`;
    const state = states.get(key) ?? { number: states.size + 1, reached, before, next: [] };
    states.set(key, state);
    return state;
  };

  const stepsTaking = (group: number, byte: number): StepSet => {
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
    eachInBoth(reached, stepsTaking(group, byte), (each) => {
      const step = steps[each];
      if (step?.as === "byte") follow(next, step.next, null);
    });
    return stateOf(next, groups.represent(byte));
  };

  const step = (state: RegexState, byte: number): RegexState => {
    const group = groups.of[byte] ?? 0;
    const cached = state === found ? found : state.next[group];
    if (cached !== undefined) return cached;
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

/** The cost of a move besides its steps, and of remembering a state, in looks at a step. */
const MOVE_WORK = 20;
const STATE_WORK = 100;
const WORD_WORK = 10;

/** Whether a regular expression matches in a text. Null: the budget is spent. */
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
