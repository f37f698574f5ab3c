import { parsedExpression } from "../expression/parse/parse.js";
import { comparisonsOf } from "../expression/visit.js";
import type { Item } from "../model/item.js";
import { asText, type Json, type JsonObject, textsIn } from "../model/json.js";
import { isChallenge } from "../strength/action-ranks.js";
import { type Finding, warningAt } from "./kind.js";

/** The limits of a Cloudflare plan, from the documentation's tables of custom rules and rate limits. */
interface RuleLimits {
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly characteristics: readonly string[];
  /** Features that the plan lacks. */
  readonly lacks: readonly ("regex" | "response" | "log" | "challenge timeout")[];
}

const DAY = 86_400;

const LIMITS: { readonly [plan: string]: RuleLimits } = {
  free: {
    periodSeconds: 10,
    timeoutSeconds: 10,
    characteristics: ["ip.src"],
    lacks: ["regex", "response", "log", "challenge timeout"],
  },
  pro: {
    periodSeconds: 60,
    timeoutSeconds: 3600,
    characteristics: ["ip.src"],
    lacks: ["regex", "log", "challenge timeout"],
  },
  business: {
    periodSeconds: 600,
    timeoutSeconds: DAY,
    characteristics: ["ip.src", "cf.unique_visitor_id"],
    lacks: ["log", "challenge timeout"],
  },
};

/** Warnings about a rule that the zone's Cloudflare plan probably does not allow. */
export function beyondRuleLimits({ normal }: Item, plan: string): readonly Finding[] {
  const limits = LIMITS[plan];
  if (limits === undefined) return [];
  const { action, expression, response, period, mitigation_timeout: timeout } = normal as JsonObject; // no secret
  const lacks = (feature: RuleLimits["lacks"][number]) => limits.lacks.includes(feature);
  const warn = (field: string, feature: string) => [notInPlan(field, feature, plan)];
  const isLonger = (value: Json | undefined, most: number) => typeof value === "number" && value > most;
  const other = textsIn((normal.characteristics ?? null) as Json).find(
    (each) => !limits.characteristics.includes(each),
  );
  return [
    ...(lacks("regex") && usesRegex(expression) ? warn("expression", "regular expressions") : []),
    ...(lacks("response") && (response ?? null) !== null ? warn("response", "responses of rules") : []),
    // Rate limits, which have a period, can log in every plan.
    ...(lacks("log") && action === "log" && period === undefined ? warn("action", "action log") : []),
    ...(isLonger(period, limits.periodSeconds)
      ? warn("period", `periods beyond ${limits.periodSeconds} seconds`)
      : []),
    ...(isLonger(timeout, limits.timeoutSeconds)
      ? warn("mitigation_timeout", `timeouts beyond ${limits.timeoutSeconds} seconds`)
      : []),
    ...(lacks("challenge timeout") && isChallenge(action ?? null) && isLonger(timeout, 0)
      ? warn("mitigation_timeout", "challenges with a timeout other than 0")
      : []),
    ...(other === undefined ? [] : warn("characteristics", `characteristic ${other}`)),
  ];
}

function usesRegex(expression: Json | undefined): boolean {
  const parsed = parsedExpression(asText(expression ?? ""));
  return parsed.ok && comparisonsOf(parsed.tree).some(({ test }) => test.as === "matches");
}

function notInPlan(field: string, feature: string, plan: string): Finding {
  const detail = `The zone's Cloudflare plan is ${plan}, which has no ${feature}. Cloudflare will probably refuse the call. Change ${field}, or the zone's Cloudflare plan.`;
  return warningAt([field], "not_in_plan", "Not in the zone's Cloudflare plan", detail);
}
