export interface Signals {
  /** Resolves with the first signal to the process, unless signals are caught. */
  readonly interrupted: Promise<void>;
  /** From now on, the first signal aborts, and the second one ends the process. */
  caught(): AbortSignal;
}

/** Ctrl-C, a request from another process, and the end of the terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The first signal ends the run at once. A run that catches signals stops after the call in flight instead. The listeners are
 * removed by then, so the second signal ends the process.
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

/** Ends the process once all output is written. Open requests of an interrupted run would keep the process alive. */
export async function exit(process: NodeJS.Process, code: number): Promise<never> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(streams.map((stream) => new Promise<unknown>((resolve) => stream.write("", resolve))));
  process.exit(process.exitCode ?? code);
}
