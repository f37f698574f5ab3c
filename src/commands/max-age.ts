import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { count } from "../render/plain.js";
import type { Arguments } from "./command.js";
import { readNumber } from "./from-flags.js";

/** How many minutes a plan may be old; null: any number. */
export function maxAgeMinutes(args: Arguments): Result<number | null> {
  const minutes = readNumber(args, "max-age");
  if (!minutes.ok || minutes.value === null || minutes.value >= 0) return minutes;
  const detail = `--max-age is ${minutes.value}; it takes minutes, from 0 up.`;
  return failed(problem("bad_flag", "A flag that is out of range", detail));
}

/** When a plan that is made now can no longer be applied, as RFC 3339 writes it. */
export function endAfter(minutes: number): string {
  return new Date(Date.now() + minutes * MINUTE_MS).toISOString();
}

/**
 * The file has an age that is allowed.
 *
 * @param writtenMs when it was written
 * @param name what the command line calls it
 * @param minutes since it was written; null: any age
 * @param advice what to do about one that is too old
 */
export function youngEnough(
  writtenMs: number,
  name: string,
  minutes: number | null,
  advice = NEW_PLAN,
): Result<null> {
  if (minutes === null) return ok(null);
  const ageMs = Date.now() - writtenMs;
  if (ageMs < minutes * MINUTE_MS) return ok(null);
  const age = count(Math.floor(ageMs / MINUTE_MS), "minute");
  return failed(tooOld(`${name} was written ${age} ago, and --max-age is ${minutes}.`, advice));
}

/** A plan that says itself until when it can be applied still can be. */
export function notOver(name: string, end: string | undefined): Result<null> {
  if (end === undefined || Date.now() < Date.parse(end)) return ok(null);
  return failed(tooOld(`${name} could be applied until ${end}.`, NEW_PLAN));
}

const NEW_PLAN = "Make a new one.";

function tooOld(why: string, advice: string): Problem {
  return problem("too_old", "The file is too old", `${why} Nothing was sent. ${advice}`);
}

const MINUTE_MS = 60_000;
