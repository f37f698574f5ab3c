import { createHash } from "node:crypto";
import type { RuleSeed, Seed, ZoneSeed } from "../../src/index.js";
import type { Body, FleetFile } from "./file.js";
import { type FleetZone, zones } from "./fleet.js";

const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
const WAF = "http_request_firewall_managed";

/** The forty zones with everything that can take protection away, as it is after years with Terraform. */
export const protectedSeed: Seed = {
  zones: Object.fromEntries(zones.map((zone) => [zone.name, liveOf(zone)])),
};

function liveOf(zone: FleetZone): ZoneSeed {
  const { name, plan, accountId } = zone;
  const list = (phase: string, rules: readonly RuleSeed[]) => ({
    id: idOf(name, phase),
    kind: "zone",
    name: "terraform",
    phase,
    rules,
  });
  const executing = { action: "execute", action_parameters: { id: MANAGED, version: "latest" } };
  return {
    plan,
    account_id: accountId,
    settings: { enabled: true, updated_at: "2026-01-02T03:04:05.000000Z" },
    rulesets: [
      ...(plan === "free" ? [] : [list(WAF, [rule(name, "Managed", "true", executing)])]),
      list("http_request_firewall_custom", customRulesOf(zone)),
      list("http_ratelimit", rateLimitsOf(zone)),
    ],
    zone_settings: {
      values: {
        ssl: "strict",
        min_tls_version: "1.2",
        always_use_https: "on",
        security_header: {
          strict_transport_security: {
            enabled: true,
            max_age: 31_536_000,
            include_subdomains: true,
            preload: false,
            nosniff: true,
          },
        },
        http3: "off",
      },
    },
  };
}

function rule(zone: string, description: string, expression: string, other: RuleSeed): RuleSeed {
  const ref = `tf_${description.toLowerCase().replaceAll(/\W+/g, "_")}_${zone.replaceAll(".", "_")}`;
  return {
    id: idOf(zone, description),
    version: "3",
    ref,
    last_updated: "2026-01-02T03:04:05.000000Z",
    enabled: true,
    description,
    expression,
    ...other,
  };
}

function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** As heredocs leave them: with line breaks, and spaces in sets. */
function customRulesOf({ name, plan }: FleetZone): readonly RuleSeed[] {
  const partner = '(http.request.uri.path eq "/healthz"\n  and ip.src in {192.0.2.0/24})\n';
  const response = { status_code: 410, content: "Gone", content_type: "text/plain" };
  const larger = plan === "business" || plan === "enterprise";
  return [
    rule(name, `Partner checks of ${name}`, partner, {
      action: "skip",
      action_parameters: { ruleset: "current", phases: [WAF], products: ["bic"] },
      logging: { enabled: true },
    }),
    rule(name, "No repositories", 'http.request.uri.path contains "/.git"', { action: "block" }),
    rule(name, "Made by hand", 'http.host eq "old.example.com"', {
      action: "managed_challenge",
      ref: "byhand",
    }),
    rule(
      name,
      "Admin from the office",
      'starts_with(http.request.uri.path, "/admin") and not ip.src in {198.51.100.0/24  203.0.113.7}',
      { action: "block" },
    ),
    ...(larger
      ? [
          rule(name, "Old API", 'starts_with(http.request.uri.path, "/v1/")', {
            action: "block",
            action_parameters: { response },
          }),
        ]
      : []),
  ];
}

function rateLimitsOf({ name, plan }: FleetZone): readonly RuleSeed[] {
  const logins = rule(name, "Logins", 'http.request.uri.path eq "/login"', {
    action: "block",
    ratelimit: {
      characteristics: ["ip.src", "cf.colo.id"],
      period: 10,
      requests_per_period: 5,
      mitigation_timeout: 10,
      counting_expression: "",
      requests_to_origin: false,
    },
  });
  const api = rule(name, "API", 'starts_with(http.request.uri.path, "/api/")', {
    action: "managed_challenge",
    ratelimit: {
      characteristics: ["cf.colo.id", "ip.src"],
      period: 60,
      requests_per_period: 300,
      mitigation_timeout: 0,
      counting_expression: "",
      requests_to_origin: false,
    },
  });
  return plan === "free" ? [logins] : [logins, api];
}

/** The ids of the rules that stay undeclared. */
export const byHand: ReadonlySet<string> = new Set(zones.map(({ name }) => idOf(name, "Made by hand")));

/** The same as templates: every zone has `site`, the larger Cloudflare plans add to it. */
export function protectedFile(): FleetFile {
  const extending: { readonly [plan in FleetZone["plan"]]: string } = {
    free: "site",
    pro: "paid",
    business: "large",
    enterprise: "large",
  };
  return {
    version: 1,
    templates: {
      site: {
        settings: { enabled: true },
        custom_rules: [
          {
            description: "Partner checks of ${zone}",
            expression: 'http.request.uri.path eq "/healthz" and ip.src in {192.0.2.0/24}',
            action: "skip",
            skip: { ruleset: "current", phases: [WAF], products: ["bic"] },
          },
          {
            description: "No repositories",
            expression: 'http.request.uri.path contains "/.git"',
            action: "block",
          },
          {
            description: "Admin from the office",
            expression:
              'starts_with(http.request.uri.path, "/admin") and not ip.src in {198.51.100.0/24 203.0.113.7}',
            action: "block",
          },
        ],
        rate_limits: [
          {
            description: "Logins",
            expression: 'http.request.uri.path eq "/login"',
            characteristics: ["ip.src"],
            period: 10,
            requests_per_period: 5,
            mitigation_timeout: 10,
            action: "block",
          },
        ],
        zone_settings: {
          ssl: "strict",
          min_tls_version: "1.2",
          always_use_https: true,
          security_level: "medium",
          security_header: { enabled: true, max_age: 31_536_000, include_subdomains: true },
        },
        unmanaged: { rules: ["Made by hand"] },
      },
      paid: {
        extends: ["site"],
        managed_rulesets: [{ ruleset: "Cloudflare Managed Ruleset" }],
        rate_limits: [
          {
            description: "API",
            expression: 'starts_with(http.request.uri.path, "/api/")',
            characteristics: ["ip.src"],
            period: 60,
            requests_per_period: 300,
            mitigation_timeout: 0,
            action: "managed_challenge",
          },
        ],
      },
      large: {
        extends: ["paid"],
        custom_rules: [
          {
            description: "Old API",
            expression: 'starts_with(http.request.uri.path, "/v1/")',
            action: "block",
            response: { status_code: 410, content_type: "text/plain", content: "Gone" },
          },
        ],
      },
    },
    zones: Object.fromEntries(
      zones.map(({ name, plan }): [string, Body] => [name, { extends: [extending[plan]] }]),
    ),
  };
}
