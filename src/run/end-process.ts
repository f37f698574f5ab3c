export interface Signals {
  /** Resolves with the first signal to the process, unless signals are caught. */
  readonly interrupted: Promise<void>;
  /** From now on, the first signal aborts. The second one calls `onSecond`, then ends the process. */
  caught(onSecond?: () => void): AbortSignal;
}

/** Ctrl-C, a request from another process, and the end of the terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal ends the run at once. A run that catches signals stops after the call in flight instead. */
export function signalsOf(process: NodeJS.Process): Signals {
  const stop = new AbortController();
  let isCaught = false;
  let atSecond = () => {};
  const interrupted = new Promise<void>((resolve) => {
    const hear = (signal: NodeJS.Signals) => {
      const isSecond = stop.signal.aborted;
      if (!isCaught) resolve();
      stop.abort();
      if (isCaught && !isSecond) return;
      for (const each of SIGNALS) process.removeListener(each, hear);
      if (!isSecond) return;
      atSecond();
      process.kill(process.pid, signal);
    };
    for (const signal of SIGNALS) process.on(signal, hear);
  });
  return {
    interrupted,
    caught: (onSecond = () => {}) => {
      isCaught = true;
      atSecond = onSecond;
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
