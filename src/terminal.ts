import { createInterface } from "node:readline/promises";
import type { Terminal } from "./commands/command.js";

/** The process as commands see it. */
export function openTerminal(process: NodeJS.Process): Terminal {
  const { env, stdin, stdout, stderr } = process;
  const off = process.argv.includes("--no-color");
  // A reader that went away (`| head`) is no error, and no reason to leave an apply half done.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") stderr.write(`zoneward: error: Writing the output failed: ${error.message}\n`);
  });
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    environment: env,
    cwd: process.cwd(),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    colors: { out: wantsColor(off, env, stdout.isTTY), err: wantsColor(off, env, stderr.isTTY) },
    ask: (question) => ask(process, question),
    catchSignals: () => catchSignals(process),
  };
}

/** An answer, or none when the person ends the input or presses Ctrl-C instead. */
async function ask({ stdin, stderr }: NodeJS.Process, question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
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
