import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/**
 * Makes retries in this process immediate. The returned function undoes this: `onTestFinished(endOfWaiting())`.
 *
 * @param waits gets the length of each wait that did not take place, in milliseconds
 */
export function endOfWaiting(waits: number[] = []): () => void {
  const sleep = timers.setTimeout;
  const short = ((ms = 0, ...rest: [unknown?, object?]) => {
    waits.push(ms);
    return sleep(Math.min(ms, 2), ...rest);
  }) as typeof sleep; // the overloads differ only in the result
  timers.setTimeout = short;
  syncBuiltinESMExports();
  return () => {
    timers.setTimeout = sleep;
    syncBuiltinESMExports();
  };
}
