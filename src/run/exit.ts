/** How a run ends: what its exit code says, and what stops it. */

export const EXIT = { done: 0, error: 1, changes: 2, refused: 3, interrupted: 130 } as const;

export interface Signals {
  /** Comes about with the first signal to the process, unless it is caught. */
  readonly interrupted: Promise<void>;
  /** From now on a signal to the process is a wish to stop; a second one ends it. */
  caught(): AbortSignal;
}

/** A key, a wish from outside, and the end of the terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal ends the run at once, unless the run has said that it wants to stop by itself: after the call in
 * flight. With the listeners gone, the second ends the process.
 */
export function signalsOf(process: NodeJS.Process): Signals {
  const stop = new AbortController();
  let isCaught = false;
  const interrupted = new Promise<void>((resolve) => {
    const hear = () => {
      for (const signal of SIGNALS) process.removeListener(signal, hear);
      if (!isCaught) resolve();
      stop.abort();
    };
    for (const signal of SIGNALS) process.on(signal, hear);
  });
  return {
    interrupted,
    caught: () => {
      isCaught = true;
      return stop.signal;
    },
  };
}

/** Ends the process once all that was written is out. An interrupted run has requests under way, which would hold it. */
export async function exit(process: NodeJS.Process, code: number): Promise<never> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(streams.map((stream) => new Promise<unknown>((resolve) => stream.write("", resolve))));
  process.exit(process.exitCode ?? code);
}
