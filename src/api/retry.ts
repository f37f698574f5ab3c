import type { Call, Failure } from "./problems.js";
import { type Answer, type Broken, headerText, untilMs } from "./wire.js";

/** No request is tried more often, and one that could not be sent only once more. */
export const MAX_TRIES = 6;
const MAX_UNSENT_TRIES = 2;

/** Where asking again gets the same. */
const FINAL: ReadonlySet<Failure> = new Set(["tls_failure", "proxy_refused", "response_too_large"]);

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
  /** From 0 up to 1. */
  readonly random: number;
}

interface AnswerMoment extends Moment {
  readonly nowMs: number;
  /** How long the service has refused for too many requests without saying until when; 0: only now. */
  readonly blockedMs: number;
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
  moment: AnswerMoment,
): Next {
  if (failure === null) return { as: "done" };
  const isRead = method === "GET";
  if (outcome.as === "broken") return afterBreak(outcome, isRead, moment, MAX_TRIES);
  const { status } = outcome;
  const asked = askedPauseMs(outcome, moment.nowMs);
  if (status === 429) {
    const waitMs = asked ?? whileBlockedMs(moment);
    const next: Next = waitMs === null ? { as: "done" } : afterPause(waitMs, moment, MAX_TRIES);
    return next.as === "again" ? { ...next, who: "everybody" } : next;
  }
  // A success that is cut off was damaged on its way, as by a connection that breaks.
  const mayPass = status === 408 || status >= 500 || (status < 300 && failure === "truncated_json");
  return isRead && mayPass ? afterPause(asked, moment, MAX_TRIES) : { as: "done" };
}

/** Whoever sends too much is refused for five minutes, says the service's documentation of its limits. */
const BLOCK_MS = 300_000;

/** Of a refusal that does not say until when: five times as late each time, until the block has to be over. Null: it is. */
function whileBlockedMs({ maxWaitMs, blockedMs, random }: AnswerMoment): number | null {
  const mostMs = Math.min(1.1 * BLOCK_MS, maxWaitMs);
  if (blockedMs >= Math.min(BLOCK_MS, mostMs)) return null;
  return Math.ceil((Math.min(5 * blockedMs + 500, mostMs) - blockedMs) * (1 - random / 11));
}

/** @param isRepeatable whether it may take effect twice */
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
 * Of a request that may be repeated: whether it is, and when.
 *
 * @param askedMs the pause that the service asks for; null: none
 */
export function afterPause(askedMs: number | null, moment: Moment, maxTries: number): Next {
  const { tries, maxWaitMs } = moment;
  if (askedMs !== null && askedMs > maxWaitMs) return { as: "too long", waitMs: askedMs };
  if (tries >= maxTries) return { as: "done" };
  return { as: "again", waitMs: askedMs ?? jittered(250 * 2 ** (tries - 1), moment), who: "this request" };
}

/** So that clients that failed together do not come back together. */
function jittered(ms: number, { random }: Moment): number {
  return ms * (0.75 + random / 2);
}

/** `Retry-After` as RFC 9110 has it, in seconds or as a date; or in milliseconds, as the service's own clients read it. */
export function askedPauseMs({ headers }: Answer, nowMs: number): number | null {
  const [ms, after] = [headerText(headers, "retry-after-ms"), headerText(headers, "retry-after")];
  const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);
  if (isNumber(ms)) return Number(ms) || null;
  const asked = isNumber(after) ? Number(after) * 1000 : (untilMs(headers, "retry-after", nowMs) ?? 0);
  return asked > 0 ? asked : null;
}
