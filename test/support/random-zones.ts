import type { Dialect, LogpushJobSeed } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { fc } from "./random.js";
import {
  customRules,
  liveCustomRules,
  liveRateLimits,
  liveZoneSettings,
  rateLimits,
  zoneSettings,
} from "./random-rules.js";

/** Names and values come from small pools, so that they collide. */
const names = fc.constantFrom("A", "B", "C", "D", "E");
const values = fc.constantFrom(
  "script-src 'self'",
  "SCRIPT-SRC 'Self';",
  "img-src a.example b.example",
  "img-src b.example A.example",
  "script-src 'none'",
);
const expressions = fc.constantFrom("true", ' http.host eq "a" ', 'http.host  eq "a"', 'http.host eq "b"');
const actions = fc.constantFrom("log", "allow");

const livePolicy = fc.record({
  description: names,
  action: actions,
  enabled: fc.boolean(),
  expression: expressions,
  value: values,
});
const settings = fc.record(
  {
    enabled: fc.boolean(),
    use_cloudflare_reporting_endpoint: fc.boolean(),
    use_connection_url_path: fc.boolean(),
  },
  { requiredKeys: [] },
);
const entry = fc.oneof(
  fc.record(
    {
      description: names,
      renamed_from: names,
      action: actions,
      enabled: fc.boolean(),
      expression: expressions,
      value: values,
    },
    { requiredKeys: ["description"] },
  ),
  fc.record({ description: names, action: actions, expression: expressions, value: values }),
  fc.record({ description: names, ensure: fc.constant("absent") }),
);

const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORING = "6179ae15870a4bb7b2d480d4843b323c";
const tags = fc.constantFrom("platform-wordpress", "platform-drupal");
const rules = fc.constantFrom("1".repeat(32), "2".repeat(32), "3".repeat(32));
const some = { requiredKeys: [] };
const levelTag = fc.constantFrom(...[1, 2, 3, 4].map((level) => `paranoia-level-${level}`));
const category = fc.oneof(
  fc.record({ category: fc.oneof(levelTag, tags), enabled: fc.boolean() }),
  fc.record({ category: tags, action: actions.map(() => "log"), enabled: fc.boolean() }),
);
const ruleOverride = fc.oneof(
  fc.record({ id: rules, enabled: fc.boolean() }),
  fc.record({ id: rules, action: fc.constant("log") }),
  fc.record({ id: fc.constant(SCORING), score_threshold: fc.constantFrom(25, 40, 60, 99) }),
);
/** The service refuses an override without any setting. */
const saysSomething = (override: object) => Object.keys(override).length > 1;
const overrides = fc
  .record(
    {
      categories: fc.uniqueArray(category, { selector: (each) => each.category, minLength: 1, maxLength: 4 }),
      rules: fc.uniqueArray(ruleOverride, { selector: (each) => each.id, minLength: 1, maxLength: 3 }),
    },
    some,
  )
  .map((each) => (Object.keys(each).length === 0 ? {} : { overrides: each }));
const coreRule = fc
  .record({ expression: expressions, enabled: fc.boolean(), overrides })
  .map(({ overrides: more, ...rule }) => ({
    ...rule,
    action: "execute",
    action_parameters: { id: CORE, ...more },
  }));
const foreignRule = fc.constant({
  action: "execute",
  expression: "true",
  action_parameters: { id: "efb7b8c949ac4650a09736fc376e9aee", odd: [null] },
});
const VENDORS = "efb7b8c949ac4650a09736fc376e9aee";
const vendorsRule = fc
  .record({
    expression: expressions,
    enabled: fc.boolean(),
    overrides: fc.record(
      {
        action: fc.constantFrom("log", "block"),
        categories: fc.uniqueArray(
          fc
            .record(
              { category: tags, enabled: fc.boolean(), action: fc.constant("log") },
              { requiredKeys: ["category"] },
            )
            .filter(saysSomething),
          { selector: (each) => each.category, minLength: 1, maxLength: 2 },
        ),
        rules: fc.uniqueArray(
          fc
            .record(
              { id: rules, enabled: fc.boolean(), action: fc.constant("log") },
              { requiredKeys: ["id"] },
            )
            .filter(saysSomething),
          { selector: (each) => each.id, minLength: 1, maxLength: 2 },
        ),
      },
      some,
    ),
  })
  .map(({ overrides: own, ...rule }) => ({
    ...rule,
    action: "execute",
    action_parameters: { id: VENDORS, ...(Object.keys(own).length === 0 ? {} : { overrides: own }) },
  }));
const exceptionNames = fc.constantFrom("x", "y", "z");
const skipRule = fc
  .record({
    description: exceptionNames,
    expression: expressions,
    enabled: fc.boolean(),
    action_parameters: fc.oneof(
      fc.constant({ ruleset: "current" }),
      fc.subarray([CORE, VENDORS], { minLength: 1 }).map((rulesets) => ({ rulesets })),
      fc
        .subarray(["1".repeat(32), "2".repeat(32)], { minLength: 1 })
        .map((ids) => ({ rules: { [CORE]: ids } })),
    ),
  })
  .map((rule) => ({ ...rule, action: "skip" }));
const exception = fc.oneof(
  fc.record(
    {
      description: exceptionNames,
      expression: expressions,
      enabled: fc.boolean(),
      skip: fc.oneof(
        fc.constant("all"),
        fc.subarray(["Cloudflare Managed Ruleset", CORE], { minLength: 1 }),
        fc.uniqueArray(rules, { minLength: 1, maxLength: 2 }).map((ids) => ({ [CORE]: ids })),
      ),
    },
    { requiredKeys: ["description"] },
  ),
  fc.record({ description: exceptionNames, ensure: fc.constant("absent") }),
);
const headers = fc.constantFrom("a", "b", "c");
const list = fc.uniqueArray(headers, { minLength: 1, maxLength: 3 });
const fieldsRule = fc
  .record(
    {
      request_fields: list.map((names) => names.map((name) => ({ name }))),
      cookie_fields: list.map((names) => names.map((name) => ({ name }))),
    },
    some,
  )
  .filter((lists) => Object.keys(lists).length > 0)
  .map((lists) => ({ action: "log_custom_field", expression: "true", action_parameters: lists }));
const liveRulesets = fc
  .record({
    managed: fc.option(
      fc.tuple(
        fc.array(skipRule, { maxLength: 2 }),
        fc.array(fc.oneof(foreignRule, vendorsRule), { maxLength: 1 }),
        fc.array(skipRule, { maxLength: 1 }),
        fc.array(coreRule, { maxLength: 1 }),
        fc.array(skipRule, { maxLength: 1 }),
      ),
    ),
    fields: fc.option(fc.array(fieldsRule, { maxLength: 1 })),
    custom: fc.option(liveCustomRules),
    limits: fc.option(liveRateLimits),
  })
  .map(({ managed, fields, custom, limits }) => [
    ...(managed === null ? [] : [{ phase: "http_request_firewall_managed", rules: managed.flat() }]),
    ...(fields === null ? [] : [{ phase: "http_log_custom_fields", rules: fields }]),
    ...(custom === null ? [] : [{ phase: "http_request_firewall_custom", rules: custom }]),
    ...(limits === null ? [] : [{ phase: "http_ratelimit", rules: limits }]),
  ]);
const scored = {
  enabled: fc.boolean(),
  paranoia_level: fc.constantFrom("PL1", "PL2", "PL3", "PL4"),
  score_threshold: fc.constantFrom("low", "high", 33),
  action: fc.constantFrom("block", "log", "js_challenge"),
  expression: expressions,
  disabled_tags: fc.uniqueArray(tags, { maxLength: 2 }),
  disabled_rules: fc.uniqueArray(rules, { maxLength: 2 }),
};
const absent = fc.constant("absent");
const managedRuleset = fc.oneof(fc.record({ ensure: absent }), fc.record(scored, some));
const tuning = fc.record({ enabled: fc.boolean(), action: fc.constantFrom("log", "default") }, some);
const unscored = {
  enabled: fc.boolean(),
  action: fc.constantFrom("log", "managed_challenge", "default"),
  expression: expressions,
  tags: fc.dictionary(
    tags,
    tuning.filter((each) => Object.keys(each).length > 0),
    { maxKeys: 2 },
  ),
  rules: fc.dictionary(
    rules,
    tuning.filter((each) => Object.keys(each).length > 0),
    { maxKeys: 2 },
  ),
};
const coreName = fc.constantFrom("Cloudflare OWASP Core Ruleset", CORE);
const vendorsName = fc.constantFrom("Cloudflare Managed Ruleset", VENDORS);
const ofList = { requiredKeys: ["ruleset"] as ["ruleset"] };
/** Each ruleset once, in any order. */
const managedRulesets = fc
  .tuple(
    fc.oneof(
      fc.record({ ruleset: coreName, ensure: absent }),
      fc.record({ ruleset: coreName, ...scored }, ofList),
    ),
    fc.oneof(
      fc.record({ ruleset: vendorsName, ensure: absent }),
      fc.record({ ruleset: vendorsName, ...unscored }, ofList),
    ),
  )
  .chain((both) => fc.shuffledSubarray<object>(both, { minLength: 1 }));
const customFields = fc.oneof(
  fc.constant({ ensure: "absent" }),
  fc.record({ request_fields: list, cookie_fields: list, response_fields: fc.constant([]) }, some),
);
const jobNames = fc.constantFrom("j", "k", "l");
const datasets = fc.constantFrom("http_requests", "firewall_events");
const destinations = fc.constantFrom("https://a.example/logs", "https://b.example/logs");
const logged = fc.uniqueArray(fc.constantFrom("RayID", "ClientIP", "Cookies", "RequestHeaders"), {
  minLength: 1,
  maxLength: 3,
});
/** Null: the object has no name and is identified by its id. */
const liveJob = fc
  .record({
    name: fc.option(jobNames, { freq: 5 }),
    dataset: datasets,
    destination_conf: destinations,
    enabled: fc.boolean(),
    fields: logged,
    style: fc.boolean(),
  })
  .map(({ fields, style, name, ...rest }): LogpushJobSeed => {
    const job = name === null ? rest : { name, ...rest };
    return style
      ? { ...job, output_options: { field_names: fields } }
      : { ...job, logpull_options: `fields=${fields}&timestamps=rfc3339` };
  });
const job = fc.oneof(
  fc.record(
    {
      name: jobNames,
      dataset: datasets,
      destination_conf: destinations,
      enabled: fc.boolean(),
      fields: logged,
      timestamps: fc.constantFrom("rfc3339", "unix"),
    },
    { requiredKeys: ["name"] },
  ),
  fc.record({ name: jobNames, ensure: fc.constant("absent") }),
);

const withRuleset = fc.oneof(
  fc.constant({}),
  managedRuleset.map((managed_ruleset) => ({ managed_ruleset })),
  managedRulesets.map((managed_rulesets) => ({ managed_rulesets })),
);

const bodies = {
  settings,
  policies: fc.uniqueArray(entry, { selector: (each) => each.description, maxLength: 4 }),
  managed_exceptions: fc.uniqueArray(exception, { selector: (each) => each.description, maxLength: 3 }),
  custom_log_fields: customFields,
  logpush_jobs: fc.uniqueArray(job, { selector: (each) => each.name, maxLength: 3 }),
  custom_rules: customRules,
  rate_limits: rateLimits,
  zone_settings: zoneSettings,
};
const withoutRuleset = fc.record(bodies, { requiredKeys: [] });
const pruned = fc.subarray(
  ["policies", "logpush_jobs", "managed_exceptions", "custom_rules", "rate_limits"],
  {
    maxLength: 2,
  },
);

/** The kinds in these zones. */
export const randomKinds = kinds.filter(
  ({ section }) => section === "managed_ruleset" || Object.hasOwn(bodies, section),
);

/** The body of a zone in a file. Only declared sections can be pruned. */
export const zone = fc
  .tuple(withoutRuleset, withRuleset, fc.option(pruned, { freq: 2 }))
  .map(([sections, ruleset, prune]) => ({
    ...sections,
    ...ruleset,
    ...(prune === null ? {} : { prune: prune.filter((each) => each in sections) }),
  }));

type Body = typeof zone extends fc.Arbitrary<infer Of> ? Of : never;

/** The interface dialect has no zone settings and cannot list jobs, so neither converges there. */
export function convergingIn(dialect: Dialect, body: Body): Body {
  if (dialect === "service") return body;
  const { logpush_jobs: _, zone_settings: __, ...sections } = body;
  return "prune" in sections
    ? { ...sections, prune: sections.prune.filter((each) => each !== "logpush_jobs") }
    : sections;
}

/** The live state of a zone. */
export const liveZone = fc.record({
  settings,
  policies: fc.array(livePolicy, { maxLength: 4 }),
  rulesets: liveRulesets,
  logpush_jobs: fc.array(liveJob, { maxLength: 3 }),
  zone_settings: liveZoneSettings,
});
