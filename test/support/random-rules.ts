import type { JsonObject } from "../../src/model/json.js";
import { fc } from "./random.js";

/** Rules that the files may declare, and rules that only others have. */
const names = fc.constantFrom("R", "S", "T");
const othersNames = fc.constantFrom("Office", "Bots", "");
const expressions = fc.constantFrom(
  "true",
  ' http.request.uri.path eq "/a" ',
  'http.request.uri.path  eq "/a"',
  'starts_with(http.request.uri.path, "/a")',
  "ip.src eq 192.0.2.1",
);
const some = { requiredKeys: [] };
const mostly = fc.constantFrom(true, true, true, false);

/** What a rule does, as the service and as a file have it. */
interface Doing {
  readonly live: JsonObject;
  readonly declared: JsonObject;
}

function alike(members: JsonObject): Doing {
  return { live: members, declared: members };
}

const response = fc.record({
  status_code: fc.constantFrom(403, 429),
  content_type: fc.constantFrom("text/plain", "text/html"),
  content: fc.constantFrom("No", ""),
});
const stopping: fc.Arbitrary<Doing> = fc.oneof(
  fc.constantFrom("block", "managed_challenge", "js_challenge", "log").map((action) => alike({ action })),
  response.map((each) => ({
    live: { action: "block", action_parameters: { response: each } },
    declared: { action: "block", response: each },
  })),
);
const phases = fc.subarray(["http_ratelimit", "http_request_sbfm", "http_request_firewall_managed"], {
  minLength: 1,
});
const products = fc.subarray(["bic", "hot", "zoneLockdown"], { minLength: 1 });
const skipping: fc.Arbitrary<Doing> = fc
  .record({
    skip: fc.oneof<fc.Arbitrary<JsonObject>[]>(
      fc.constant({ ruleset: "current" }),
      phases.map((list) => ({ phases: list })),
      phases.map((list) => ({ ruleset: "current", phases: list })),
      products.map((list) => ({ products: list })),
      products.map((list) => ({ phase: "current", products: list })),
    ),
    isLogged: mostly,
  })
  .map(({ skip, isLogged }) => ({
    live: { action: "skip", action_parameters: skip, logging: { enabled: isLogged } },
    declared: { action: "skip", skip: isLogged ? skip : { ...skip, logging: false } },
  }));
const customDoing = fc.oneof({ arbitrary: stopping, weight: 2 }, { arbitrary: skipping, weight: 1 });

const characteristics = fc.oneof(
  fc.subarray(["ip.src", "http.host", 'http.request.headers["x-key"]'], { minLength: 1 }),
  fc.constant(["cf.unique_visitor_id"]),
);
const count = fc.oneof(
  fc.constantFrom(5, 100).map((requests_per_period) => ({ requests_per_period })),
  fc.constant({ score_per_period: 400, score_response_header_name: "x-score" }),
);
const limits = fc
  .record({
    rate: fc.record({ characteristics, period: fc.constantFrom(10, 60) }),
    count,
    more: fc.record(
      {
        mitigation_timeout: fc.constantFrom(0, 60, 600),
        counting_expression: fc.constantFrom("", "http.response.code eq 401"),
        requests_to_origin: fc.boolean(),
      },
      some,
    ),
  })
  .map(({ rate, count: most, more }) => ({ ...rate, ...most, ...more }));
const limitDoing: fc.Arbitrary<Doing> = fc
  .record({ does: stopping, limit: limits, isColoFirst: fc.boolean() })
  .map(({ does: { live, declared }, limit, isColoFirst }) => {
    const named = limit.characteristics;
    const counted = isColoFirst ? ["cf.colo.id", ...named] : [...named, "cf.colo.id"];
    return {
      live: { ...live, ratelimit: { ...limit, characteristics: counted } },
      declared: { ...declared, ...limit },
    };
  });

/** The rules of a zone: each declared name once, others' names any number of times. */
function liveList(doing: fc.Arbitrary<Doing>) {
  const rule = fc
    .record({
      description: fc.oneof({ arbitrary: names, weight: 2 }, { arbitrary: othersNames, weight: 1 }),
      expression: expressions,
      enabled: mostly,
      does: doing,
    })
    .map(({ does: { live }, ...each }) => ({ ...each, ...live, action: String(live.action) }));
  return fc.array(rule, { maxLength: 4 }).map((rules) => {
    const isFirst = (name: string, index: number) =>
      rules.findIndex(({ description }) => description === name) === index;
    return rules.filter(
      ({ description }, index) => !/^[RST]$/.test(description) || isFirst(description, index),
    );
  });
}

const position = fc.constantFrom<JsonObject>(
  ...Array.from({ length: 12 }, () => ({})),
  { position: "first" },
  { position: "last" },
  { position: { before: "Office" } },
  { position: { after: "Bots" } },
);

function declaredList(doing: fc.Arbitrary<Doing>) {
  const whole = fc
    .record({
      rule: fc.record({ description: names, expression: expressions }),
      does: doing,
      place: position,
    })
    .map(({ rule, does, place }) => ({ ...rule, ...does.declared, ...place }));
  const entry = fc.oneof<fc.WeightedArbitrary<JsonObject & { readonly description: string }>[]>(
    { arbitrary: whole, weight: 5 },
    { arbitrary: fc.tuple(whole, fc.boolean()).map(([each, enabled]) => ({ ...each, enabled })), weight: 2 },
    {
      arbitrary: fc.record(
        { description: names, enabled: fc.boolean(), expression: expressions },
        {
          requiredKeys: ["description"],
        },
      ),
      weight: 1,
    },
    { arbitrary: names.map((description) => ({ description, ensure: "absent" })), weight: 1 },
  );
  return fc.uniqueArray(entry, { selector: ({ description }) => description, maxLength: 3 });
}

export const liveCustomRules = liveList(customDoing);
export const liveRateLimits = liveList(limitDoing);
export const customRules = declaredList(customDoing);
export const rateLimits = declaredList(limitDoing);

const header = {
  enabled: fc.boolean(),
  max_age: fc.constantFrom(0, 86_400, 31_536_000),
  include_subdomains: fc.boolean(),
  preload: fc.boolean(),
  nosniff: fc.boolean(),
};
const ciphers = fc.subarray(["ECDHE-ECDSA-AES128-GCM-SHA256", "AES128-SHA", "AES256-SHA"]);
const values = {
  ssl: fc.constantFrom("flexible", "full", "strict", "origin_pull"),
  min_tls_version: fc.constantFrom("1.0", "1.2", "1.3"),
  ciphers,
  security_level: fc.constantFrom("essentially_off", "medium", "under_attack"),
  challenge_ttl: fc.constantFrom(300, 1800),
};
const words = fc.constantFrom("on", "off");

/** What the zone's Cloudflare plan does not have, or does not let anybody change. */
const lacking = fc.constantFrom<{ readonly unavailable?: string[]; readonly not_editable?: string[] }>(
  ...Array.from({ length: 9 }, () => ({})),
  { unavailable: ["ciphers"] },
  { unavailable: ["ciphers", "http3"], not_editable: ["tls_1_3"] },
  { not_editable: ["security_level"] },
);

export const liveZoneSettings = fc
  .record({
    values: fc.record(
      {
        ...values,
        tls_1_3: fc.constantFrom("on", "off", "zrt"),
        always_use_https: words,
        http3: words,
        security_header: fc.record(header).map((each) => ({ strict_transport_security: each })),
      },
      some,
    ),
    lacks: lacking,
  })
  .map(({ values: set, lacks }) => ({ values: set, ...lacks }));

export const zoneSettings = fc.record(
  {
    ...values,
    tls_1_3: fc.constantFrom<string | boolean>("on", true, "off", false, "zrt"),
    always_use_https: fc.constantFrom<string | boolean>("on", true, "off", false),
    security_header: fc.record(header, some),
    other: fc.record({ http3: words }, some),
  },
  some,
);
