import { idOf } from "../../ids.js";
import type { Holding } from "../resource.js";
import {
  checkRulesets,
  type RuleSeed,
  type RulesetSeed,
  type Rulesets,
  rulesetsFromSeed,
  rulesetsOut,
} from "./state.js";

export type ZoneSections = { readonly rulesets?: readonly RulesetSeed[] };

export const zoneHolding: Holding<ZoneSections, Rulesets> = {
  sections: { rulesets: checkRulesets("zone") },
  fromSeed: ({ rulesets = [] }, zone, now) => rulesetsFromSeed(rulesets, "zone", zone.id, now),
  toSeed: (state) => (state.byId.size === 0 ? {} : { rulesets: rulesetsOut(state) }),
};

export type AccountSections = { readonly account_rulesets?: readonly RulesetSeed[] };

export const accountHolding: Holding<AccountSections, Rulesets & { readonly isDefault: boolean }> = {
  sections: { account_rulesets: checkRulesets("account") },
  fromSeed: ({ account_rulesets: seeds }, account, now) => ({
    ...rulesetsFromSeed(seeds ?? managedRulesets, "account", account.id, now),
    isDefault: seeds === undefined,
  }),
  toSeed: (state) => (state.isDefault ? {} : { account_rulesets: rulesetsOut(state) }),
};

const requests = "http_request_firewall_managed";
const responses = "http_response_firewall_managed";
const since = "2024-03-04T05:06:07.890123Z";

/**
 * The rulesets that the service gives to every account, with their documented names and identifiers and a few rules
 * each. The documentation of viewing them: their rules have no expression.
 */
export const managedRulesets: readonly RulesetSeed[] = [
  managed("Cloudflare Managed Ruleset", "efb7b8c949ac4650a09736fc376e9aee", requests, [
    rule("Apache Struts - Code Injection", "block", "apache-struts", "cve-2017-5638", "rce"),
    rule("Drupal - Remote Code Execution", "block", "drupal", "rce"),
    rule("WordPress - Information Disclosure", "managed_challenge", "wordpress"),
    { ...rule("Anomaly: Header - Missing User-Agent", "log", "anomaly"), enabled: false },
  ]),
  managed("Cloudflare OWASP Core Ruleset", "4814384a9e5d4991b9815dcfc25d2f1f", requests, [
    scoring("911100: Method is not allowed by policy", 1, "attack-generic"),
    scoring("920170: GET or HEAD request with body content", 1, "attack-protocol"),
    scoring("930120: OS file access attempt", 1, "attack-lfi"),
    scoring("933100: PHP injection attack: PHP open tag found", 1, "attack-injection-php", "language-php"),
    scoring("942100: SQL injection attack detected via libinjection", 1, "attack-sqli"),
    scoring("920200: Range: too many fields", 2, "attack-protocol"),
    scoring("933151: PHP injection attack: PHP function name found", 2, "language-php", "platform-wordpress"),
    scoring("942150: SQL injection attack: SQL function name detected", 2, "attack-sqli"),
    scoring("920272: Invalid character in request", 3, "attack-protocol"),
    scoring("942251: Detects HAVING injections", 3, "attack-sqli", "platform-mysql"),
    scoring("920274: Invalid character in request headers", 4, "attack-protocol"),
    // The documentation's example of the last rule: overrides set its threshold and its action.
    {
      id: "6179ae15870a4bb7b2d480d4843b323c",
      version: "35",
      action: "block",
      score_threshold: 40,
      description: "949110: Inbound Anomaly Score Exceeded",
      ref: "ad0beb2fce9f149e565ee78d6e659d47",
    },
  ]),
  managed("Cloudflare Exposed Credentials Check", "c2e184081120413c86c3ab7e14069605", requests, [
    rule("Exposed credentials: form", "rewrite", "generic"),
    rule("Exposed credentials: WordPress", "rewrite", "wordpress"),
  ]),
  managed("Cloudflare Managed Free Ruleset", "77454fe2d30c4220b5701f6fdfb893ba", requests, [
    rule("Log4j - Remote Code Execution", "block", "cve-2021-44228", "rce"),
    rule("Shellshock - Remote Code Execution", "block", "cve-2014-6271", "rce"),
  ]),
  managed("Cloudflare Sensitive Data Detection", "e22d83c647c64a3eae91b71b499d988e", responses, [
    rule("Credit card number", "log", "pii"),
  ]),
];

function managed(name: string, id: string, phase: string, rules: readonly RuleSeed[]): RulesetSeed {
  return {
    id,
    name,
    description: `${name}, which the service keeps up to date.`,
    source: "firewall_managed",
    kind: "managed",
    phase,
    version: "36",
    last_updated: since,
    rules: rules.map((each) => ({ last_updated: since, enabled: true, ...each })),
  };
}

/** A rule that adds to a request's score, tagged with its paranoia level. */
function scoring(description: string, level: 1 | 2 | 3 | 4, ...tags: readonly string[]): RuleSeed {
  return rule(description, "score", ...tags, `paranoia-level-${level}`);
}

function rule(description: string, action: string, ...categories: readonly string[]): RuleSeed {
  const id = idOf("managed rule", description);
  return { id, version: "12", action, categories, description, ref: idOf("ref", id) };
}
