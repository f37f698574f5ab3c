import { canonicalJson, isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { apiError, fieldError } from "../../answer.js";
import { entitlementsOf, type RuleEntitlements } from "../../plans.js";
import type { Call, Route, Zone } from "../resource.js";
import { RATE_LIMITS } from "./rate-limits.js";
import type { Rulesets } from "./state.js";

/** What the zone's Cloudflare plan refuses of the rules in a request. Rules that are live already may stay. */
export function planErrors(
  method: Route["method"],
  phase: string,
  { plan }: Zone,
  { byId }: Rulesets,
  { body }: Call,
): readonly JsonObject[] {
  const entitlements = entitlementsOf(plan)?.rules;
  const most = entitlements?.most[phase];
  if (entitlements === undefined || most === undefined || !["POST", "PUT", "PATCH"].includes(method))
    return [];
  const live = [...byId.values()].filter((each) => each.phase === phase).flatMap(({ rules }) => rules);
  const sent = rulesIn(body);
  const isReplaced = isList(body.rules);
  const count = isReplaced ? sent.length : live.length + (method === "POST" ? sent.length : 0);
  const known = new Set(live.map(textOf));
  return [
    ...(count > Math.max(most, live.length)
      ? [
          apiError(
            `exceeded the maximum number of rules in the phase ${phase}: ${count} out of ${most}`,
            20217,
          ),
        ]
      : []),
    ...sent.flatMap((rule) =>
      known.has(textOf(rule)) ? [] : ruleErrors(rule, phase, entitlements, String(plan)),
    ),
  ];
}

function rulesIn(body: JsonObject): readonly JsonObject[] {
  if (isList(body.rules)) return body.rules.filter(isObject);
  return body.action === undefined ? [] : [body];
}

/** The parts of a rule that plans limit. */
function textOf({ expression, action_parameters, ratelimit }: JsonObject): string {
  return canonicalJson([expression, action_parameters, ratelimit]);
}

function ruleErrors(
  { action, expression, action_parameters: parameters, ratelimit }: JsonObject,
  phase: string,
  may: RuleEntitlements,
  plan: string,
): readonly JsonObject[] {
  const refused = (pointer: string, what: string) =>
    fieldError(pointer, `${what} is not available on the ${plan} plan`);
  const limit = phase === RATE_LIMITS && isObject(ratelimit) ? ratelimit : {};
  const characteristics = isList(limit.characteristics) ? limit.characteristics : [];
  const isChallenge = typeof action === "string" && action.endsWith("challenge");
  const exceeds = (value: Json | undefined, most: number) => typeof value === "number" && value > most;
  const other = characteristics.find((each) => may.characteristics?.includes(String(each)) === false);
  return [
    ...(!may.regex && typeof expression === "string" && /\smatches\s|~/.test(expression)
      ? [refused("/expression", "the operator matches")]
      : []),
    ...(!may.response && isObject(parameters) && parameters.response !== undefined
      ? [refused("/action_parameters/response", "a custom response")]
      : []),
    ...(!may.log && action === "log" && phase !== RATE_LIMITS ? [refused("/action", "the action log")] : []),
    ...(exceeds(limit.period, may.periodSeconds)
      ? [refused("/ratelimit/period", `the period ${limit.period}`)]
      : []),
    ...(exceeds(limit.mitigation_timeout, may.timeoutSeconds)
      ? [refused("/ratelimit/mitigation_timeout", `the timeout ${limit.mitigation_timeout}`)]
      : []),
    ...(other === undefined ? [] : [refused("/ratelimit/characteristics", `the characteristic ${other}`)]),
    ...(isChallenge && !may.challengeTimeout && exceeds(limit.mitigation_timeout, 0)
      ? [fieldError("/ratelimit/mitigation_timeout", `must be 0 with the action ${action}`)]
      : []),
  ];
}
