import type { IncomingHttpHeaders } from "node:http";
import { headerText, untilMs } from "./headers.js";

/** What an answer says of a limit of the service: for so long, no more than these requests remain. */
export interface Countdown {
  readonly remaining: number;
  readonly forMs: number;
}

/** Whoever counts down for longer than a day means something else. */
const LONGEST_MS = 86_400_000;

/** Seconds are whole, and what was cut off from them may be nearly one more. */
const ROUNDED_OFF_MS = 1000;

/**
 * Documented are `x-ratelimit-remaining` with a date in `x-ratelimit-reset`, and a newer `ratelimit` list in which
 * `r` is what remains and `t` the seconds. What is not complete, or makes no sense, says nothing.
 */
export function countdownsIn(headers: IncomingHttpHeaders, nowMs: number): readonly Countdown[] {
  const listed = headerText(headers, "ratelimit")
    .split(",", 20)
    .map((item) => ({ remaining: parameter(item, "r"), untilMs: parameter(item, "t") * 1000 }));
  const remaining = whole(headerText(headers, "x-ratelimit-remaining"));
  const all = [...listed, { remaining, untilMs: untilMs(headers, "x-ratelimit-reset", nowMs) ?? Number.NaN }];
  return all.flatMap((each) =>
    !Number.isNaN(each.remaining) && each.untilMs >= 0 && each.untilMs <= LONGEST_MS
      ? [{ remaining: Math.max(0, each.remaining), forMs: each.untilMs + ROUNDED_OFF_MS }]
      : [],
  );
}

function parameter(item: string, name: "r" | "t"): number {
  const [, value = ""] =
    item
      .split(";")
      .map((each) => each.trim().split("=", 2))
      .find(([key]) => key === name) ?? [];
  return whole(value);
}

/** NaN: it is not a whole number. */
function whole(text: string): number {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
