import type { Progress } from "../model/report.js";
import { count } from "../render/plain.js";
import type { Terminal } from "./command.js";

/** Without a terminal, a line at most this often. */
const EVERY_MS = 10_000;

/** Progress on stderr: one line that changes on a terminal, else a line now and then. */
export function progressOn(terminal: Terminal, quiet: boolean, now: () => number = Date.now): Progress {
  if (quiet) return () => {};
  let last = now();
  const text = (done: number, of: number, doing: string) => `${doing}: ${done} of ${count(of, "zone")}`;
  return (done, of, doing) => {
    if (terminal.interactive) terminal.status(done === of ? "" : text(done, of, doing));
    else if (now() - last >= EVERY_MS) {
      last = now();
      terminal.err(`${text(done, of, doing)}\n`);
    }
  };
}
