import { problem } from "../model/problem.js";
import { plain } from "../render/plain.js";
import { problemsJson } from "../render/problems.js";
import { EXIT, type Terminal } from "./command.js";

/** One line on stderr about the command line itself, which may have anything in it; or JSON on stdout. */
export function complain(message: string, terminal: Terminal, json = false): number {
  if (json) terminal.out(problemsJson([problem("bad_command_line", "A wrong command line", message)], false));
  else terminal.err(`zoneward: error: ${plain(message)}\n`);
  return EXIT.error;
}
