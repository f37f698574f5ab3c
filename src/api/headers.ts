import type { IncomingHttpHeaders } from "node:http";

/** Empty: there is none. One that came several times is a list. */
export function headerText(headers: IncomingHttpHeaders, name: string): string {
  return [headers[name] ?? ""].flat().join(", ").trim();
}

/**
 * How long until the date that a header has, by the service's clock, where it tells it: the one here may be off.
 * Negative: it is past. Null: it is not a date.
 */
export function untilMs(headers: IncomingHttpHeaders, name: string, nowMs: number): number | null {
  const then = httpDateMs(headerText(headers, name));
  return then === null ? null : then - (httpDateMs(headerText(headers, "date")) ?? nowMs);
}

/** Milliseconds since 1970 of a date as HTTP has it (RFC 9110, section 5.6.7); null: it is none. */
export function httpDateMs(text: string): number | null {
  const whole = AS_C_WRITES_IT.test(text) ? `${text} GMT` : text;
  const ms = whole.endsWith(" GMT") ? Date.parse(whole) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** It is in UTC too, and does not say so. */
const AS_C_WRITES_IT = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** What an answer says of a limit of the service: for so long, no more than these requests remain. */
export interface Countdown {
  readonly remaining: number;
  readonly forMs: number;
}

/** A longer countdown is not a rate limit of this service. */
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
