import type { IncomingHttpHeaders } from "node:http";
import type { Call, Failure } from "./problems.js";
import { type Answer, type Broken, countdownsIn, headerText, untilMs } from "./wire.js";

/** No request is tried more often. */
export const MAX_TRIES = 6;

/** Where asking again gets the same. */
const FINAL: ReadonlySet<Broken["how"]> = new Set(["tls_failure", "proxy_refused", "response_too_large"]);

const CUT_OFF: Failure = "truncated_json";

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
  /** How long the service has refused for too many requests without saying until when; 0: only now. */
  readonly blockedMs: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * What to do after an outcome. Reads are repeated after anything that may pass. A write may be repeated only where it
 * certainly had no effect: the service counted it out with 429, or it was never sent. Who sends it decides.
 *
 * @param failure the code of what is wrong with the outcome; null: nothing
 */
export function nextAfter(
  { method }: Call,
  outcome: Answer | Broken,
  failure: string | null,
  moment: Moment,
): Next {
  if (failure === null || !mayRepeat(method, outcome, failure)) return { as: "done" };
  const asked = outcome.as === "answer" ? askedPauseMs(outcome, moment.nowMs) : null;
  const isOfAll = outcome.as === "answer" && outcome.status === 429;
  const next = isOfAll && !isAsked(asked) ? whileBlocked(moment) : afterPause(asked, moment, MAX_TRIES);
  return isOfAll && next.as === "again" ? { ...next, who: "everybody" } : next;
}

/** Whether a refusal says until when. */
export function isAsked(askedMs: number | null): askedMs is number {
  return askedMs !== null && askedMs > 0;
}

/** Whoever sends too much is refused for five minutes, says the service's documentation of its limits. */
const BLOCK_MS = 300_000;

/**
 * Of a refusal that does not say until when: five times as late each time, counted from the first one, until the block has
 * to be over. Within the longest that may be waited for, with a jitter of a tenth.
 */
function whileBlocked({ tries, maxWaitMs, blockedMs, random }: Moment): Next {
  const mostMs = Math.min(1.1 * BLOCK_MS, maxWaitMs);
  if (tries >= MAX_TRIES || blockedMs >= Math.min(BLOCK_MS, mostMs)) return { as: "done" };
  const waitMs = Math.min(5 * blockedMs + 500, mostMs) - blockedMs;
  return { as: "again", waitMs: Math.ceil(waitMs * (1 - random / 11)), who: "everybody" };
}

/**
 * Of a request that may be repeated: whether it is, and when.
 *
 * @param askedMs the pause that the service asks for; null or 0: it asks for none
 */
export function afterPause(
  askedMs: number | null,
  moment: Pick<Moment, "tries" | "maxWaitMs" | "random">,
  maxTries: number,
): Next {
  if (askedMs !== null && askedMs > moment.maxWaitMs) return { as: "too long", waitMs: askedMs };
  if (moment.tries >= maxTries) return { as: "done" };
  const waitMs = isAsked(askedMs) ? askedMs : backoffMs(moment);
  return { as: "again", waitMs, who: "this request" };
}

function mayRepeat(method: Call["method"], outcome: Answer | Broken, failure: string): boolean {
  if (outcome.as === "broken") return mayRepeatBroken(outcome, method === "GET");
  const { status } = outcome;
  if (status === 429) return true;
  // A success that is cut off was damaged on its way, as by a connection that breaks.
  return method === "GET" && (status === 408 || status >= 500 || (status < 300 && failure === CUT_OFF));
}

/** @param isRepeatable whether it may take effect twice */
export function mayRepeatBroken({ how, sent }: Broken, isRepeatable: boolean): boolean {
  return !FINAL.has(how) && (isRepeatable || sent === false);
}

/** Full jitter, so that clients that failed together do not come back together. */
function backoffMs({ tries, random }: Pick<Moment, "tries" | "random">): number {
  return random * Math.min(8000, 500 * 2 ** (tries - 1));
}

/** What the service asks for with a refusal; null, or in the past: nothing. */
export function askedPauseMs({ status, headers }: Answer, nowMs: number): number | null {
  return retryAfterMs(headers, nowMs) ?? (status === 429 ? exhaustedMs(headers, nowMs) : null);
}

/** `Retry-After` as RFC 9110 has it, in seconds or as a date; or in milliseconds, as the service's own clients read it. */
function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const ms = headerText(headers, "retry-after-ms");
  if (/^\d+(\.\d+)?$/.test(ms)) return Number(ms);
  const after = headerText(headers, "retry-after");
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
  return untilMs(headers, "retry-after", nowMs);
}

function exhaustedMs(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const spent = countdownsIn(headers, nowMs).filter(({ remaining }) => remaining === 0);
  return spent.length === 0 ? null : Math.max(...spent.map(({ forMs }) => forMs));
}
