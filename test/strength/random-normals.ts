import type { SealedObject } from "../../src/model/sealed.js";
import { fc } from "../support/random.js";

const SOURCES = [
  "'self'",
  "cdn.example",
  "*.cdn.example",
  "https:",
  "https://cdn.example/app.js",
  "other.example:8443",
  "'unsafe-inline'",
  "'nonce-abc'",
  "'strict-dynamic'",
];

/** Random objects of each kind in their normal form. */
export const normals: { readonly [kind: string]: fc.Arbitrary<SealedObject> } = {
  settings: fc.record({ enabled: fc.boolean(), use_cloudflare_reporting_endpoint: fc.boolean() }),
  policy: fc.record({
    action: fc.constantFrom("allow", "allow", "allow", "log", "add_reporting_directives", "quarantine"),
    enabled: fc.constantFrom(true, true, true, true, false),
    expression: fc.constantFrom(
      "true",
      'http.host eq "shop.example"',
      'http.host in {"shop.example" "blog.example"}',
      'starts_with(http.request.uri.path, "/checkout")',
      'http.host eq "shop.example" and starts_with(http.request.uri.path, "/checkout")',
      'not starts_with(http.request.uri.path, "/checkout")',
      'http.request.uri.path matches "^/c[a-h]+"',
      'ip.src.country eq "DE"',
      "no expression",
    ),
    value: fc.array(directive(), { minLength: 1, maxLength: 3 }).map((all) => all.join("; ")),
  }),
  managed_ruleset: fc.oneof(managed("disabled_rules"), managed("rules")),
  managed_exception: fc.record({
    enabled: fc.constantFrom(true, true, true, false),
    expression: fc.constantFrom(
      "true",
      "false",
      'http.host eq "shop.example"',
      'http.host in {"shop.example" "blog.example"}',
      'starts_with(http.request.uri.path, "/checkout")',
      'http.request.uri.path matches "^/c[a-h]+"',
      'ip.src.country eq "DE"',
      "no expression",
    ),
    skip: fc.oneof(
      fc.constant("all"),
      fc.subarray(["Cloudflare Managed Ruleset", "Own rules"], { minLength: 1 }),
      fc.dictionary(
        fc.constantFrom("Cloudflare Managed Ruleset", "Own rules"),
        fc.subarray(["1a", "2b", "3c"], { minLength: 1 }),
        { minKeys: 1 },
      ),
    ),
  }),
  custom_log_fields: fc.record(
    {
      enabled: fc.constantFrom(true, true, false),
      expression: fc.constantFrom("true", 'http.host eq "shop.example"', "ssl", "no expression"),
      request_fields: fc.subarray(["accept", "host", { name: "accept", preserve_duplicates: true }]),
      cookie_fields: fc.subarray(["sid", "SID"]),
    },
    { requiredKeys: ["enabled", "expression"] },
  ),
  logpush_job: fc.record(
    {
      enabled: fc.constantFrom(true, true, false),
      dataset: fc.constantFrom("http_requests", "firewall_events"),
      fields: fc.subarray(["RayID", "ClientIP", "Cookies"]),
      sample_rate: fc.constantFrom(1, 0.5, 0.1, "some"),
      "extra.sample_rate": fc.constantFrom(1, 0.1, "some"),
      "extra.filter": fc.constantFrom<SealedObject[string]>(
        "",
        '{"a":1}',
        '{"b":1}',
        { $sensitive: "different" },
        { $sensitive: "absent" },
        { $secret: "env:FILTER" },
      ),
    },
    { requiredKeys: ["enabled", "dataset", "fields", "extra.filter"] },
  ),
};

function directive(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom("script-src", "connect-src", "default-src", "img-src", "script-src-elem"),
      fc.subarray(SOURCES),
    )
    .map(([name, sources]) => [name, ...sources].join(" "));
}

function managed(single: "rules" | "disabled_rules"): fc.Arbitrary<SealedObject> {
  const id = fc.constantFrom("aaa", "bbb");
  const action = fc.constantFrom("block", "log", "challenge", "js_challenge", "quarantine");
  const said = fc.record({ enabled: fc.boolean(), action }, { requiredKeys: [] });
  return fc.record(
    {
      enabled: fc.constantFrom(true, true, true, false),
      expression: fc.constantFrom("true", "ssl", 'http.host eq "shop.example"', "no expression"),
      paranoia_level: fc.constantFrom("PL1", "PL2", "PL4", "custom: 1 off, 2 on, 3 off, 4 off"),
      score_threshold: fc.constantFrom(25, 40, 60),
      action: fc.oneof(action, fc.constant("none")),
      disabled_tags: fc.subarray(["platform-php", "platform-iis"]),
      [single]:
        single === "rules"
          ? fc.dictionary(id, said, { maxKeys: 2, noNullPrototype: true })
          : fc.subarray(["aaa", "bbb"]),
    },
    { requiredKeys: ["enabled", "expression", "paranoia_level", "disabled_tags", single] },
  );
}
