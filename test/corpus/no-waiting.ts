import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** From now on the program does not wait before it tries again; what comes back makes it wait as ever. */
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
