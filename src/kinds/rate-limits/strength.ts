import { quoted } from "../../model/cut.js";
import { asText, equal, type Json, type JsonObject, pickBy, textsIn } from "../../model/json.js";
import { rememberedObject } from "../../model/remembered.js";
import { COLO, type RequestLimit } from "../../model/request-lines.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Shift } from "../../model/strength.js";
import { charged } from "../../model/work-budget.js";
import { actionRank } from "../../strength/action-ranks.js";
import { mayHide, type RateLimit } from "../../strength/compare-rate-limits.js";
import { listText } from "../../strength/move.js";
import { requestsOf } from "../expression.js";
import { ruleName } from "../phase.js";
import { blockEffect } from "../rule-actions.js";
import { isSwitchedOff, type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { limitIn } from "./fields.js";

/** The presence of a rate limit. Two rate limits are compared field by field. */
export function strengthOf(normal: SealedObject): Dimensions {
  const why = "rate limits are compared field by field";
  return normal.enabled === false ? {} : { rate_limit: { as: "unknown", is: JSON.stringify(normal), why } };
}

/** A rate limit as it is compared. Null: it limits nothing. */
export function limitFor(normal: SealedObject | null): RateLimit | null {
  const { enabled = true } = normal ?? {};
  if (normal === null || enabled === false) return null;
  return {
    expression: "", // compares as unknown
    action: "block",
    characteristics: [],
    period: 0,
    ...pickBy(normal, (value, field) => value !== null && !APART.includes(field)),
    ...(enabled === true ? {} : { enabled }),
  };
}

/** The name, and what is compared besides the limit. */
const APART = ["description", "enabled", "position", "response"];

/** A client that exceeds several rate limits meets the first of them. */
export function orderShifts(before: SealedObject | null, after: SealedObject | null): readonly Shift[] {
  if (limitFor(before) === null || limitFor(after) === null) return [];
  if (equal(before?.position ?? null, after?.position ?? null)) return [];
  const why = "the order decides which rate limit acts on a client that exceeds several";
  return [{ dimension: "position", way: "unknown", why, witness: null }];
}

/** The later rate limits that may act more strongly on clients that a rate limit stops before them. */
function hiddenBehind(limit: RateLimit | null, behind: readonly JsonObject[]): readonly string[] {
  if (limit === null) return [];
  return behind.flatMap((rule) => {
    const { limit: other, name } = liveLimit(rule);
    const question = () => ["rate limits", limit.expression, name] as const;
    const answer = () => ({ value: other !== null && mayHide(limit, other), work: PAIR_WORK });
    return charged(question, answer, true) ? [name] : [];
  });
}

/** Thousands of live rules make millions of pairs. */
const PAIR_WORK = 200;

/** A live rule is read once, and not for each rule in front of it. */
const liveLimit = rememberedObject((rule: JsonObject) => {
  const { action = null, expression = null } = rule;
  const limit = isSwitchedOff(rule) ? null : limitFor({ ...limitIn(rule), action, expression });
  return { limit, name: quoted(ruleName(rule)) };
});

/** The shifts of a rate limit. A gain is unknown if the limit may hide a later one. */
export function withHidden(
  ownShifts: readonly Shift[],
  after: SealedObject | null,
  behind: readonly JsonObject[],
): readonly Shift[] {
  const hidden = hiddenBehind(limitFor(after), behind);
  if (hidden.length === 0) return ownShifts;
  const doubt = `clients that it stops may no longer meet ${listText(hidden)}`;
  return ownShifts.map((shift) =>
    shift.way === "stronger" ? { ...shift, way: "unknown", why: `${shift.why}; ${doubt}` } : shift,
  );
}

/** The effect of an undeclared rate limit. */
export function tell(rule: JsonObject, behind: readonly JsonObject[]): RuleEffect {
  const limit = limitIn(rule);
  const { action = null, expression = null } = rule;
  const hidden = hiddenBehind(limitFor({ ...limit, action, expression }), behind);
  const verb = action === "block" ? "blocks" : action === "log" ? "logs" : "challenges";
  if (limit === null || actionRank(action) === null) return unknownRule(rule);
  const does = `${verb} beyond ${rateOf(limit)}: ${requestsOf(expression)}`;
  if (action === "block" && hidden.length === 0) return blockEffect(does, rule);
  if (hidden.length > 0) return { does: `${does}, before ${listText(hidden)}`, effect: "unknown" };
  return { does, effect: "strengthens" };
}

function rateOf({
  requests_per_period: requests,
  score_per_period: score,
  period,
  characteristics,
}: JsonObject) {
  const count =
    requests === undefined ? `a score of ${asText(score ?? "?")}` : `${asText(requests)} requests`;
  const by = textsIn(characteristics as Json);
  return `${count} in ${asText(period ?? "?")} s${by.length === 0 ? "" : ` by ${by.join(", ")}`}`;
}

/** A rate limit, as far as logged requests can tell its effect. Null: it has no known form. */
export function requestLimitIn(normal: SealedObject): RequestLimit | null {
  const { expression = "", counting_expression: counting, characteristics = null } = normal;
  const { requests_per_period: requests = null, period, mitigation_timeout: timeout = null } = normal;
  if (typeof period !== "number") return null;
  const isCounted = typeof requests === "number";
  const isTimed = typeof timeout === "number";
  const ofOrigin = normal.requests_to_origin === true;
  return {
    expression: asText(expression),
    counting_expression: asText(counting || expression),
    characteristics: [...textsIn(characteristics as Json), COLO], // no field is sensitive
    requests: isCounted ? requests : 0,
    period,
    timeout: isTimed ? timeout : 0,
    unknown: !isCounted ? "score" : ofOrigin ? "requests_to_origin" : isTimed ? null : "no_timeout",
  };
}
