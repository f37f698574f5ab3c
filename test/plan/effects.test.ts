import { expect, onTestFinished, test } from "vitest";
import { createEmulator, plan, type Seed } from "../../src/index.js";
import type { Effect } from "../../src/model/strength.js";
import { folderWith, reaching } from "../support/cli.js";

/** A custom rule as files declare it. */
interface Rule {
  readonly description: string;
  readonly expression: string;
  readonly action: string;
  readonly skip?: { readonly logging?: boolean; readonly [parameter: string]: unknown };
  readonly enabled?: boolean;
  readonly response?: object;
  readonly ensure?: "absent";
}

type Acting = (name: string, expression: string) => Rule;
const doing =
  (action: string): Acting =>
  (description, expression) => ({ description, expression, action });
const [block, log, execute] = [doing("block"), doing("log"), doing("execute")];
const [managed, js, interactive] = [doing("managed_challenge"), doing("js_challenge"), doing("challenge")];
const skipping =
  (skip: NonNullable<Rule["skip"]>): Acting =>
  (description, expression) => ({ description, expression, action: "skip", skip });
const skipRest = skipping({ ruleset: "current" });
const skipPhase = skipping({ phase: "current" });
const skipWaf = skipping({ phases: ["http_request_firewall_managed"] });
const skipLimits = skipping({ phases: ["http_ratelimit"] });
const skipBic = skipping({ products: ["bic"] });
const off = (rule: Rule): Rule => ({ ...rule, enabled: false });
const gone = (rule: Rule): Rule => ({ ...rule, ensure: "absent" });

const ALL = "true";
const LOGIN = 'http.request.uri.path eq "/login"';
const ADMIN = 'starts_with(http.request.uri.path, "/admin/")';
const USERS = 'starts_with(http.request.uri.path, "/admin/users/")';
const PARTNER = "ip.src in {192.0.2.0/24}";
/** An expression of a newer language than the program's. */
const NEWER = 'newer_function(http.host) eq "a"';

type Effects = { readonly [rule: string]: Effect };
type RuleCase = readonly [
  title: string,
  live: readonly Rule[],
  declared: readonly Rule[],
  /** Of the changed rules. */
  effects: Effects,
];

const ruleCases: readonly RuleCase[] = [
  // One rule in a list of its own: block > challenges > log > nothing.
  ["a new block", [], [block("A", LOGIN)], { A: "strengthens" }],
  ["a new managed challenge", [], [managed("A", LOGIN)], { A: "strengthens" }],
  ["a new log", [], [log("A", LOGIN)], { A: "strengthens" }],
  ["a new block of no request", [], [block("A", "false")], { A: "neutral" }],
  ["a new rule that is switched off", [], [off(block("A", LOGIN))], { A: "neutral" }],
  ["a deleted block", [block("A", LOGIN)], [gone(block("A", LOGIN))], { A: "weakens" }],
  ["a deleted challenge", [js("A", LOGIN)], [gone(js("A", LOGIN))], { A: "weakens" }],
  ["a deleted log", [log("A", LOGIN)], [gone(log("A", LOGIN))], { A: "weakens" }],
  ["a deleted rule that was off", [off(block("A", LOGIN))], [gone(block("A", LOGIN))], { A: "neutral" }],
  ["a block switched off", [block("A", LOGIN)], [off(block("A", LOGIN))], { A: "weakens" }],
  [
    "a block switched on",
    [off(block("A", LOGIN))],
    [{ ...block("A", LOGIN), enabled: true }],
    { A: "strengthens" },
  ],
  ["from block to log", [block("A", LOGIN)], [log("A", LOGIN)], { A: "weakens" }],
  ["from log to block", [log("A", LOGIN)], [block("A", LOGIN)], { A: "strengthens" }],
  ["from block to a challenge", [block("A", LOGIN)], [interactive("A", LOGIN)], { A: "weakens" }],
  ["from a challenge to block", [managed("A", LOGIN)], [block("A", LOGIN)], { A: "strengthens" }],
  ["from a challenge to log", [managed("A", LOGIN)], [log("A", LOGIN)], { A: "weakens" }],
  ["from one challenge to another", [managed("A", LOGIN)], [js("A", LOGIN)], { A: "neutral" }],
  ["a wider block", [block("A", USERS)], [block("A", ADMIN)], { A: "strengthens" }],
  ["a narrower block", [block("A", ADMIN)], [block("A", USERS)], { A: "weakens" }],
  ["a block of other requests", [block("A", ADMIN)], [block("A", LOGIN)], { A: "mixed" }],
  [
    "the same requests in other words",
    [block("A", `${USERS} or ${ADMIN}`)],
    [block("A", ADMIN)],
    { A: "neutral" },
  ],
  ["wider and weaker", [block("A", USERS)], [managed("A", ADMIN)], { A: "mixed" }],
  [
    "a response",
    [block("A", LOGIN)],
    [{ ...block("A", LOGIN), response: { status_code: 410, content_type: "text/plain", content: "Gone" } }],
    { A: "neutral" },
  ],
  ["from block to skip", [block("A", LOGIN)], [skipRest("A", LOGIN)], { A: "weakens" }],

  // Skips alone.
  ["a new skip of managed rulesets", [], [skipWaf("A", PARTNER)], { A: "weakens" }],
  ["a new skip of rate limits", [], [skipLimits("A", PARTNER)], { A: "weakens" }],
  ["a new skip of a product", [], [skipBic("A", PARTNER)], { A: "weakens" }],
  ["a new skip of the rest of an empty list", [], [skipRest("A", PARTNER)], { A: "neutral" }],
  [
    "a deleted skip of managed rulesets",
    [skipWaf("A", PARTNER)],
    [gone(skipWaf("A", PARTNER))],
    { A: "strengthens" },
  ],
  [
    "a skip of more requests",
    [skipWaf("A", `${PARTNER} and ${LOGIN}`)],
    [skipWaf("A", PARTNER)],
    { A: "weakens" },
  ],
  [
    "a skip of fewer requests",
    [skipWaf("A", PARTNER)],
    [skipWaf("A", `${PARTNER} and ${LOGIN}`)],
    { A: "strengthens" },
  ],
  [
    "a skip of one more phase",
    [skipWaf("A", PARTNER)],
    [skipping({ phases: ["http_request_firewall_managed", "http_ratelimit"] })("A", PARTNER)],
    { A: "weakens" },
  ],
  ["a skip of another phase", [skipWaf("A", PARTNER)], [skipLimits("A", PARTNER)], { A: "mixed" }],
  [
    "a skip of a phase that this version does not know",
    [],
    [skipping({ phases: ["http_new"] })("A", PARTNER)],
    { A: "weakens" },
  ],
  [
    "a skip without logging",
    [skipWaf("A", PARTNER)],
    [skipping({ phases: ["http_request_firewall_managed"], logging: false })("A", PARTNER)],
    { A: "weakens" },
  ],
  [
    "a skip with logging again",
    [skipping({ ruleset: "current", logging: false })("A", PARTNER)],
    [skipping({ ruleset: "current", logging: true })("A", PARTNER)],
    { A: "strengthens" },
  ],
  [
    "the phase instead of the ruleset",
    [skipRest("A", PARTNER), block("B", LOGIN)],
    [skipPhase("A", PARTNER)],
    { A: "neutral" },
  ],
  [
    "a skip with an unknown parameter",
    [],
    [skipping({ ruleset: "current", further: ["x"] })("A", PARTNER), block("B", LOGIN)],
    { A: "unknown", B: "strengthens" },
  ],

  // Among other rules.
  [
    "a new skip before a block",
    [block("B", LOGIN)],
    [skipRest("A", PARTNER), block("B", LOGIN)],
    { A: "weakens" },
  ],
  [
    "a new skip behind a block of all its requests",
    [block("B", ALL)],
    [block("B", ALL), skipWaf("A", PARTNER)],
    { A: "neutral" },
  ],
  [
    "a new block behind a skip of all its requests",
    [skipRest("A", PARTNER)],
    [skipRest("A", PARTNER), block("B", `${PARTNER} and ${LOGIN}`)],
    { B: "neutral" },
  ],
  [
    "a new block behind a skip of some of its requests",
    [skipRest("A", PARTNER)],
    [skipRest("A", PARTNER), block("B", LOGIN)],
    { B: "strengthens" },
  ],
  [
    "a new block behind a skip of only a phase",
    [skipLimits("A", PARTNER)],
    [skipLimits("A", PARTNER), block("B", PARTNER)],
    { B: "strengthens" },
  ],
  [
    "a new block behind a skip that is off",
    [off(skipRest("A", PARTNER))],
    [skipRest("A", PARTNER), block("B", PARTNER)].map((each, index) => (index === 0 ? off(each) : each)),
    { B: "strengthens" },
  ],
  [
    "a deleted block behind a skip of all its requests",
    [skipRest("A", PARTNER), block("B", PARTNER)],
    [skipRest("A", PARTNER), gone(block("B", PARTNER))],
    { B: "neutral" },
  ],
  [
    "a deleted block that another rule does too",
    [block("A", ALL), block("B", LOGIN)],
    [block("A", ALL), gone(block("B", LOGIN))],
    { B: "neutral" },
  ],
  [
    "a deleted block before a weaker rule",
    [block("A", LOGIN), managed("B", LOGIN)],
    [gone(block("A", LOGIN)), managed("B", LOGIN)],
    { A: "weakens" },
  ],
  [
    "a deleted skip before a block",
    [skipRest("A", PARTNER), block("B", LOGIN)],
    [gone(skipRest("A", PARTNER)), block("B", LOGIN)],
    { A: "strengthens" },
  ],
  [
    "a new challenge before a block of the same requests",
    [block("B", LOGIN)],
    [managed("A", LOGIN), block("B", LOGIN)],
    { A: "weakens" },
  ],
  ["a new log before a block", [block("B", LOGIN)], [log("A", LOGIN), block("B", LOGIN)], { A: "neutral" }],
  [
    "a skip moves before a block",
    [block("A", LOGIN), skipRest("B", PARTNER)],
    [skipRest("B", PARTNER), block("A", LOGIN)],
    { A: "weakens" },
  ],
  [
    "a block moves before a skip",
    [skipRest("A", PARTNER), block("B", LOGIN)],
    [block("B", LOGIN), skipRest("A", PARTNER)],
    { A: "strengthens" },
  ],
  [
    "a challenge moves before a block",
    [block("A", ADMIN), managed("B", USERS)],
    [managed("B", USERS), block("A", ADMIN)],
    { A: "weakens" },
  ],
  [
    "rules without a common request swap",
    [block("A", LOGIN), skipRest("B", ADMIN)],
    [skipRest("B", ADMIN), block("A", LOGIN)],
    { A: "neutral" },
  ],
  [
    "two blocks swap",
    [block("A", LOGIN), block("B", PARTNER)],
    [block("B", PARTNER), block("A", LOGIN)],
    { A: "neutral" },
  ],
  [
    "a log and a block swap",
    [log("A", LOGIN), block("B", ALL)],
    [block("B", ALL), log("A", LOGIN)],
    { A: "neutral" },
  ],
  [
    "a rule replaces another",
    [block("A", LOGIN)],
    [gone(block("A", LOGIN)), block("B", LOGIN)],
    { A: "weakens", B: "strengthens" },
  ],
  [
    "a rule is replaced by a wider one",
    [block("A", USERS)],
    [block("B", ADMIN), gone(block("A", USERS))],
    { A: "neutral", B: "strengthens" },
  ],
  [
    "a block becomes a log where a later rule blocks",
    [block("A", LOGIN), block("B", ALL)],
    [log("A", LOGIN), block("B", ALL)],
    { A: "neutral" },
  ],
  [
    "a skip of the rest becomes a skip of managed rulesets",
    [skipRest("A", PARTNER), block("B", LOGIN)],
    [skipWaf("A", PARTNER), block("B", LOGIN)],
    { A: "mixed" },
  ],

  // Undeclared rules count too. What an unknown rule stops may hide a loss, and hides no gain.
  ["a block behind an undeclared skip", [skipRest("Office", ALL)], [block("A", LOGIN)], { A: "neutral" }],
  ["a block behind an undeclared block", [block("Office", ALL)], [block("A", LOGIN)], { A: "neutral" }],
  [
    "a new block before an undeclared executed ruleset",
    [execute("Own", ALL)],
    [{ ...block("A", LOGIN), position: "first" } as Rule],
    { A: "strengthens" },
  ],
  [
    "a new block behind an undeclared executed ruleset",
    [execute("Own", ALL)],
    [block("A", LOGIN)],
    { A: "strengthens" },
  ],
  [
    "a skip before an undeclared executed ruleset",
    [execute("Own", ALL)],
    [{ ...skipRest("A", PARTNER), position: "first" } as Rule],
    { A: "unknown" },
  ],
  [
    "a deleted block before an undeclared executed ruleset",
    [block("A", LOGIN), execute("Own", ALL)],
    [gone(block("A", LOGIN))],
    { A: "unknown" },
  ],
  ["a rule of an unknown action", [], [{ ...doing("tarpit")("A", LOGIN) }], { A: "unknown" }],
  ["a new block of requests unknown to this version", [], [block("A", NEWER)], { A: "unknown" }],
  [
    "a deleted block of requests unknown to this version",
    [block("A", NEWER)],
    [gone(block("A", NEWER))],
    { A: "weakens" },
  ],
  [
    "a block behind a skip of requests unknown to this version",
    [skipRest("A", NEWER)],
    [skipRest("A", NEWER), block("B", LOGIN)],
    { B: "strengthens" },
  ],
  [
    "a new skip of requests unknown to this version",
    [block("B", LOGIN)],
    [skipRest("A", NEWER), block("B", LOGIN)],
    { A: "weakens" },
  ],
];

type Settings = { readonly [id: string]: unknown };
type SettingsCase = readonly [live: Settings, declared: Settings, effect: Effect];

const settingCases: readonly SettingsCase[] = [
  [{ ssl: "full" }, { ssl: "strict" }, "strengthens"],
  [{ ssl: "strict" }, { ssl: "full" }, "weakens"],
  [{ ssl: "flexible" }, { ssl: "off" }, "weakens"],
  [{ ssl: "off" }, { ssl: "strict" }, "strengthens"],
  [{ ssl: "strict" }, { ssl: "origin_pull" }, "unknown"],
  [{ min_tls_version: "1.2" }, { min_tls_version: "1.0" }, "weakens"],
  [{ min_tls_version: "1.0" }, { min_tls_version: "1.3" }, "strengthens"],
  [{ tls_1_3: "off" }, { tls_1_3: true }, "strengthens"],
  [{ tls_1_3: "on" }, { tls_1_3: false }, "weakens"],
  [{ "0rtt": "off" }, { "0rtt": "on" }, "weakens"],
  [{ "0rtt": "on" }, { "0rtt": "off" }, "strengthens"],
  [{ always_use_https: "on" }, { always_use_https: "off" }, "weakens"],
  [{ automatic_https_rewrites: "off" }, { automatic_https_rewrites: "on" }, "strengthens"],
  [{ opportunistic_encryption: "on" }, { opportunistic_encryption: "off" }, "weakens"],
  [{ tls_client_auth: "on" }, { tls_client_auth: "off" }, "weakens"],
  [{ browser_check: "on" }, { browser_check: "off" }, "weakens"],
  [{ hotlink_protection: "off" }, { hotlink_protection: "on" }, "strengthens"],
  [{ email_obfuscation: "on" }, { email_obfuscation: "off" }, "weakens"],
  [{ challenge_ttl: 1800 }, { challenge_ttl: 300 }, "strengthens"],
  [{ challenge_ttl: 300 }, { challenge_ttl: 31536000 }, "weakens"],
  [{ security_level: "medium" }, { security_level: "under_attack" }, "strengthens"],
  [{ security_level: "medium" }, { security_level: "essentially_off" }, "weakens"],
  [{ security_level: "essentially_off" }, { security_level: "off" }, "weakens"],
  [{ ciphers: ["A", "B"] }, { ciphers: ["A"] }, "strengthens"],
  [{ ciphers: ["A"] }, { ciphers: ["A", "B"] }, "weakens"],
  [{ ciphers: ["A"] }, { ciphers: ["B"] }, "unknown"],
  [{ ciphers: ["AES128-SHA", "DES-CBC3-SHA"] }, { ciphers: ["DES-CBC3-SHA"] }, "mixed"],
  [{ ciphers: ["AES128-SHA", "DES-CBC3-SHA"] }, { ciphers: ["AES128-SHA"] }, "strengthens"],
  [{ ciphers: ["ECDHE-RSA-AES128-SHA", "AES128-GCM-SHA256"] }, { ciphers: ["AES128-GCM-SHA256"] }, "mixed"],
  [
    { ciphers: ["ECDHE-RSA-AES128-SHA", "AES128-GCM-SHA256"] },
    { ciphers: ["ECDHE-RSA-AES128-SHA"] },
    "mixed",
  ],
  [{ ciphers: ["AES256-GCM-SHA384", "AES256-SHA"] }, { ciphers: ["AES256-GCM-SHA384"] }, "strengthens"],
  [{ ssl: "full", "0rtt": "off" }, { ssl: "strict", "0rtt": "on" }, "mixed"],
];

const LIMIT = {
  expression: LOGIN,
  characteristics: ["ip.src", "cf.colo.id"],
  period: 60,
  requests_per_period: 10,
  mitigation_timeout: 600,
  action: "managed_challenge",
};

type Limit = Partial<Record<keyof typeof LIMIT, unknown>> & { readonly [key: string]: unknown };
/** Differences from the limit above. Null: there is no limit. */
type LimitCase = readonly [title: string, live: Limit | null, declared: Limit, effect: Effect | undefined];

const limitCases: readonly LimitCase[] = [
  ["no change", {}, {}, undefined],
  ["a new limit", null, {}, "strengthens"],
  ["a new limit that is switched off", null, { enabled: false }, "neutral"],
  ["a deleted limit", {}, { ensure: "absent" }, "weakens"],
  ["a limit switched off", {}, { enabled: false }, "weakens"],
  ["a limit switched on", { enabled: false }, { enabled: true }, "strengthens"],
  ["fewer requests", {}, { requests_per_period: 5 }, "strengthens"],
  ["more requests", {}, { requests_per_period: 100 }, "weakens"],
  ["as many requests in more time", {}, { period: 120 }, "strengthens"],
  ["fewer requests in less time, at a higher rate", {}, { requests_per_period: 5, period: 10 }, "unknown"],
  ["a longer timeout", {}, { mitigation_timeout: 3600 }, "strengthens"],
  ["a shorter timeout", {}, { mitigation_timeout: 60 }, "weakens"],
  ["one more characteristic", {}, { characteristics: ["ip.src", "http.host"] }, "weakens"],
  ["one characteristic less", { characteristics: ["ip.src", "http.host", "cf.colo.id"] }, {}, "strengthens"],
  ["another characteristic", {}, { characteristics: ["http.host"] }, "unknown"],
  ["more paths", {}, { expression: `${LOGIN} or ${ADMIN}` }, "strengthens"],
  ["fewer paths", { expression: `${LOGIN} or ${ADMIN}` }, {}, "weakens"],
  ["other paths", {}, { expression: ADMIN }, "mixed"],
  ["from a challenge to block", {}, { action: "block" }, "strengthens"],
  ["from a challenge to log", {}, { action: "log" }, "weakens"],
  ["another challenge", {}, { action: "js_challenge" }, "neutral"],
  ["only failed answers are counted", {}, { counting_expression: "http.response.code eq 401" }, "unknown"],
  ["only requests to the origin are counted", {}, { requests_to_origin: true }, "unknown"],
  ["fewer requests, but a shorter timeout", {}, { requests_per_period: 5, mitigation_timeout: 60 }, "mixed"],
];

/** The effects by zone of one plan of all zones. */
async function effectsIn(cases: readonly { readonly live: object; readonly declared: object }[]) {
  const nameOf = (index: number) => `zone-${String(index).padStart(3, "0")}.example.com`;
  const zones = (part: "live" | "declared") =>
    Object.fromEntries(cases.map((each, index) => [nameOf(index), each[part]]));
  const emulator = await createEmulator({ dialect: "service", seed: { zones: zones("live") } as Seed }); // as written here
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones: zones("declared") }) });
  const { document, problems } = await plan({ cwd, environment: reaching(emulator), rateLimit: "off" });
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return cases.map((_, index) =>
    Object.fromEntries(
      (document?.changes ?? []).flatMap(({ zone, key, effect }) =>
        zone === nameOf(index) ? [[key, effect]] : [],
      ),
    ),
  );
}

/** As the service has it. */
function liveRule({ description, expression, action, skip, enabled = true, response }: Rule, index: number) {
  const { logging = true, ...parameters } = skip ?? {};
  const id = String(index).padStart(32, "a");
  const common = { id, description, expression, action, enabled };
  if (action === "execute") return { ...common, action_parameters: { id: "b".repeat(32) } };
  if (skip !== undefined) return { ...common, action_parameters: parameters, logging: { enabled: logging } };
  return response === undefined ? common : { ...common, action_parameters: { response } };
}

test("a changed custom rule has its effect among the other rules", async () => {
  const found = await effectsIn(
    ruleCases.map(([, live, declared]) => ({
      live: {
        rulesets: [{ id: "c".repeat(32), phase: "http_request_firewall_custom", rules: live.map(liveRule) }],
      },
      declared: {
        custom_rules: declared.map(({ ensure, ...rule }) =>
          ensure === undefined ? rule : { description: rule.description, ensure },
        ),
      },
    })),
  );
  const told = (effects: readonly Effects[]) =>
    Object.fromEntries(ruleCases.map(([title], index) => [title, effects[index]]));
  expect(told(found)).toEqual(told(ruleCases.map(([, , , effects]) => effects)));
});

test("a changed zone setting has the effect of its meaning", async () => {
  const found = await effectsIn(
    settingCases.map(([live, declared]) => ({
      live: { zone_settings: { values: live } },
      declared: { zone_settings: declared },
    })),
  );
  const told = (effects: readonly unknown[]) =>
    settingCases.map(([live, declared], index) => [JSON.stringify([live, declared]), effects[index]]);
  expect(told(found.map(({ zone_settings: effect }) => effect))).toEqual(
    told(settingCases.map(([, , effect]) => effect)),
  );
});

test("a changed rate limit has the effect of its fields", async () => {
  const named = { description: "Logins" };
  const found = await effectsIn(
    limitCases.map(([, live, declared]) => {
      const { action, enabled = true, expression, ...ratelimit } = { ...LIMIT, enabled: true, ...live };
      const rules =
        live === null
          ? []
          : [{ id: "a".repeat(32), ref: "a", ...named, action, enabled, expression, ratelimit }];
      return {
        live: { rulesets: [{ id: "c".repeat(32), phase: "http_ratelimit", rules }] },
        declared: {
          rate_limits: [
            declared.ensure === undefined
              ? { ...named, ...LIMIT, characteristics: ["ip.src"], ...declared }
              : { ...named, ...declared },
          ],
        },
      };
    }),
  );
  const told = (effects: readonly unknown[]) =>
    Object.fromEntries(limitCases.map(([title], index) => [title, effects[index]]));
  expect(told(found.map(({ Logins: effect }) => effect))).toEqual(
    told(limitCases.map(([, , , effect]) => effect)),
  );
});

test("the tables have more than a hundred changes", () => {
  expect(ruleCases.length + settingCases.length + limitCases.length).toBeGreaterThan(100);
});
