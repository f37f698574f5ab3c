/** The process, as far as both shells have to do with it. */

/** What a run's exit code says. */
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

/**
 * Ends the process once all that was written is out. Left to itself, Node waits a while for the HTTP parser's compiler
 * threads before it ends.
 *
 * @param streams that something may have been written to
 */
export async function end(
  process: NodeJS.Process,
  code: number,
  streams: readonly NodeJS.WriteStream[] = [process.stdout, process.stderr],
): Promise<never> {
  await Promise.all(streams.map(flushed));
  process.exit(process.exitCode ?? code);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
