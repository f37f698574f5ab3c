import { fc } from "./random.js";

const expressions = fc.constantFrom(
  "true",
  'http.host eq "shop.example.com"',
  'http.host eq "blog.example.com"',
  'http.host in {"shop.example.com" "blog.example.com"}',
  'starts_with(http.request.uri.path, "/checkout")',
  'http.host eq "shop.example.com" and starts_with(http.request.uri.path, "/checkout")',
  'not starts_with(http.request.uri.path, "/checkout")',
);
const values = fc.constantFrom(
  "script-src 'self'",
  "script-src 'self' cdn.example",
  "script-src 'none'",
  "script-src other.example; connect-src 'self'",
  "connect-src 'none'",
);
const names = fc.constantFrom("A", "B", "C", "D");
const policy = fc.record({
  description: names,
  action: fc.constantFrom("allow", "allow", "allow", "log"),
  enabled: fc.constantFrom(true, true, true, false),
  expression: expressions,
  value: values,
});
const policies = fc.uniqueArray(policy, { selector: (each) => each.description, maxLength: 4 });
const entry = fc.oneof(
  { arbitrary: policy, weight: 4 },
  { arbitrary: fc.record({ description: names, ensure: fc.constant("absent") }), weight: 1 },
);
const entries = fc.uniqueArray(entry, { selector: (each) => each.description, maxLength: 4 });

const settings = fc.record({ enabled: fc.boolean() });
const managed = fc.record({
  enabled: fc.boolean(),
  paranoia_level: fc.constantFrom("PL1", "PL3"),
  score_threshold: fc.constantFrom(25, 60),
  action: fc.constantFrom("block", "log"),
});
const job = fc.record({
  name: fc.constantFrom("j", "k", "l"),
  dataset: fc.constantFrom("http_requests", "firewall_events"),
  destination_conf: fc.constant("https://logs.example/in"),
  enabled: fc.constantFrom(true, true, false),
  fields: fc.uniqueArray(fc.constantFrom("RayID", "ClientIP", "EdgeStartTimestamp"), { minLength: 1 }),
});
const jobs = fc.uniqueArray(job, { selector: (each) => each.name, maxLength: 3 });

const coreRule = fc.record({ threshold: fc.constantFrom(25, 40), enabled: fc.boolean() }).map((said) => ({
  action: "execute",
  expression: "true",
  enabled: said.enabled,
  action_parameters: {
    id: "4814384a9e5d4991b9815dcfc25d2f1f",
    overrides: { rules: [{ id: "6179ae15870a4bb7b2d480d4843b323c", score_threshold: said.threshold }] },
  },
}));
const rulesets = fc
  .array(coreRule, { maxLength: 1 })
  .map((rules) => [{ phase: "http_request_firewall_managed", rules }]);
const liveJobs = jobs.map((all) =>
  all.map(({ fields, ...each }) => ({ ...each, logpull_options: `fields=${fields}` })),
);

const anyPair = fc.record({
  live: fc.record({ settings, policies, rulesets, logpush_jobs: liveJobs }),
  zone: fc.record(
    {
      settings,
      policies: entries,
      managed_ruleset: managed,
      logpush_jobs: jobs,
      prune: fc.constantFrom([], ["policies"]),
    },
    { requiredKeys: ["policies", "prune"] },
  ),
});

/** Blocking policies that exchange their pages, or their pages and values. */
const goingRound = fc
  .record({
    policies: fc.uniqueArray(policy, { selector: (each) => each.description, minLength: 2, maxLength: 3 }),
    others: fc.array(policy, { maxLength: 1 }),
    withValues: fc.boolean(),
  })
  .map(({ policies: all, others, withValues }) => {
    const blocking = all.map((each) => ({ ...each, action: "allow", enabled: true }));
    const moved = blocking.map((each, index) => {
      const { expression, value } = blocking[(index + 1) % blocking.length] ?? each;
      return { ...each, expression, ...(withValues ? { value } : {}) };
    });
    const foreign = others.map((each) => ({ ...each, description: "Foreign" }));
    return { live: { policies: [...blocking, ...foreign] }, zone: { policies: moved } };
  });

/** A live zone and its file, hard to order: pages, values and logs overlap. */
export const overlapping = fc.oneof({ arbitrary: anyPair, weight: 2 }, { arbitrary: goingRound, weight: 1 });
