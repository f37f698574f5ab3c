import { createInterface } from "node:readline/promises";
import type { Terminal } from "./commands/command.js";

/** The process as commands see it. */
export function openTerminal(process: NodeJS.Process): Terminal {
  const { env, stdin, stdout, stderr } = process;
  const off = process.argv.includes("--no-color");
  // A reader that went away (`| head`) is no error of ours.
  stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    environment: env,
    cwd: process.cwd(),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    colors: { out: wantsColor(off, env, stdout.isTTY), err: wantsColor(off, env, stderr.isTTY) },
    ask: async (question) => {
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
    catchSignals: () => catchSignals(process),
  };
}

/** The first signal asks to stop after the call in flight; with the listener gone, the second ends the process. */
function catchSignals(process: NodeJS.Process): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

/** NO_COLOR beats FORCE_COLOR beats what the stream is. */
function wantsColor(off: boolean, env: NodeJS.ProcessEnv, isTerminal: boolean | undefined): boolean {
  if (off || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "") return env.FORCE_COLOR !== "0";
  return isTerminal === true && env.TERM !== "dumb";
}
