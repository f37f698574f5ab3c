import type { Call, Failure } from "./problems.js";
import { type Answer, type Broken, headerText, untilMs } from "./transport.js";

/** The most tries for any request, and for a request that could not be sent. */
const MAX_TRIES = 6;
const MAX_UNSENT_TRIES = 2;

/** Failures that repeat on every try. */
const FINAL: ReadonlySet<Failure> = new Set(["tls_failure", "proxy_refused", "response_too_large"]);

export type Next =
  | { readonly as: "done" }
  | { readonly as: "again"; readonly waitMs: number }
  /** The service asks for a longer pause than allowed. */
  | { readonly as: "too long"; readonly waitMs: number };

export interface Moment {
  /** How often the request was sent, this time included. */
  readonly tries: number;
  readonly maxWaitMs: number;
  /** A number in [0, 1). */
  readonly random: number;
}

interface AnswerMoment extends Moment {
  readonly nowMs: number;
  /** How long the service has refused for too many requests without naming an end; 0: not before. */
  readonly blockedMs: number;
}

/**
 * What to do after an outcome. Reads are repeated after any failure that may pass. A write may be repeated only where
 * it certainly had no effect: it was refused with 429, or was never sent. `apply/send.ts` decides about it.
 *
 * @param failure the code of the outcome's problem; null: success
 */
export function nextAfter(
  { method }: Call,
  outcome: Answer | Broken,
  failure: string | null,
  moment: AnswerMoment,
): Next {
  if (failure === null) return { as: "done" };
  const isRead = method === "GET";
  if (outcome.as === "broken") return afterBreak(outcome, isRead, moment, MAX_TRIES);
  const { status } = outcome;
  const askedMs = askedPauseMs(outcome, moment.nowMs);
  if (status === 429) {
    const waitMs = askedMs ?? whileBlockedMs(moment);
    return waitMs === null ? { as: "done" } : afterPause(waitMs, moment, MAX_TRIES);
  }
  // A success with a truncated body was damaged on its way.
  const mayPass = status === 408 || status >= 500 || (status < 300 && failure === "truncated_json");
  return isRead && mayPass ? afterPause(askedMs, moment, MAX_TRIES) : { as: "done" };
}

/** The service's documentation of its limits: a user over the limit is refused for five minutes. */
const BLOCK_MS = 300_000;

/** For a refusal without an end: each wait is five times as long, until the block must be over. Null: it is over. */
function whileBlockedMs({ maxWaitMs, blockedMs, random }: AnswerMoment): number | null {
  const mostMs = Math.min(1.1 * BLOCK_MS, maxWaitMs);
  if (blockedMs >= Math.min(BLOCK_MS, mostMs)) return null;
  return Math.ceil((Math.min(5 * blockedMs + 500, mostMs) - blockedMs) * (1 - random / 11));
}

/** @param isRepeatable whether the request may take effect twice */
export function afterBreak(
  { how, sent }: Broken,
  isRepeatable: boolean,
  moment: Moment,
  maxTries: number,
): Next {
  if (FINAL.has(how) || (!isRepeatable && sent !== false)) return { as: "done" };
  return afterPause(null, moment, sent === false ? MAX_UNSENT_TRIES : maxTries);
}

/**
 * When to repeat a request, or not at all.
 *
 * @param askedMs the pause that the service asks for; null: none
 */
export function afterPause(askedMs: number | null, moment: Moment, maxTries: number): Next {
  const { tries, maxWaitMs } = moment;
  if (askedMs !== null && askedMs > maxWaitMs) return { as: "too long", waitMs: askedMs };
  if (tries >= maxTries) return { as: "done" };
  return { as: "again", waitMs: askedMs ?? jittered(250 * 2 ** (tries - 1), moment) };
}

/** Spreads clients that failed together. */
function jittered(ms: number, { random }: Moment): number {
  return ms * (0.75 + random / 2);
}

/** `Retry-After` in seconds or as a date (RFC 9110), or `retry-after-ms`, which the service's own clients read. */
export function askedPauseMs({ headers }: Answer, nowMs: number): number | null {
  const [ms, after] = [headerText(headers, "retry-after-ms"), headerText(headers, "retry-after")];
  const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);
  if (isNumber(ms)) return Number(ms) || null;
  const pauseMs = isNumber(after) ? Number(after) * 1000 : (untilMs(headers, "retry-after", nowMs) ?? 0);
  return pauseMs > 0 ? pauseMs : null;
}
