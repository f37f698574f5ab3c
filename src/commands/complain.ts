import { plain } from "../render/plain.js";
import { EXIT, type Terminal } from "./command.js";

/** One line on stderr about the command line itself, which may have anything in it. */
export function complain(message: string, terminal: Terminal): number {
  terminal.err(`zoneward: error: ${plain(message)}\n`);
  return EXIT.error;
}
