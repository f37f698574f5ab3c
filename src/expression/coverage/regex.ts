import { seenAs } from "../regex/assertion.js";
import { compiled } from "../regex/compile.js";
import { afterByte, followIn } from "../regex/follow.js";
import { FOUND, type Step } from "../regex/program.js";
import type { Bytes } from "../tree.js";
import type { Automaton } from "./automaton.js";
import { TooLarge } from "./diagram.js";

/** Strings in which a regular expression is found; null for one that is too long or not known in full. */
export function matching(pattern: Bytes): Automaton | null {
  const program = compiled(pattern);
  if (program === null || program.steps.length > MOST_STEPS) return null;
  const { steps, start } = program;
  const follow = followIn(steps);
  const see = steps.some(looksAround) ? seenAs : () => 0;
  const { states, numberOf } = numberedStates();
  const moves = new Map<number, number>();

  /** It may begin at any place. */
  const stateOf = (from: readonly number[], before: number | null): number => {
    const reached = [...follow([...from, start], null)].sort((a, b) => a - b);
    return reached.includes(FOUND) ? FOUND_STATE : numberOf({ reached, before });
  };

  const reachedAt = (state: number, after: number | null): readonly number[] => {
    const { reached, before } = states[state] ?? FOUND_ALREADY;
    return follow(reached, { before, after });
  };

  const move = (state: number, byte: number): number => {
    const reached = reachedAt(state, byte);
    return reached.includes(FOUND) ? FOUND_STATE : stateOf(afterByte(steps, reached, byte), see(byte));
  };

  const step = (state: number, byte: number): number => {
    const key = state * 256 + byte;
    const next = moves.get(key) ?? move(state, byte);
    moves.set(key, next);
    return next;
  };

  return {
    start: stateOf([], null),
    step,
    accepts: (state) => reachedAt(state, null).includes(FOUND),
    bytes: toldApart(steps, see),
    isOrdered: false,
  };
}

const MOST_STEPS = 400;
const MOST_STATES = 1000;

/** The steps that may come next, and how the byte before them looks to assertions; null at the start of the text. */
interface State {
  readonly reached: readonly number[];
  readonly before: number | null;
}

function numberedStates() {
  const states: State[] = [FOUND_ALREADY];
  const numbers = new Map<string, number>();
  const numberOf = (state: State): number => {
    const key = `${state.before}:${state.reached.join()}`;
    const number = numbers.get(key) ?? states.length;
    if (number === MOST_STATES) throw new TooLarge();
    if (number === states.length) states.push(state);
    numbers.set(key, number);
    return number;
  };
  return { states, numberOf };
}

/** Once found, it stays found, whatever follows. */
const FOUND_ALREADY: State = { reached: [FOUND], before: null };
const FOUND_STATE = 0;

/** Whether a step needs to know more of the place than whether the text starts or ends there. */
function looksAround(step: Step): boolean {
  return step.as === "assert" && step.what !== "text_start" && step.what !== "text_end";
}

/** All bytes but those of the largest group that nothing tells from each other. */
function toldApart(steps: readonly Step[], see: (byte: number) => number): Bytes {
  const tables = [...new Set(steps.flatMap((step) => (step.as === "byte" ? [step.of] : [])))];
  const groups = new Map<string, number[]>();
  for (let byte = 0; byte < 256; byte += 1) {
    const key = `${see(byte)} ${tables.map((table) => table[byte]).join("")}`;
    groups.set(key, [...(groups.get(key) ?? []), byte]);
  }
  const [, ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  return String.fromCharCode(...others.flat());
}
