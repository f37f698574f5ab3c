import { cutEnd } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import { parametersOf } from "./phase.js";

/** The phase in which zones execute managed rulesets, and in which skip rules let requests skip them. */
export const MANAGED_PHASE = {
  name: "http_request_firewall_managed",
  description: "Executes managed rulesets",
} as const;

/** The documented ids, which are the same in all accounts. */
export const CORE_RULESET = {
  name: "Cloudflare OWASP Core Ruleset",
  id: "4814384a9e5d4991b9815dcfc25d2f1f",
  scoringId: "6179ae15870a4bb7b2d480d4843b323c",
} as const;

/** Managed rulesets by id. The ids are the same in all accounts (the service's documentation). */
export const DOCUMENTED: ReadonlyMap<string, string> = new Map([
  [CORE_RULESET.id, CORE_RULESET.name],
  ["efb7b8c949ac4650a09736fc376e9aee", "Cloudflare Managed Ruleset"],
  ["c2e184081120413c86c3ab7e14069605", "Cloudflare Exposed Credentials Check Managed Ruleset"],
  ["77454fe2d30c4220b5701f6fdfb893ba", "Cloudflare Managed Free Ruleset"],
  ["e22d83c647c64a3eae91b71b499d988e", "Cloudflare Sensitive Data Detection"],
]);

/** Other names in the documentation or the service. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["Cloudflare Exposed Credentials Check", "c2e184081120413c86c3ab7e14069605"],
  ["Cloudflare Exposed Credentials Check Ruleset", "c2e184081120413c86c3ab7e14069605"],
  ["Cloudflare Free Managed Ruleset", "77454fe2d30c4220b5701f6fdfb893ba"],
]);

/** The documented id for a ruleset's name; null: the name is not documented. */
export function documentedId(name: string): string | null {
  return [...DOCUMENTED].find(([, each]) => each === name)?.[0] ?? OTHER_NAMES.get(name) ?? null;
}

/** The ruleset's documented name, else its id in words. */
export function documentedName(id: string): string {
  return DOCUMENTED.get(id) ?? `the ruleset ${cutEnd(id, MAX_CHARS)}`;
}

const MAX_CHARS = 40;

export function isRulesetId(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(text);
}

/** The id of the ruleset that a rule executes; null: the rule does something else. */
export function executedBy(rule: JsonObject): string | null {
  const { id } = parametersOf(rule);
  return rule.action === "execute" && typeof id === "string" ? id : null;
}
