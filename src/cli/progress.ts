import type { ClientIo } from "../api/client.js";
import type { Progress } from "../model/report.js";
import { count } from "../render/safe-text.js";
import type { Terminal } from "./command.js";

/** Without a terminal, the shortest time between two lines. */
const EVERY_MS = 10_000;

/** Shorter waits for the request limit are not worth a word. */
const LEAST_WAIT_MS = 2000;

const PAUSES = {
  refused: "rate limited by the service",
  spent: "the request limit is used up",
};

/**
 * Progress and pauses on stderr: one changing line on a terminal, otherwise a line now and then. Without a terminal, only
 * long pauses are told.
 */
export function progressOn(
  terminal: Pick<Terminal, "interactive" | "status" | "err">,
  quiet: boolean,
  now: () => number = Date.now,
): { readonly progress: Progress; readonly onPause: ClientIo["onPause"] } {
  if (quiet) return { progress: () => {}, onPause: () => {} };
  let zones = "";
  let last = now();
  return {
    progress(done, of, doing) {
      zones = done === of ? "" : `${doing}: ${done} of ${count(of, "zone")}`;
      if (terminal.interactive) terminal.status(zones);
      else if (zones !== "" && now() - last >= EVERY_MS) {
        last = now();
        terminal.err(`${zones}\n`);
      }
    },
    onPause(forMs, why) {
      if (why === "spent" && forMs < LEAST_WAIT_MS) return;
      const pause = `waiting ${Math.ceil(forMs / 1000)} s: ${PAUSES[why]}`;
      const text = zones === "" ? pause : `${zones}, ${pause}`;
      if (terminal.interactive) terminal.status(text);
      else if (forMs >= EVERY_MS) terminal.err(`${text}\n`);
    },
  };
}
