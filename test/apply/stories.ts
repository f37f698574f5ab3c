import { stringify } from "yaml";
import type { Seed, ZoneSeed } from "../../src/index.js";
import { objectsOf } from "../support/objects.js";

/** A live zone, and a file that declares it. */
export interface Story {
  readonly title: string;
  readonly seed: Seed;
  readonly config: string;
}

const WAF = "http_request_firewall_managed";
const LOG_FIELDS = "http_log_custom_fields";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";

const foreign = {
  policy: policy("f1", "Somebody's", { value: "img-src 'self'", enabled: false }),
  job: { id: 900, name: "somebodys", destination_conf: "https://else.example/where" },
  wafRule: { id: id("f2"), action: "skip", action_parameters: { ruleset: "current" }, expression: "true" },
  logRule: { id: id("f3"), ref: "theirs", action: "log", expression: "true", odd: { a: [1, null] } },
};

const core = {
  id: id("a1"),
  action: "execute",
  expression: "true",
  action_parameters: {
    id: CORE,
    version: "latest",
    overrides: { categories: [{ category: "paranoia-level-4", enabled: false }] },
  },
};
const fields = {
  id: id("a2"),
  action: "log_custom_field",
  expression: "true",
  action_parameters: { request_fields: [{ name: "x-old" }] },
};
const job = {
  id: 7,
  name: "ours",
  dataset: "http_requests",
  enabled: true,
  destination_conf: "https://a.example/b?x=1",
  output_options: { field_names: ["RayID"] },
};

/** A file with the former destination, which a rollback needs. */
export const FORMER = JSON.stringify({
  version: 1,
  zones: {
    "shop.example.com": {
      logpush_jobs: [{ name: "ours", dataset: "http_requests", destination_conf: "https://a.example/b?x=1" }],
    },
  },
});

const blocking = { action: "block", expression: "true", enabled: true };
const limit = { period: 60, requests_per_period: 10 };

/** Together the stories have every kind of object and every form of call. Each has foreign objects. */
export const stories: readonly Story[] = [
  story("all objects created", live({ policies: [foreign.policy], logpush_jobs: [foreign.job] }), {
    settings: { enabled: true },
    policies: [wanted("One"), wanted("Two", { action: "allow" })],
    managed_ruleset: {},
    custom_log_fields: { request_fields: ["x-new"] },
    logpush_jobs: [
      {
        name: "ours",
        dataset: "http_requests",
        destination_conf: "https://a.example/b",
        fields: ["RequestHeaders"],
      },
    ],
  }),
  story(
    "all objects changed",
    live({
      policies: [foreign.policy, policy("b1", "One"), policy("b2", "Before")],
      rulesets: [
        { id: id("c1"), phase: WAF, rules: [foreign.wafRule, core] },
        { id: id("c2"), phase: LOG_FIELDS, rules: [foreign.logRule, fields] },
      ],
      logpush_jobs: [foreign.job, job],
    }),
    {
      settings: { enabled: true, use_connection_url_path: true },
      policies: [
        wanted("One", { value: "script-src 'none'" }),
        { ...wanted("After"), renamed_from: "Before", enabled: false },
      ],
      managed_ruleset: { paranoia_level: "PL2", score_threshold: 25 },
      custom_log_fields: { request_fields: ["x-new"], cookie_fields: ["c"] },
      logpush_jobs: [{ name: "ours", destination_conf: "https://a.example/c", fields: ["RayID", "Cookies"] }],
    },
  ),
  story(
    "all objects added beside existing ones, and a job replaced",
    live({
      policies: [foreign.policy],
      rulesets: [
        { id: id("c1"), phase: WAF, rules: [foreign.wafRule] },
        { id: id("c2"), phase: LOG_FIELDS, description: "Theirs", rules: [foreign.logRule] },
      ],
      logpush_jobs: [foreign.job, job],
    }),
    {
      policies: [wanted("One")],
      managed_ruleset: { action: "log" },
      custom_log_fields: { response_fields: ["x-new"] },
      logpush_jobs: [{ name: "ours", dataset: "dns_logs", destination_conf: "https://a.example/d" }],
    },
  ),
  story(
    "all objects removed",
    live({
      settings: { enabled: true },
      policies: [foreign.policy, policy("b1", "One"), policy("b2", "Two")],
      rulesets: [
        { id: id("c1"), phase: WAF, rules: [foreign.wafRule, core] },
        { id: id("c2"), phase: LOG_FIELDS, rules: [fields] },
      ],
      logpush_jobs: [foreign.job, job],
    }),
    {
      settings: { enabled: false },
      policies: ["One", "Two"].map((description) => ({ description, ensure: "absent" })),
      managed_ruleset: { ensure: "absent" },
      custom_log_fields: { ensure: "absent" },
      logpush_jobs: [{ name: "ours", ensure: "absent" }],
    },
  ),
  story(
    "rules, rate limits and zone settings changed",
    live({
      policies: [foreign.policy],
      rulesets: [
        {
          id: id("c3"),
          phase: "http_request_firewall_custom",
          rules: [
            { id: id("d1"), description: "Going", ...blocking },
            foreign.wafRule,
            { id: id("d2"), description: "Before", ...blocking },
          ],
        },
        {
          id: id("c4"),
          phase: "http_ratelimit",
          rules: [
            {
              id: id("d3"),
              description: "Logins",
              ...blocking,
              ratelimit: { ...limit, characteristics: ["ip.src", "cf.colo.id"], mitigation_timeout: 600 },
            },
          ],
        },
      ],
      zone_settings: { values: { ssl: "flexible" } },
    }),
    {
      custom_rules: [
        { description: "Going", ensure: "absent" },
        {
          description: "Health",
          position: "first",
          expression: 'http.request.uri.path eq "/healthz"',
          action: "skip",
          skip: { ruleset: "current", phases: ["http_ratelimit"] },
        },
        { description: "After", renamed_from: "Before", action: "managed_challenge" },
      ],
      rate_limits: [
        { description: "Logins", requests_per_period: 5, counting_expression: "http.response.code eq 401" },
      ],
      zone_settings: {
        ssl: "strict",
        always_use_https: true,
        security_header: { enabled: true, max_age: 86_400 },
        other: { http3: "off" },
      },
    },
  ),
];

function id(digits: string): string {
  return digits.repeat(16);
}

function policy(digits: string, description: string, other: object = {}) {
  const usual = { action: "log", enabled: true, expression: "true", value: "script-src 'self'" };
  return { id: id(digits), description, ...usual, ...other };
}

function wanted(description: string, other: object = {}) {
  return { description, action: "log", expression: "true", value: "script-src 'self'", ...other };
}

function live(zone: ZoneSeed): Seed {
  return { zones: { "shop.example.com": { id: id("53"), ...zone } } };
}

function story(title: string, seed: Seed, zone: object): Story {
  return { title, seed, config: stringify({ version: 1, zones: { "shop.example.com": zone } }) };
}

/** The state after an undisturbed apply. */
export interface Usual {
  readonly state: string;
  readonly foreign: readonly string[];
}

export function usualIn(state: Seed): Usual {
  return { state: essence(state), foreign: foreignIn(state) };
}

/** How a state differs from the usual one. null: not at all. */
export function difference(state: Seed, usual: Usual): string | null {
  const now = usualIn(state);
  if (now.state !== usual.state) return `${now.state} is not ${usual.state}`;
  const touched = now.foreign.filter((each) => !usual.foreign.includes(each));
  return now.foreign.length === usual.foreign.length && touched.length === 0
    ? null
    : `what is somebody else's is not as it was: ${now.foreign.join()}`;
}

/** Fields that may differ after a retry: the id of a new object, and how often an object was written. */
const DETOURS = new Set(["id", "ref", "version", "last_updated", "updated_at"]);

/** Lists in order of creation, which may differ after a retry. */
const AS_MADE = new Set(["policies", "logpush_jobs", "rulesets"]);

export function essence(state: unknown): string {
  return JSON.stringify(state, (key, value) => {
    if (DETOURS.has(key)) return undefined;
    return AS_MADE.has(key) && Array.isArray(value) ? value.map(essence).sort() : value;
  });
}

/** The foreign objects, byte for byte. */
function foreignIn(state: Seed): readonly string[] {
  const ids = new Set([foreign.policy.id, foreign.wafRule.id, foreign.logRule.id, String(foreign.job.id)]);
  return [...objectsOf(state)].filter(([each]) => ids.has(each)).map(([each, text]) => `${each} ${text}`);
}

/** Runs the work for all items, this many at a time. */
export async function inTurns<T>(
  atOnce: number,
  all: readonly T[],
  work: (each: T) => Promise<void>,
): Promise<void> {
  const queue = [...all];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
