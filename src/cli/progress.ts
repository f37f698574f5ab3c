import type { Progress } from "../model/progress.js";
import { count } from "../render/plain.js";
import type { Terminal } from "./command.js";

/** Without a terminal, a line at most this often. */
const EVERY_MS = 10_000;

/** Progress on stderr: one line that changes on a terminal, else a line now and then. */
export function progressOn(terminal: Terminal, quiet: boolean, now: () => number = Date.now): Progress {
  if (quiet) return () => {};
  let last = now();
  return (done, of, doing) => {
    const text = `${doing}: ${done} of ${count(of, "zone")}`;
    if (terminal.interactive) terminal.err(done === of ? "\r\u001b[K" : `\r\u001b[K${text}`);
    else if (now() - last >= EVERY_MS) {
      last = now();
      terminal.err(`${text}\n`);
    }
  };
}
