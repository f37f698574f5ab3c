import { problem } from "../model/problem.js";
import { palette } from "../render/palette.js";
import { problemsJson, problemsText } from "../render/problems.js";
import { plain } from "../render/safe-text.js";
import { EXIT } from "../run/exit-codes.js";
import type { Terminal } from "./command.js";

/** Reports a wrong command line as every other problem: on stderr, or as JSON on stdout. */
export function complain(message: string, terminal: Terminal, json = false): number {
  const problems = [problem("bad_command_line", "Invalid command line", message)];
  if (json) terminal.out(problemsJson(problems, false));
  else terminal.err(`${problemsText(problems, palette(terminal.colors.err))}\n`);
  return EXIT.error;
}

/** Reports an exception. Bad input is a problem value, so anything thrown is a bug. */
export function reportBug(error: unknown, terminal: Terminal): number {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = stack.split("\n").map((line) => `  ${plain(line)}\n`);
  terminal.err(`zoneward: error: This is a bug in zoneward. Report it with these lines:\n${lines.join("")}`);
  return EXIT.error;
}
