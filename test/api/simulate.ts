import type { Clock } from "../../src/api/limit.js";

export interface Simulated extends Clock {
  /** Advances the time from one sleeper to the next until the work is done. */
  run<T>(work: Promise<T>): Promise<T>;
}

/**
 * A clock that starts at 0 and moves only when all tasks sleep. It throws if the work never finishes and no
 * task sleeps.
 */
export function simulate(): Simulated {
  let nowMs = 0;
  const sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    now: () => nowMs,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ atMs: nowMs + ms, wake });
      }),
    async run(work) {
      let done = false;
      const finished = work.finally(() => {
        done = true;
      });
      while (!done) {
        await new Promise((resolve) => setImmediate(resolve));
        sleepers.sort((a, b) => a.atMs - b.atMs);
        const next = sleepers[0];
        if (done) break;
        if (next === undefined) throw new Error("unfinished work without a sleeper");
        nowMs = next.atMs;
        while (sleepers[0]?.atMs === nowMs) sleepers.shift()?.wake();
      }
      return finished;
    },
  };
}
