import { asText, pick } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { rateLimitShifts } from "../../strength/compare-rate-limits.js";
import { limitSkippedBy } from "../bypasses.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding, type Kind } from "../kind.js";
import type { Phase } from "../phase.js";
import { beyondRuleLimits } from "../plan-limits.js";
import { ACTIONS, checkAction, responseIn, responseMembers, responseStrength } from "../rule-actions.js";
import { nothingBeside, type RuleListContext, ruleList } from "../rule-list.js";
import { checkLimit } from "./check.js";
import { fields, limitIn, limitOf } from "./fields.js";
import { limitFor, orderShifts, requestLimitIn, strengthOf, tell, withHidden } from "./strength.js";

const PHASE: Phase = { kind: "rate_limit", name: "http_ratelimit", description: "Rate limits" };

const checkCounting = expressionCheck("http_ratelimit_counting", "counting_expression");

/** Rules that act on clients whose requests exceed a rate. */
export const rateLimit: Kind<RuleListContext<null>> = ruleList<null>({
  section: "rate_limits",
  phase: PHASE,
  schema: {
    title: "Rate limit",
    description: "A rule that acts on clients whose requests exceed a rate.",
    noun: "rate limit",
    expression: {
      description: "The requests that the rate limit applies to, as a filter expression.",
      examples: ['http.request.uri.path eq "/login"'],
    },
  },
  fields,
  fromRule(rule) {
    const limit = limitIn(rule);
    if (limit === null || typeof rule.action !== "string") return null;
    return { ...limit, action: rule.action, ...responseIn(rule) };
  },
  toRule: (normal, _, live) => ({
    ...pick(normal, ["action"]),
    ratelimit: limitOf(normal, live),
    ...responseMembers(normal, live),
  }),
  excludedBy: ({ action, requests_per_period: requests, score_per_period: score }) => [
    ...(action === undefined || action === "block" ? [] : ["response"]),
    ...(requests === undefined ? [] : ["score_per_period", "score_response_header_name"]),
    ...(score === undefined ? [] : ["requests_per_period"]),
  ],
  at: {
    judged: {
      by: "rule",
      shifts: (before, after, zone, behind) => [
        ...withHidden(rateLimitShifts(limitFor(before), limitFor(after), zone), after, behind),
        ...orderShifts(before, after),
      ],
    },
  },
  hindrances: ({ normal }, _, lists) => limitSkippedBy(lists, asText(normal.expression ?? "")),
  tell,
  readBeside: nothingBeside,
  touches: { requests: { does: "applies_to", acts: requestLimitIn } },
  service: {
    included: { as: "rate limits" },
    otherNames: ["rate_limiting_rules"],
    mostRules: { free: 1, pro: 2, business: 5, enterprise: 100 },
  },
  checks: {
    declared: (body, service) => [
      ...(body.counting_expression === "" ? [] : checkCounting(body, service)),
      ...checkAction(body, ACTIONS),
      ...checkLimit(body, service),
    ],
    inPlan: beyondRuleLimits,
    whole: ({ normal }) => checkCount(normal),
  },
  dimensions: ({ normal }) => ({ ...strengthOf(normal), ...responseStrength(normal) }),
  blocking: ({ normal }) => strengthOf(normal),
});

function checkCount(normal: SealedObject): readonly Finding[] {
  if ((normal.requests_per_period ?? normal.score_per_period ?? null) !== null) return [];
  const detail = "Add requests_per_period, the most requests in a period.";
  return [error([], "no_count", "Rate limit without a count", detail)];
}
