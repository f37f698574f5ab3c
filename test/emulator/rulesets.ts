import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";
import { type Reply, seed, zoneId } from "./call.js";

export const owaspId = "4814384a9e5d4991b9815dcfc25d2f1f";
export const coreId = "efb7b8c949ac4650a09736fc376e9aee";
export const scoreRuleId = "6179ae15870a4bb7b2d480d4843b323c";
export const wafId = "44444444444444444444444444444444";
export const none = "99999999999999999999999999999999";

export const zoneRulesets = `/zones/${zoneId}/rulesets`;
export const accountRulesets = `/accounts/${seed.account_id}/rulesets`;
export const waf = `${zoneRulesets}/${wafId}`;
export const wafEntryPoint = `${zoneRulesets}/phases/http_request_firewall_managed/entrypoint`;
export const fieldsEntryPoint = `${zoneRulesets}/phases/http_log_custom_fields/entrypoint`;

const long = (digit: string) => digit.repeat(32);
export const [skipId, executeId, coreRuleId] = [long("a"), long("b"), long("c")];

const since = "2025-01-01T00:00:00.000000Z";

/** The complete rules in the seed. */
export const skip = {
  action: "skip",
  action_parameters: { ruleset: "current" },
  expression: 'http.host eq "status.shop.example"',
  description: "Status page",
  enabled: true,
  logging: { enabled: false },
  id: skipId,
  ref: "status",
  version: "3",
  last_updated: since,
};

export const execute = {
  action: "execute",
  action_parameters: {
    id: owaspId,
    version: "latest",
    overrides: { categories: [{ category: "paranoia-level-4", enabled: false }] },
    future: { b: 1, a: [{ z: 1, y: 2 }] },
  },
  expression: "true",
  description: "OWASP",
  enabled: true,
  note: "kept",
  id: executeId,
  ref: executeId,
  version: "7",
  last_updated: since,
};

export const core = {
  action: "execute",
  action_parameters: { id: coreId, version: "latest" },
  expression: "true",
  description: "Core",
  enabled: true,
  id: coreRuleId,
  ref: coreRuleId,
  version: "1",
  last_updated: since,
};

export const storedWaf = {
  id: wafId,
  name: "default",
  description: "Managed rules",
  kind: "zone",
  phase: "http_request_firewall_managed",
  version: "9",
  last_updated: since,
  source: "firewall_managed",
  rules: [skip, execute, core],
};

export const withRulesets = {
  ...seed,
  zones: { "shop.example": { ...seed.zones["shop.example"], rulesets: [storedWaf] } },
};

/** A custom log fields rule as in a request. */
export const logFields = {
  action: "log_custom_field",
  action_parameters: { request_fields: [{ name: "content-type" }], cookie_fields: [{ name: "sessionId" }] },
  expression: "true",
  description: "Fields",
};

export const newFields = { name: "Fields", kind: "zone", phase: "http_log_custom_fields", description: "" };

/** Drops the fields that only the service sets. */
export function sent({ version: _, last_updated: _at, ...rule }: JsonObject): JsonObject {
  return rule;
}

export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function resultOf(reply: Reply): JsonObject {
  return isObject(reply.body) && isObject(reply.body.result) ? reply.body.result : {};
}

/** The rules in an answer, or in an answered ruleset. */
export function rulesOf(reply: Reply): readonly JsonObject[] {
  const { rules } = resultOf(reply);
  return isList(rules) ? rules.filter(isObject) : [];
}

/** The failure envelope of the rulesets endpoints. */
export function refusal(...errors: readonly Json[]): Json {
  return { result: null, success: false, errors, messages: [] };
}

export function wrong(pointer: string, message: string, code?: number): Json {
  return { ...(code === undefined ? {} : { code }), message, source: { pointer } };
}
