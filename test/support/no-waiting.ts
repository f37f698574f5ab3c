import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** Lets the program in this process try again at once. The function that comes back undoes that: `beforeEach(endOfWaiting)`. */
export function endOfWaiting(): () => void {
  const sleep = timers.setTimeout;
  const short = ((ms?: number, ...rest: [unknown?, object?]) =>
    sleep(Math.min(ms ?? 0, 2), ...rest)) as typeof sleep; // overloaded only in what it gives
  timers.setTimeout = short;
  syncBuiltinESMExports();
  return () => {
    timers.setTimeout = sleep;
    syncBuiltinESMExports();
  };
}
