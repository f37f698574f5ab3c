import { datasetOf, type FleetZone, ruleWithoutName, zones } from "./fleet.js";

/** A desired-state file as parsed YAML. Changes edit a copy of it. */
export interface FleetFile {
  readonly version: 1;
  readonly templates: { [name: string]: Body };
  readonly zones: { [name: string]: Body };
}

/** The parts of the file that changes edit. */
export interface Body {
  extends?: string[];
  vars?: { [name: string]: string };
  settings?: { [field: string]: boolean } | null;
  policies?: Entry[];
  managed_rulesets?: Entry[];
  managed_exceptions?: Entry[];
  custom_rules?: Entry[];
  rate_limits?: Entry[];
  zone_settings?: Entry;
  custom_log_fields?: Entry;
  logpush_jobs?: Entry[];
  [other: string]: unknown;
}

export interface Entry {
  [field: string]: unknown;
}

/**
 * One template for the whole fleet. Sections that smaller Cloudflare plans lack are optional if reading shows that they are
 * missing. Policies and jobs can be listed on every plan, so only the zones that have them declare them.
 */
export function fleetFile(): FleetFile {
  return {
    version: 1,
    templates: {
      site: {
        optional: ["managed_rulesets", "managed_exceptions", "custom_log_fields"],
        settings: { enabled: true },
        managed_rulesets: [
          {
            ruleset: "Cloudflare Managed Ruleset",
            action: "default",
            tags: { wordpress: { enabled: false } },
          },
          {
            ruleset: "Cloudflare OWASP Core Ruleset",
            paranoia_level: "PL2",
            score_threshold: 40,
            action: "managed_challenge",
          },
          { ruleset: "Cloudflare Exposed Credentials Check", action: "log" },
        ],
        managed_exceptions: [
          {
            description: "Health checks of ${zone}",
            expression: 'http.host eq "${zone}" and http.request.uri.path eq "/healthz"',
            skip: "all",
          },
          {
            description: "Uploads",
            expression: 'starts_with(http.request.uri.path, "/upload")',
            skip: ["Cloudflare OWASP Core Ruleset"],
          },
        ],
        custom_log_fields: { request_fields: ["x-forwarded-for"], cookie_fields: ["visit"] },
        unmanaged: {
          policies: ["Made by hand"],
          logpush_jobs: ["siem-*"],
          rules: ["[terraform] *", "${vars.NAMELESS}"],
        },
      },
      large: {
        extends: ["site"],
        policies: [
          {
            description: "Scripts of ${zone}",
            action: "log",
            expression: 'http.host eq "${zone}"',
            value: { "script-src": ["'self'", "cdn.${zone}", "js.payments.example"] },
          },
          {
            description: "Checkout",
            action: "allow",
            expression: 'http.host eq "${zone}" and starts_with(http.request.uri.path, "/checkout")',
            value: { "script-src": ["'self'"] },
          },
          {
            description: "Frames",
            action: "log",
            expression: 'http.host eq "${zone}"',
            value: { "frame-ancestors": ["'self'"], "worker-src": ["'none'"] },
          },
        ],
        logpush_jobs: [
          {
            name: "requests",
            dataset: "http_requests",
            destination_conf: "${secret:LOGS_${vars.SITE}}",
            fields: ["ClientIP", "RayID"],
            timestamps: "rfc3339",
          },
          {
            name: "events-${zone}",
            dataset: "${vars.EVENTS}",
            destination_conf: "${secret:EVENTS_${vars.SITE}}",
          },
        ],
      },
    },
    zones: Object.fromEntries(zones.map((zone) => [zone.name, bodyOf(zone)])),
  };
}

function bodyOf(zone: FleetZone): Body {
  const vars = { NAMELESS: ruleWithoutName(zone) };
  if (zone.plan !== "enterprise") return { extends: ["site"], vars };
  return { extends: ["large"], vars: { ...vars, SITE: zone.site, EVENTS: datasetOf(zone) } };
}
