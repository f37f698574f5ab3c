import { statSync } from "node:fs";
import path from "node:path";
import { cutEnd } from "../model/cut.js";
import { signalsOf } from "../run/end-process.js";
import type { Terminal } from "./command.js";

/**
 * The process as commands see it.
 *
 * @param redactor redacts all output
 * @param cwd the folder that the program was started in
 */
export function openTerminal(process: NodeJS.Process, redactor: Terminal["redactor"], cwd: string): Terminal {
  const { env, stdout, stderr } = process;
  const off = process.argv.includes("--no-color");
  // A reader that goes away (`| head`) is no error, and no reason to leave an apply half done.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    if (process.exitCode !== 1)
      stderr.write(`zoneward: error: Writing the output failed: ${error.message}\n`);
    process.exitCode = 1;
  });
  // Without stderr, there is no way left to report anything.
  stderr.on("error", () => {});
  let statusLine = "";
  const cleared = (): void => {
    if (statusLine !== "") stderr.write(CLEAR);
    statusLine = "";
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
      // A line that wraps could not be cleared.
      statusLine = cutEnd(redactor.in(line), stderr.columns > 2 ? stderr.columns - 2 : line.length);
      stderr.write(statusLine);
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

/** To the start of the line, then clear the line. */
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

/** NO_COLOR beats FORCE_COLOR, which beats the stream. */
function wantsColor(off: boolean, env: NodeJS.ProcessEnv, isTerminal: boolean | undefined): boolean {
  if (off || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "") return env.FORCE_COLOR !== "0";
  return isTerminal === true && env.TERM !== "dumb";
}

/**
 * The start folder as the shell names it. Its symbolic links are kept, so that later checks can refuse a link that a
 * repository put in the place of a folder. Null: the folder no longer exists.
 */
export function startFolder(): string | null {
  const pwd = process.env.PWD ?? "";
  let real: string;
  try {
    real = process.cwd();
  } catch {
    return null;
  }
  if (!path.isAbsolute(pwd) || path.normalize(pwd) !== pwd) return real;
  try {
    const [realStat, pwdStat] = [statSync(real), statSync(pwd)];
    return realStat.ino === pwdStat.ino && realStat.dev === pwdStat.dev ? pwd : real;
  } catch {
    return real;
  }
}
