import { areApart } from "../expression/coverage/coverage.js";
import { cut } from "../model/cut.js";
import { mapValues } from "../model/json.js";
import { COLO } from "../model/request-lines.js";
import type { Dimensions, Shift, Strength } from "../model/strength.js";
import { actionRank, LOG_RANK } from "./action-ranks.js";
import { listText, type Move, type Way } from "./move.js";
import { NOTHING, requestsOf } from "./scope-words.js";
import { compareScopes, requestWitness, wayOf, type ZoneName } from "./scopes.js";
import { shifts } from "./shifts.js";

/** An enabled rate limit, with the API's names. */
export interface RateLimit {
  readonly expression: string;
  readonly action: string;
  readonly characteristics: readonly string[];
  /** In seconds. */
  readonly period: number;
  readonly requests_per_period?: number;
  readonly score_per_period?: number;
  readonly score_response_header_name?: string;
  readonly mitigation_timeout?: number;
  /** Empty or absent: the requests of the expression are counted. */
  readonly counting_expression?: string;
  readonly requests_to_origin?: boolean;
}

/** By dimension. Each is named after the field that it compares; only the threshold has several. */
const comparisons: {
  readonly [dimension: string]: (before: RateLimit, after: RateLimit, zone: ZoneName) => Move | null;
} = {
  expression: (before, after, zone) => compareScopes(before.expression, after.expression, zone),
  action: (before, after) => compareActions(before.action, after.action),
  threshold: compareThresholds,
  mitigation_timeout: (before, after) => compareTimeouts(before.mitigation_timeout, after.mitigation_timeout),
  characteristics: (before, after) => compareCharacteristics(before.characteristics, after.characteristics),
  counting_expression: compareCounting,
  requests_to_origin: compareOrigin,
};

const THRESHOLD = ["period", "requests_per_period", "score_per_period", "score_response_header_name"];
const COMPARED: readonly string[] = [...Object.keys(comparisons), ...THRESHOLD];

/**
 * The effect of a changed rate limit, field by field. A field that nothing compares has an unknown effect. Null: it does
 * not exist, or is switched off.
 */
export function rateLimitShifts(
  before: RateLimit | null,
  after: RateLimit | null,
  zone: ZoneName = null,
): readonly Shift[] {
  return [
    ...(before === null || after === null
      ? aloneShifts(before, after, zone)
      : comparedShifts(before, after, zone)),
    ...shifts(othersIn(before), othersIn(after)),
  ];
}

function comparedShifts(before: RateLimit, after: RateLimit, zone: ZoneName): readonly Shift[] {
  return Object.entries(comparisons).flatMap(([dimension, compare]) => {
    const move = compare(before, after, zone);
    return move === null ? [] : [{ dimension, witness: null, ...move }];
  });
}

function othersIn(limit: RateLimit | null): Dimensions {
  return mapValues({ ...limit }, (value, field): Strength | undefined =>
    COMPARED.includes(field)
      ? undefined
      : { as: "unknown", is: JSON.stringify(value), why: `the effect of ${field} is unknown` },
  );
}

function aloneShifts(before: RateLimit | null, after: RateLimit | null, zone: ZoneName): readonly Shift[] {
  const where = (after ?? before)?.expression ?? NOTHING;
  if (wayOf(where, NOTHING) === null) return [];
  const requests = requestsOf(where);
  if (after !== null && actionRank(after.action) === null) {
    const why = `${after.action} on ${requests}: unknown how strong the action is`;
    return [{ dimension: EXPRESSION, way: "unknown", why, witness: null }];
  }
  if (before === null)
    return [{ dimension: EXPRESSION, way: "stronger", why: `now limited: ${requests}`, witness: null }];
  const witness = requestWitness(where, NOTHING, "weaker", zone);
  return [{ dimension: EXPRESSION, way: "weaker", why: `no longer limited: ${requests}`, witness }];
}

const EXPRESSION = "expression";

/** Whether a limit may stop a client less than a later one would, which then does not meet the client. */
export function mayHide(limit: RateLimit, other: RateLimit): boolean {
  const [rank = null, otherRank = null] = [limit, other].map(({ action }) => actionRank(action));
  if (rank === LOG_RANK || areApart(limit.expression, other.expression)) return false;
  if (rank === null || otherRank === null) return true;
  const timeout = compareTimeouts(limit.mitigation_timeout, other.mitigation_timeout)?.way ?? "weaker";
  // A short block may end before a long challenge would.
  return otherRank > rank || (otherRank !== LOG_RANK && timeout !== "weaker");
}

function compareActions(before: string, after: string): Move | null {
  if (before === after) return null;
  const why = `${before} → ${after}`;
  const [old, next] = [actionRank(before), actionRank(after)];
  if (old === null || next === null)
    return { way: "unknown", why: `${why}: unknown how strong the action is` };
  return old === next ? null : { way: next > old ? "stronger" : "weaker", why };
}

/** The count at which the action starts, and what is counted. Null: the rule has no known count, or no known period. */
interface Threshold {
  readonly count: number;
  readonly of: string;
}

function thresholdOf(limit: RateLimit): Threshold | null {
  if (!(limit.period > 0)) return null;
  if (limit.requests_per_period !== undefined) return { count: limit.requests_per_period, of: REQUESTS };
  if (limit.score_per_period === undefined) return null;
  return { count: limit.score_per_period, of: `score of ${limit.score_response_header_name ?? ""}` };
}

const REQUESTS = "requests";
const MAX_CHARS = 80;

/**
 * In a longer time, a limit allows its count once for each of its periods that has begun: 7 in 45 seconds allow 14 in 60
 * seconds. It is the stronger one if it allows no more in the other's period than the other.
 */
function compareThresholds(before: RateLimit, after: RateLimit): Move | null {
  const [old, next] = [thresholdOf(before), thresholdOf(after)];
  const why = `${thresholdWords(old, before.period)} → ${thresholdWords(next, after.period)}`;
  if (old === null || next === null || old.of !== next.of) {
    const isSame = old === null && next === null && before.period === after.period;
    return isSame ? null : { way: "unknown", why };
  }
  if (old.count === next.count && before.period === after.period) return null;
  const mostIn = (period: number, { count }: Threshold, own: number) => count * Math.ceil(period / own);
  if (mostIn(before.period, next, after.period) <= old.count)
    return { way: "stronger", why: `${why}: allows fewer requests` };
  return mostIn(after.period, old, before.period) <= next.count
    ? { way: "weaker", why: `${why}: allows more requests` }
    : { way: "unknown", why: `${why}: each limits what the other lets pass` };
}

function thresholdWords(threshold: Threshold | null, period: number): string {
  if (threshold === null) return period > 0 ? `no count in ${period} s` : "an unknown period";
  const { count, of } = threshold;
  return `${count} ${count === 1 && of === REQUESTS ? "request" : cut(of, MAX_CHARS)} in ${period} s`;
}

function compareTimeouts(before: number | undefined, after: number | undefined): Move | null {
  if (before === after) return null;
  const words = [before, after].map((each) => (each === undefined ? "the service's default" : `${each} s`));
  const why = `mitigation timeout ${words.join(" → ")}`;
  if (before === undefined || after === undefined) return { way: "unknown", why };
  return { way: after > before ? "stronger" : "weaker", why };
}

/** With fewer characteristics, more requests share a counter and reach the limit sooner. */
function compareCharacteristics(before: readonly string[], after: readonly string[]): Move | null {
  const added = without(after, before);
  const removed = without(before, after);
  if (added.length + removed.length === 0) return null;
  const parts = [
    ...(removed.length > 0 ? [`no longer counts by ${listText(removed)}`] : []),
    ...(added.length > 0 ? [`now counts by ${listText(added)}`] : []),
  ];
  const way: Way = removed.length === 0 ? "weaker" : added.length === 0 ? "stronger" : "unknown";
  return { way, why: parts.join("; ") };
}

/** The service always counts by data center too. */
function without(names: readonly string[], otherNames: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((each) => each !== COLO && !otherNames.includes(each));
}

/** Counting more requests may limit sooner, but may count others than attacks: the sum is unknown. */
function compareCounting(before: RateLimit, after: RateLimit): Move | null {
  const [old, next] = [before, after].map((each) => each.counting_expression || null);
  if (old === next) return null;
  const way = wayOf(old ?? before.expression, next ?? after.expression);
  return way === null ? null : { way: "unknown", why: "unknown whether fewer requests are counted" };
}

function compareOrigin(before: RateLimit, after: RateLimit): Move | null {
  const [old, next] = [before, after].map((each) => each.requests_to_origin ?? false);
  if (old === next) return null;
  return {
    way: "unknown",
    why: next ? "now counts only requests to the origin" : "now counts cached requests too",
  };
}
