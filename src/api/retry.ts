import type { IncomingHttpHeaders } from "node:http";
import type { Call } from "./problems.js";
import type { Answer, Broken } from "./wire.js";

/** No request is tried more often. */
const MAX_TRIES = 6;

export type Next =
  | { readonly as: "done" }
  /** `everybody`: the service speaks of the credential, so all requests wait. */
  | { readonly as: "again"; readonly waitMs: number; readonly who: "this request" | "everybody" }
  /** The service asks for a pause that is longer than allowed. */
  | { readonly as: "too long"; readonly waitMs: number };

export interface Moment {
  /** How often the request was sent, this time included. */
  readonly tries: number;
  readonly maxWaitMs: number;
  readonly nowMs: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * What to do after an outcome. Reads are repeated after anything that may pass. A write is repeated only where it
 * certainly had no effect: the service counted it out with 429, or it was never sent.
 */
export function nextAfter({ method }: Call, outcome: Answer | Broken, moment: Moment): Next {
  if (!mayRepeat(method, outcome)) return { as: "done" };
  const limited = outcome.as === "answer" && outcome.status === 429;
  const asked = outcome.as === "answer" ? askedPauseMs(outcome, moment.nowMs) : null;
  if (asked !== null && asked > moment.maxWaitMs) return { as: "too long", waitMs: asked };
  if (moment.tries >= MAX_TRIES) return { as: "done" };
  const waitMs = asked !== null && asked > 0 ? asked : backoffMs(moment);
  return { as: "again", waitMs, who: limited ? "everybody" : "this request" };
}

function mayRepeat(method: Call["method"], outcome: Answer | Broken): boolean {
  if (outcome.as === "broken") {
    if (outcome.how === "tls_failure" || outcome.how === "response_too_large") return false;
    return method === "GET" || outcome.sent === false;
  }
  const { status } = outcome;
  return status === 429 || (method === "GET" && (status === 408 || status >= 500));
}

/** Full jitter, so that clients that failed together do not come back together. */
function backoffMs({ tries, random }: Moment): number {
  return random * Math.min(8000, 500 * 2 ** (tries - 1));
}

/** What the service asks for with a refusal. Null: it does not say. */
function askedPauseMs({ status, headers }: Answer, nowMs: number): number | null {
  return retryAfterMs(headers, nowMs) ?? (status === 429 ? exhaustedMs(headers, nowMs) : null);
}

/** `Retry-After` as RFC 9110 has it, in seconds or as a date; or in milliseconds, as the service's own clients read it. */
function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const ms = textOf(headers, "retry-after-ms");
  if (/^\d+(\.\d+)?$/.test(ms)) return Number(ms);
  const after = textOf(headers, "retry-after");
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
  return untilMs(after, headers, nowMs);
}

/**
 * How long until the service takes requests again, where the answer says that this one was the last: documented
 * are `x-ratelimit-remaining` with a date in `x-ratelimit-reset`, and a newer `ratelimit` list in which `r` is what
 * remains and `t` the seconds. Null: requests remain, or it does not say.
 */
export function exhaustedMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const [, seconds] = /;\s*r=0\s*;\s*t=(\d{1,6})/.exec(textOf(headers, "ratelimit")) ?? [];
  if (seconds !== undefined) return Number(seconds) * 1000;
  if (textOf(headers, "x-ratelimit-remaining") !== "0") return null;
  return untilMs(textOf(headers, "x-ratelimit-reset"), headers, nowMs);
}

/** By the service's clock, where it tells it: the one here may be off. */
function untilMs(date: string, headers: IncomingHttpHeaders, nowMs: number): number | null {
  const then = dateMs(date);
  return then === null ? null : Math.max(0, then - (dateMs(textOf(headers, "date")) ?? nowMs));
}

/** Of a date in HTTP's form; the parser alone takes a bare number for a year. */
function dateMs(text: string): number | null {
  const ms = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function textOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value.trim() : "";
}
