import { statSync } from "node:fs";
import path from "node:path";
import { signalsOf } from "../run/exit.js";
import type { Terminal } from "./command.js";

/**
 * The process as commands see it.
 *
 * @param redactor takes out what may be in nothing that is written
 * @param cwd the folder that the program was started in
 */
export function openTerminal(process: NodeJS.Process, redactor: Terminal["redactor"], cwd: string): Terminal {
  const { env, stdout, stderr } = process;
  const off = process.argv.includes("--no-color");
  // A reader that went away (`| head`) is no error, and no reason to leave an apply half done.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    if (process.exitCode !== 1)
      stderr.write(`zoneward: error: Writing the output failed: ${error.message}\n`);
    process.exitCode = 1;
  });
  // Where the terminal is gone, nobody can be told any more.
  stderr.on("error", () => {});
  let shown = "";
  const cleared = (): void => {
    if (shown !== "") stderr.write(CLEAR);
    shown = "";
  };
  const isInteractive = () => stderr.isTTY === true && process.stdin.isTTY === true;
  return {
    out(text) {
      cleared();
      if (text !== "") stdout.write(redactor.in(text));
    },
    err(text) {
      cleared();
      if (text !== "") stderr.write(redactor.in(text));
    },
    status(line) {
      if (!isInteractive()) return;
      cleared();
      shown = redactor.in(line);
      stderr.write(shown);
    },
    redactor,
    environment: env,
    cwd,
    get interactive() {
      return isInteractive();
    },
    colors: { out: wantsColor(off, env, stdout.isTTY), err: wantsColor(off, env, stderr.isTTY) },
    columns: stdout.isTTY === true && stdout.columns > 0 ? stdout.columns : null,
    input: (limitBytes) => input(process, limitBytes),
    bytes: () => process.stdin,
    ask: (question) => ask(process, question),
    signals: signalsOf(process),
  };
}

/** To the line's beginning, and all of it gone. */
const CLEAR = "\r\u001b[K";

async function input({ stdin }: NodeJS.Process, limitBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stdin) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function ask({ stdin, stderr }: NodeJS.Process, question: string): Promise<string | null> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}

/** NO_COLOR beats FORCE_COLOR beats what the stream is. */
function wantsColor(off: boolean, env: NodeJS.ProcessEnv, isTerminal: boolean | undefined): boolean {
  if (off || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "") return env.FORCE_COLOR !== "0";
  return isTerminal === true && env.TERM !== "dumb";
}

/**
 * The folder that the program was started in, as it was written: what a repository has in the place of a folder is not to
 * decide which folder that is. Null: it is not there any more.
 */
export function startFolder(): string | null {
  const written = process.env.PWD ?? "";
  let real: string;
  try {
    real = process.cwd();
  } catch {
    return null;
  }
  if (!path.isAbsolute(written) || path.normalize(written) !== written) return real;
  try {
    const [one, other] = [statSync(real), statSync(written)];
    return one.ino === other.ino && one.dev === other.dev ? written : real;
  } catch {
    return real;
  }
}
