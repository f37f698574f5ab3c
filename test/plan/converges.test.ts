import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { apply, createEmulator, type Dialect, plan, type Seed } from "../../src/index.js";
import { kinds } from "../../src/kinds/index.js";
import { folderWith, reaching } from "../support/cli.js";
import { objectsOf } from "../support/objects.js";

/**
 * Random live states against random files: whatever can be planned is applied as planned, leaves nothing to do,
 * and leaves what nobody declared as it was. Names and values come from small pools, so that they collide.
 */
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
      fc.tuple(fc.array(foreignRule, { maxLength: 1 }), fc.array(coreRule, { maxLength: 1 })),
    ),
    fields: fc.option(fc.array(fieldsRule, { maxLength: 1 })),
  })
  .map(({ managed, fields }) => [
    ...(managed === null ? [] : [{ phase: "http_request_firewall_managed", rules: managed.flat() }]),
    ...(fields === null ? [] : [{ phase: "http_log_custom_fields", rules: fields }]),
  ]);
const managedRuleset = fc.oneof(
  fc.constant({ ensure: "absent" }),
  fc.record(
    {
      enabled: fc.boolean(),
      paranoia_level: fc.constantFrom("PL1", "PL2", "PL3", "PL4"),
      score_threshold: fc.constantFrom("low", "high", 33),
      action: fc.constantFrom("block", "log", "js_challenge"),
      expression: expressions,
      disabled_tags: fc.uniqueArray(tags, { maxLength: 2 }),
      disabled_rules: fc.uniqueArray(rules, { maxLength: 2 }),
    },
    some,
  ),
);
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
const liveJob = fc
  .record({
    name: jobNames,
    dataset: datasets,
    destination_conf: destinations,
    enabled: fc.boolean(),
    fields: logged,
    style: fc.boolean(),
  })
  .map(({ fields, style, ...job }) =>
    style
      ? { ...job, output_options: { field_names: fields } }
      : { ...job, logpull_options: `fields=${fields}&timestamps=rfc3339` },
  );
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

const zone = fc.record(
  {
    settings,
    policies: fc.uniqueArray(entry, { selector: (each) => each.description, maxLength: 4 }),
    managed_ruleset: managedRuleset,
    custom_log_fields: customFields,
    logpush_jobs: fc.uniqueArray(job, { selector: (each) => each.name, maxLength: 3 }),
    prune: fc.constantFrom(["policies"], ["policies", "logpush_jobs"]),
  },
  { requiredKeys: [] },
);
const liveZone = fc.record({
  settings,
  policies: fc.array(livePolicy, { maxLength: 4 }),
  rulesets: liveRulesets,
  logpush_jobs: fc.array(liveJob, { maxLength: 3 }),
});

const ids = { "a.example.com": "a".repeat(32), "b.example.com": "b".repeat(32) };
const story = fc.record({
  dialect: fc.constantFrom<Dialect>("service", "interface"),
  live: fc.record({ "a.example.com": liveZone, "b.example.com": liveZone }),
  config: fc.record({ "a.example.com": zone, "b.example.com": zone }),
});

test("random zones converge in one apply, by exactly the calls that were planned", async () => {
  const cwd = await folderWith({});
  const changed = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(story, async ({ dialect, live, config }) => {
      const emulator = await createEmulator({ dialect, seed: seedOf(live) });
      try {
        // The interface has no way to list jobs, so there is no convergence to speak of.
        const zones = dialect === "service" ? config : mapValues(config, withoutJobs);
        await writeFile(path.join(cwd, "zoneward.yaml"), JSON.stringify({ version: 1, zones }));
        const options = { cwd, environment: reaching(emulator), rateLimit: "off", allow: ["prune_all"] };
        const first = await plan(options);
        fc.pre(first.document !== null);
        const { document } = first;
        if (document === null) return;
        for (const { kind } of document.changes) changed.set(kind, (changed.get(kind) ?? 0) + 1);
        expect((await plan(options)).document).toEqual(document);
        const before = emulator.state();
        const { report } = await apply(options);
        const failed = document.zones.filter((each) => each.status === "failed").map((each) => each.zone);
        expect(report?.zones.filter((each) => !each.converged).map((each) => each.zone)).toEqual(failed);
        expect(comparable(emulator.writes())).toEqual(comparable(document.calls));
        expect((await plan(options)).document?.changes).toEqual([]);
        const touched = new Set(document.changes.map(({ id, zone, kind }) => id ?? `${zone} ${kind}`));
        const after = objectsOf(emulator.state());
        for (const [key, text] of objectsOf(before)) if (!touched.has(key)) expect(after.get(key)).toBe(text);
        expect(
          document.changes.every(
            (each, index) =>
              each.fields.length > 0 && document.calls.some((call) => call.changes.includes(index)),
          ),
        ).toBe(true);
      } finally {
        await emulator.close();
      }
    }),
    { numRuns: 150 },
  );
  expect([...changed.keys()].sort()).toEqual(kinds.map(({ name }) => name).sort());
  expect(Math.min(...changed.values())).toBeGreaterThan(30);
}, 120_000);

function seedOf(live: Readonly<Record<string, object>>): Seed {
  return {
    zones: Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, { id, ...live[name] }])),
  };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Calls without what a plan cannot know or say: the id of a new ruleset, and where logs go. */
function comparable(calls: readonly Call[]): readonly Call[] {
  return calls.map(({ method, path: at, body }) => {
    const { destination_conf: _, ...rest } = (body ?? {}) as Record<string, unknown>; // a body is an object
    return {
      method,
      path: method === "PUT" ? at.replace(/\/rulesets\/[^/]+$/, "/rulesets/…") : at,
      body: rest,
    };
  });
}

function mapValues<T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

function withoutJobs({
  logpush_jobs: _,
  prune: _p,
  ...rest
}: object & { logpush_jobs?: unknown; prune?: unknown }) {
  return rest;
}
