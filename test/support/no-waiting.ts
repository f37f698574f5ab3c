import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** Makes retries in this process immediate. The returned function undoes this: `beforeEach(endOfWaiting)`. */
export function endOfWaiting(): () => void {
  const sleep = timers.setTimeout;
  const short = ((ms?: number, ...rest: [unknown?, object?]) =>
    sleep(Math.min(ms ?? 0, 2), ...rest)) as typeof sleep; // the overloads differ only in the result
  timers.setTimeout = short;
  syncBuiltinESMExports();
  return () => {
    timers.setTimeout = sleep;
    syncBuiltinESMExports();
  };
}
