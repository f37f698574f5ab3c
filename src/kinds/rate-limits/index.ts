import type { JsonObject } from "../../model/json.js";
import { phasePermissions } from "../../model/phases.js";
import { rateLimitShifts } from "../../strength/rate-limits.js";
import { shifts } from "../../strength/shifts.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding, type Kind } from "../kind.js";
import type { Phase } from "../phase.js";
import { blockParameters, checkAction, responseIn, responseStrength } from "../rule-actions.js";
import { checkPosition, nothingBeside, type RuleListContext, ruleList } from "../rule-list.js";
import { beyondRuleLimits } from "../rule-plans.js";
import { checkLimit } from "./check.js";
import { fields, limitFields, limitIn, limitOf } from "./fields.js";
import { requestLimitIn } from "./requests.js";
import { ACTIONS, rateLimitSchema } from "./schema.js";
import { limitFor, orderShifts, strengthOf, tell, withHidden } from "./strength.js";

const PHASE: Phase = { kind: "rate_limit", name: "http_ratelimit", description: "Rate limits" };

const checkExpression = expressionCheck(PHASE.name);
const checkCounting = expressionCheck("http_ratelimit_counting", "counting_expression");

/** Rules that act on clients whose requests exceed a rate. */
export const rateLimit: Kind<RuleListContext<null>> = {
  ...ruleList<null>({
    phase: PHASE,
    fields,
    membersOf: {
      action: ["action", "action_parameters"],
      response: ["action_parameters"],
      ...Object.fromEntries(Object.keys(limitFields).map((field) => [field, ["ratelimit"]])),
    },
    fromRule(rule) {
      const limit = limitIn(rule);
      if (limit === null || typeof rule.action !== "string") return null;
      return { ...limit, action: rule.action, ...responseIn(rule) };
    },
    toRule: (normal, _, live) => ({
      action: normal.action as string, // a required field
      ratelimit: limitOf(normal, live),
      ...(normal.action === "block" ? blockParameters(normal, live) : {}),
    }),
    excludedBy: ({ action, requests_per_period: requests, score_per_period: score }) => [
      ...(action === undefined || action === "block" ? [] : ["response"]),
      ...(requests === undefined ? [] : ["score_per_period", "score_response_header_name"]),
      ...(score === undefined ? [] : ["requests_per_period"]),
    ],
    judged: {
      by: "rule",
      shifts: (before, after, zone, behind) => [
        ...withHidden(rateLimitShifts(limitFor(before), limitFor(after), zone), after, behind),
        ...shifts(responseStrength(before ?? {}), responseStrength(after ?? {}), zone),
        ...orderShifts(before, after),
      ],
    },
    tell,
    readBeside: nothingBeside,
  }),
  section: "rate_limits",
  schema: rateLimitSchema,
  touches: { requests: { does: "applies_to", acts: requestLimitIn } },
  service: {
    included: { as: "rate limits" },
    mostRules: { free: 1, pro: 2, business: 5, enterprise: 100 },
    permissions: phasePermissions[PHASE.name],
    dashboard: "security/security-rules",
  },
  checks: {
    declared: (body, service) => [
      ...checkExpression(body, service),
      ...(body.counting_expression === "" ? [] : checkCounting(body, service)),
      ...checkAction(body, ACTIONS),
      ...checkLimit(body),
      ...checkPosition(body),
    ],
    inPlan: beyondRuleLimits,
    whole: ({ normal }) => (isCounted(normal as JsonObject) ? [] : [noCount()]), // no field is sensitive
  },
  dimensions: (normal) => ({ ...strengthOf(normal), ...responseStrength(normal) }),
  blocking: strengthOf,
};

function isCounted({
  requests_per_period: requests = null,
  score_per_period: score = null,
}: JsonObject): boolean {
  return requests !== null || score !== null;
}

function noCount(): Finding {
  return error(
    [],
    "no_count",
    "Rate limit without a count",
    "Nothing says how many requests are too many. Add requests_per_period.",
  );
}
