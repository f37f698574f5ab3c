import { createHash } from "node:crypto";
import type { RuleSeed } from "../../src/emulator/index.js";
import type { RulesetSeed, Seed, ZoneSeed } from "../../src/index.js";
import type { JsonObject } from "../../src/model/json.js";

/** A realistic company: forty zones, ten of each Cloudflare plan, in two accounts, with undeclared objects beside ours. */
export interface FleetZone {
  readonly name: string;
  readonly plan: "free" | "pro" | "business" | "enterprise";
  /** The zone's name in the names of its secrets. */
  readonly site: string;
  readonly accountId: string;
}

const PLANS = ["free", "pro", "business", "enterprise"] as const;
const ACCOUNTS = ["a".repeat(32), "b".repeat(32)] as const;

export const zones: readonly FleetZone[] = Array.from(
  { length: 40 },
  (_, index): FleetZone => ({
    name: `site${index}.example.com`,
    plan: PLANS[index % PLANS.length] ?? "free",
    site: `SITE${index}`,
    // Both accounts have zones of every plan.
    accountId: ACCOUNTS[index < 24 ? 0 : 1],
  }),
);

/** Ids from the documentation. */
const MANAGED = "efb7b8c949ac4650a09736fc376e9aee";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const CREDENTIALS = "c2e184081120413c86c3ab7e14069605";
const SCORE_RULE = "6179ae15870a4bb7b2d480d4843b323c";

/** The dataset of a zone's second job. */
const DATASETS = ["firewall_events", "dns_logs", "page_shield_events", "nel_reports"] as const;

/** The zones with log-push take turns in these datasets. */
export function datasetOf({ name }: FleetZone): (typeof DATASETS)[number] {
  return DATASETS[Math.floor(Number(/\d+/.exec(name)?.[0]) / 4) % DATASETS.length] ?? "dns_logs";
}

/** Values of secrets: under the names in the template, and under those that an export makes from zones and jobs. */
export const environment: Readonly<Record<string, string>> = Object.fromEntries(
  zones.flatMap((zone) => [
    [`LOGS_${zone.site}`, destinationOf(zone, "requests")],
    [`EVENTS_${zone.site}`, destinationOf(zone, "events")],
    [`OTHER_${zone.site}`, destinationOf(zone, "elsewhere")],
  ]),
);

function destinationOf({ name }: FleetZone, folder: string): string {
  return `s3://logs-of-${name}/${folder}?region=eu-west-1&access-key-id=AKIA&secret-access-key=key-of-${name}`;
}

export const seed: Seed = {
  zones: Object.fromEntries(zones.map((zone) => [zone.name, liveOf(zone)])),
};

function liveOf(zone: FleetZone): ZoneSeed {
  const { plan, accountId } = zone;
  const has = { rules: plan !== "free", all: plan === "enterprise" };
  return {
    plan,
    account_id: accountId,
    settings: { enabled: true, updated_at: "2026-01-02T03:04:05.000000Z" },
    ...(has.all ? { policies: policiesOf(zone), logpush_jobs: jobsOf(zone) } : {}),
    rulesets: [
      ...(has.rules ? [managedRulesOf(zone)] : []),
      ...(has.all ? [logFieldsOf(zone)] : []),
      othersRulesetOf(zone),
    ],
  };
}

function idOf(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** Three of our policies, and one made in the dashboard. */
function policiesOf({ name }: FleetZone): NonNullable<ZoneSeed["policies"]> {
  const policy = (description: string, action: string, expression: string, value: string) => ({
    id: idOf(name, description),
    description,
    action,
    enabled: true,
    expression,
    value,
  });
  const host = `http.host eq "${name}"`;
  return [
    policy(`Scripts of ${name}`, "log", host, `script-src 'self' cdn.${name} js.payments.example`),
    policy(
      "Checkout",
      "allow",
      `${host} and starts_with(http.request.uri.path, "/checkout")`,
      "script-src 'self'",
    ),
    policy("Frames", "log", host, "frame-ancestors 'self'; worker-src 'none'"),
    policy("Made by hand", "log", `http.host eq "old.${name}"`, "img-src 'self'  data:"),
  ];
}

/** Rules of Terraform with their own ref, one rule without a description, our exceptions and rulesets, and one of others. */
function managedRulesOf({ name }: FleetZone): RulesetSeed {
  const rule = (key: string, fields: RuleSeed) => ({
    id: idOf(name, key),
    version: "3",
    enabled: true,
    last_updated: "2026-01-02T03:04:05.000000Z",
    ...fields,
  });
  const executing = (id: string, overrides?: JsonObject) => ({
    action: "execute",
    action_parameters: { id, version: "latest", ...(overrides === undefined ? {} : { overrides }) },
    expression: "true",
  });
  const core = {
    categories: ["paranoia-level-3", "paranoia-level-4"].map((category) => ({ category, enabled: false })),
    rules: [{ id: SCORE_RULE, score_threshold: 40, action: "managed_challenge" }],
  };
  return {
    id: idOf(name, "managed rules"),
    kind: "zone",
    phase: "http_request_firewall_managed",
    last_updated: "2026-01-02T03:04:05.000000Z",
    rules: [
      rule("terraform", {
        ref: `tf_office_${name.replaceAll(".", "_")}`,
        action: "skip",
        action_parameters: { ruleset: "current" },
        expression: "ip.src in {192.0.2.0/24  198.51.100.7}",
        description: "[terraform] Office",
        logging: { enabled: false },
      }),
      rule("nameless", {
        ref: idOf(name, "nameless"),
        action: "skip",
        action_parameters: { rules: { [MANAGED]: ["159eb0e6cfd47a9d0d823898ede3d53f"] } },
        expression: 'http.user_agent contains "probe/2"',
      }),
      rule("health", {
        action: "skip",
        action_parameters: { ruleset: "current" },
        expression: `http.host eq "${name}" and http.request.uri.path eq "/healthz"`,
        description: `Health checks of ${name}`,
        logging: { enabled: true },
      }),
      rule("uploads", {
        action: "skip",
        action_parameters: { rulesets: [CORE] },
        expression: 'starts_with(http.request.uri.path, "/upload")',
        description: "Uploads",
        logging: { enabled: true },
      }),
      rule("managed", {
        ...executing(MANAGED, { categories: [{ category: "wordpress", enabled: false }] }),
        description: "Managed",
      }),
      rule("core", { ...executing(CORE, core), description: "OWASP" }),
      rule("credentials", { ...executing(CREDENTIALS, { action: "log" }), description: "Credentials" }),
      rule("late", {
        ref: `tf_late_${name.replaceAll(".", "_")}`,
        action: "skip",
        action_parameters: { phases: ["http_ratelimit"] },
        expression: 'http.request.uri.path eq "/metrics"',
        description: "[terraform] No limits",
        logging: { enabled: true },
      }),
    ],
  };
}

function logFieldsOf({ name }: FleetZone): RulesetSeed {
  return {
    id: idOf(name, "log fields"),
    kind: "zone",
    phase: "http_log_custom_fields",
    rules: [
      {
        id: idOf(name, "log fields", "rule"),
        action: "log_custom_field",
        action_parameters: {
          request_fields: [{ name: "x-forwarded-for" }],
          cookie_fields: [{ name: "visit" }],
        },
        expression: "true",
        description: "Log fields",
        enabled: true,
      },
    ],
  };
}

/** Rulesets in a phase that zoneward does not manage. */
function othersRulesetOf({ name }: FleetZone): RulesetSeed {
  return {
    id: idOf(name, "others"),
    kind: "zone",
    phase: "http_request_firewall_custom",
    name: "Terraform's",
    rules: [
      {
        id: idOf(name, "others", "rule"),
        ref: `tf_block_${name.replaceAll(".", "_")}`,
        action: "block",
        expression: 'http.request.uri.path contains "/.git"',
        description: "[terraform] No repositories",
        enabled: true,
      },
    ],
  };
}

/** Two of our jobs, and one to a collector of others. */
function jobsOf(zone: FleetZone): NonNullable<ZoneSeed["logpush_jobs"]> {
  const number = 100 * Number(/\d+/.exec(zone.name)?.[0]);
  return [
    {
      id: number + 1,
      name: "requests",
      dataset: "http_requests",
      enabled: true,
      destination_conf: destinationOf(zone, "requests"),
      output_options: { field_names: ["ClientIP", "RayID"], timestamp_format: "rfc3339" },
    },
    {
      id: number + 2,
      name: `events-${zone.name}`,
      dataset: datasetOf(zone),
      enabled: true,
      destination_conf: destinationOf(zone, "events"),
    },
    {
      id: number + 3,
      name: "siem-collector",
      dataset: "http_requests",
      enabled: true,
      destination_conf: "https://siem.example/in?header_Authorization=Basic%20abc",
      output_options: { field_names: ["ClientIP", "Cookies"] },
      max_upload_bytes: 5_000_000,
    },
  ];
}

/** The id of an undeclared rule without a description. */
export function ruleWithoutName({ name }: FleetZone): string {
  return idOf(name, "nameless");
}

/** The ids of objects that belong to others. */
export const others: ReadonlySet<string> = new Set(
  zones.flatMap(({ name }) => [
    ...["Made by hand", "terraform", "nameless", "late"].map((key) => idOf(name, key)),
    idOf(name, "others", "rule"),
    String(100 * Number(/\d+/.exec(name)?.[0]) + 3),
  ]),
);
