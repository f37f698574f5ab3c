import { type Budget, isSpent, spend } from "../budget.js";
import type { Bytes } from "../tree.js";
import { type Compiled, FOUND } from "./compile.js";
import { type BytePlace, holds } from "./tree.js";

/** Reads a text byte by byte and follows all paths through a pattern at once. States are numbered as they are found. */
export interface RegexAutomaton {
  readonly start: number;
  readonly step: (state: number, byte: number) => number;
  /** Whether the pattern matches if the text ends here. */
  readonly accepts: (state: number) => boolean;
  /** The number of states so far. */
  readonly size: () => number;
}

/** The possible next steps, and the kind of the byte before them for assertions. Null: the start of the text. */
interface State {
  readonly waiting: readonly number[];
  readonly before: number | null;
  /** By group of bytes, as far as computed. */
  readonly next: number[];
}

/** The final state: a match stays a match, whatever follows. */
const MATCHED = 0;

/** Takes its work from the budget. The caller stops when the budget is spent. */
export function createAutomaton({ steps, start, groups }: Compiled, budget: Budget): RegexAutomaton {
  const states: State[] = [{ waiting: [FOUND], before: null, next: [] }];
  const numbers = new Map<string, number>();

  /** Marks a step and all steps that need no further byte. Without a place, assertions are left open. */
  const follow = (reached: Uint8Array, from: number, at: BytePlace | null): void => {
    const open = [from];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      budget.left -= 1;
      if (reached[each] === 1) continue;
      reached[each] = 1;
      const step = steps[each];
      if (step?.as === "either") open.push(...step.next);
      else if (step?.as === "assert" && at !== null && holds(step.assertion, at)) open.push(step.next);
    }
  };

  /** An assertion that does not hold stays, because it may hold at another place. */
  const reachedAt = ({ waiting, before }: State, after: number | null): Uint8Array => {
    const reached = new Uint8Array(steps.length);
    for (const each of waiting) reached[each] = 1;
    const at = { before, after };
    for (const each of waiting) {
      const step = steps[each];
      if (step?.as === "assert" && holds(step.assertion, at)) follow(reached, step.next, at);
    }
    return reached;
  };

  /** The pattern may begin at any place. */
  const numberOf = (reached: Uint8Array, before: number | null): number => {
    follow(reached, start, null);
    if (reached[FOUND] === 1) return MATCHED;
    const waiting: number[] = [];
    for (let each = 0; each < steps.length; each += 1)
      if (reached[each] === 1 && steps[each]?.as !== "either") waiting.push(each);
    spend(budget, STATE_WORK + waiting.length);
    const key = `${before}:${String.fromCharCode(...waiting)}`;
    const number = numbers.get(key) ?? states.push({ waiting, before, next: [] }) - 1;
    numbers.set(key, number);
    return number;
  };

  const move = (state: State, byte: number): number => {
    const reached = reachedAt(state, byte);
    if (reached[FOUND] === 1) return MATCHED;
    spend(budget, MOVE_WORK + steps.length);
    const next = new Uint8Array(steps.length);
    for (let each = 0; each < steps.length; each += 1) {
      const step = reached[each] === 1 ? steps[each] : undefined;
      if (step?.as === "byte" && step.of[byte] === 1) follow(next, step.next, null);
    }
    return numberOf(next, groups.represent(byte));
  };

  const stateAt = (number: number): State => states[number] ?? { waiting: [], before: null, next: [] };
  return {
    start: numberOf(new Uint8Array(steps.length), null),
    step: (number, byte) => {
      const state = stateAt(number);
      const group = groups.of[byte] ?? 0;
      state.next[group] ??= move(state, byte);
      return state.next[group];
    },
    accepts: (number) => reachedAt(stateAt(number), null)[FOUND] === 1,
    size: () => states.length,
  };
}

/** The cost of a move and of a new state, in looks at a byte. */
const MOVE_WORK = 20;
const STATE_WORK = 100;

/** Whether a regular expression matches in a text. Null: the budget is spent. */
export function isFound(automaton: RegexAutomaton, text: Bytes, budget: Budget): boolean | null {
  let state = automaton.start;
  for (let at = 0; at < text.length; at += 1) {
    if (state === MATCHED) return true;
    if (!spend(budget, 1)) return null;
    state = automaton.step(state, text.charCodeAt(at));
  }
  const isThere = automaton.accepts(state);
  return isSpent(budget) ? null : isThere;
}
