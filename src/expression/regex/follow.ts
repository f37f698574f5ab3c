import { holds, type Place } from "./assertion.js";
import type { Step } from "./program.js";

/**
 * All steps that can be next without another byte, each once. An assertion that does not hold stays: it may at another
 * place. At no place, null, none is asked.
 */
export type Follow = (from: readonly number[], at: Place | null) => readonly number[];

export function followIn(steps: readonly Step[]): Follow {
  const seenIn = new Uint32Array(steps.length);
  let turn = 0;
  return (from, at) => {
    turn += 1;
    const reached: number[] = [];
    const open = [...from];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      if (seenIn[each] === turn) continue;
      seenIn[each] = turn;
      const step = steps[each];
      if (step?.as === "either") open.push(...step.next);
      else if (step?.as === "assert" && at !== null && holds(step.what, at)) open.push(step.next);
      else reached.push(each);
    }
    return reached;
  };
}

/** The steps after those that take a byte. */
export function afterByte(steps: readonly Step[], reached: readonly number[], byte: number): number[] {
  const next: number[] = [];
  for (const each of reached) {
    const step = steps[each];
    if (step?.as === "byte" && step.of[byte] === 1) next.push(step.next);
  }
  return next;
}
