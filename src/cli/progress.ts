import type { Client, ClientIo } from "../api/client.js";
import type { Progress } from "../model/report.js";
import { count } from "../render/plain.js";
import type { Terminal } from "./command.js";

/** Without a terminal, the shortest time between two lines. */
const EVERY_MS = 10_000;

/** Shorter waits for the request limit are not worth a word. */
const LEAST_WAIT_MS = 2000;

const PAUSES = {
  refused: "rate limited by the service",
  spent: "the request limit is used up",
};

/** Zones done, and the requests that had been sent when the first of them was begun. */
interface Zones {
  readonly done: number;
  readonly of: number;
  readonly doing: string;
  readonly sentBefore: number;
}

type Budget = NonNullable<Client["budget"]>;

/**
 * Progress and pauses on stderr: one changing line on a terminal, otherwise a line now and then. Without a terminal, only
 * long pauses are told.
 *
 * @param budgetOf what the request limit leaves; null: there is no limit
 */
export function progressOn(
  terminal: Pick<Terminal, "interactive" | "status" | "err">,
  quiet: boolean,
  budgetOf: () => Budget | null,
  now: () => number = Date.now,
): { readonly progress: Progress; readonly onPause: ClientIo["onPause"] } {
  if (quiet) return { progress: () => {}, onPause: () => {} };
  let zones: Zones | null = null;
  let hasWaited = false;
  let last = now();
  const line = (pause: string, waitMs: number) => {
    const budget = budgetOf();
    const left = budget === null ? "" : `${count(budget.left, "request")} left under the rate limit`;
    if (zones === null) return pause;
    const end = budget !== null && hasWaited ? endText(zones, budget, waitMs) : "";
    const done = `${zones.doing}: ${zones.done} of ${count(zones.of, "zone")}`;
    return [done, end, pause || left].filter((each) => each !== "").join(", ");
  };
  return {
    progress(done, of, doing) {
      const sentBefore = done > 0 && zones !== null ? zones.sentBefore : (budgetOf()?.sent ?? 0);
      zones = done === of ? null : { done, of, doing, sentBefore };
      if (terminal.interactive) terminal.status(line("", 0));
      else if (zones !== null && now() - last >= EVERY_MS) {
        last = now();
        terminal.err(`${line("", 0)}\n`);
      }
    },
    onPause(forMs, why) {
      if (why === "spent" && forMs < LEAST_WAIT_MS) return;
      hasWaited ||= why === "spent";
      const text = line(`waiting ${Math.ceil(forMs / 1000)} s: ${PAUSES[why]}`, forMs);
      if (terminal.interactive) terminal.status(text);
      else if (forMs >= EVERY_MS) terminal.err(`${text}\n`);
    },
  };
}

/** After the wait, one window of requests is free. Each further one takes the window's length. Empty: unknown. */
function endText({ done, of, sentBefore }: Zones, { sent, left, rate }: Budget, waitMs: number): string {
  if (done === 0) return "";
  const requests = ((of - done) * (sent - sentBefore)) / done - left;
  const toGoMs = waitMs + Math.max(0, Math.floor(requests / rate.requests)) * rate.perMs;
  return `about ${Math.max(1, Math.ceil(toGoMs / 60_000))} min to go`;
}
