import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Seed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ID = "353c8d1a7323a8d9ca50e4ef0135e023";
const CORE = "Cloudflare OWASP Core Ruleset";

/** Runs `validate` on a file with these lines. */
async function validated(lines: string, ...flags: readonly string[]) {
  const cwd = await folderWith({ "zoneward.yaml": `version: 1\n${lines}` });
  return zoneward(["validate", ...flags], { cwd });
}

const POLICIES = `    policies:
      - { description: Pay, action: allow, expression: 'starts_with(http.request.uri.path, "/pay")', value: "script-src 'self' https://js.example" }
      - { description: Seen, action: log, expression: "true", value: "connect-src 'self'" }
`;

const ofZone = (tests: string, sections = POLICIES) =>
  `zones:\n  shop.example.com:\n${sections}    tests:\n${tests.replace(/^/gm, "      ")}\n`;

test("validate runs page tests on the declared policies, and explains a failure at its line", async () => {
  const passing = await validated(
    ofZone(`- page: https://\${zone}/pay/now
  scripts: { allowed: [https://js.example/a.js, /own.js], blocked: [https://evil.example/x.js] }
  connections: { allowed: [https://evil.example/], reported: [https://evil.example/] }
- { page: "https://shop.example.com/", scripts: { allowed: [https://evil.example/x.js] } }`),
  );
  expect(passing).toEqual({ code: 0, out: "Valid: 1 zone, 2 tests.\n", err: expect.any(String) });
  const failing = await validated(
    ofZone(`- page: https://\${zone}/pay/now
  scripts:
    allowed: [https://evil.example/x.js]
    reported: [https://evil.example/x.js]
  connections:
    blocked: [https://evil.example/]
- page: https://\${zone}/
  scripts: { blocked: [https://evil.example/x.js] }`),
  );
  expect(failing.code).toBe(1);
  expect(failing.err).toContain(
    "zoneward.yaml:10:21: error: Test fails\n  The script https://evil.example/x.js must be allowed on https://shop.example.com/pay/now. The policy \"Pay\" blocks the load. The script https://evil.example/x.js is refused: script-src lists 'self', https://js.example; none matches.\n",
  );
  expect(failing.err).toContain("zoneward.yaml:11:22: error: Test fails\n");
  expect(failing.err).toContain(
    "zoneward.yaml:13:21: error: Test fails\n  The connection to https://evil.example/ must be blocked on https://shop.example.com/pay/now. The load is allowed: the policy \"Seen\" only reports the load (action: log). The connection to https://evil.example/ is refused: connect-src lists 'self'; none matches.\n",
  );
  expect(failing.err).toContain("The load is allowed. No blocking policy applies to the page.");
  expect(failing.err).toContain("\n4 errors.\n");
});

test("a connection test is undecided if the page upgrades it and the answer depends on the API", async () => {
  const policies = `    policies:
      - { description: Lock, action: allow, expression: "true", value: "connect-src https://cdn.example" }
      - { description: Upgrade, action: allow, expression: "true", value: upgrade-insecure-requests }
`;
  const ask = (asks: string) =>
    validated(ofZone(`- { page: "http://shop.example.com/", connections: { ${asks} } }`, policies));
  for (const wanted of ["allowed", "blocked"])
    expect((await ask(`${wanted}: ["http://cdn.example/a"]`)).err).toContain(
      'The load may be blocked: the policy "Lock" is undecided: the page upgrades insecure loads of XMLHttpRequest and not of fetch, and the sender is unknown.',
    );
  expect((await ask(`allowed: ["https://cdn.example/a"], blocked: ["http://x.example/a"]`)).code).toBe(0);
});

const RULES = `    managed_ruleset: { expression: 'http.request.method eq "POST"' }
    managed_exceptions:
      - { description: Uploads, expression: 'http.request.uri.path eq "/upload"', skip: [${CORE}] }
      - { description: One rule, expression: "true", skip: { ${CORE}: [6179ae15870a4bb7b2d480d4843b323d] } }
      - { description: "Off", enabled: false, expression: "true", skip: all }
    custom_log_fields: { request_fields: [content-type], cookie_fields: [Cart] }
`;

test("request tests check managed rulesets with exceptions, and logged fields", async () => {
  const passing = await validated(
    ofZone(
      `- request: { method: POST, path: /search }
  managed_rulesets: { applies: [${CORE}, 4814384A9E5D4991B9815DCFC25D2F1F], does_not_apply: [Cloudflare Managed Ruleset] }
  log: { request_fields: [Content-Type], cookie_fields: [Cart] }
  does_not_log: { request_fields: [authorization], cookie_fields: [cart] }
- { request: { method: POST, path: /upload }, managed_rulesets: { does_not_apply: [${CORE}] } }
- { page: "https://shop.example.com/", managed_rulesets: { does_not_apply: [${CORE}] } }`,
      RULES,
    ),
  );
  expect([passing.code, passing.out]).toEqual([0, "Valid: 1 zone, 3 tests.\n"]);
  const failing = await validated(
    ofZone(
      `- name: Uploads are scanned
  request: { method: POST, path: /upload }
  managed_rulesets: { applies: [${CORE}, Cloudflare Managed Ruleset] }
- { request: {}, managed_rulesets: { applies: [${CORE}] }, log: { response_fields: [server] } }`,
      RULES,
    ),
  );
  expect(failing.code).toBe(1);
  expect(failing.err).toContain(
    `Uploads are scanned: ${CORE} must apply to POST https://shop.example.com/upload. The exception "Uploads" skips the ruleset for this request.`,
  );
  expect(failing.err).toContain("No rule in this zone executes the ruleset.");
  expect(failing.err).toContain('The request does not match http.request.method eq "POST".');
  expect(failing.err).toContain("decides, and logs nothing (response_fields).");
});

const CUSTOM = `    managed_ruleset: {}
    custom_rules:
      - { description: "Off", enabled: false, expression: "true", action: block }
      - { description: Seen, expression: "true", action: log }
      - { description: Partners, expression: "ip.src in {192.0.2.0/24}", action: skip, skip: { ruleset: current, phases: [http_request_firewall_managed] } }
      - { description: Health, expression: 'http.request.uri.path eq "/health"', action: skip, skip: { phases: [http_ratelimit], products: [bic] } }
      - { description: Robots, expression: cf.client.bot, action: js_challenge }
      - { description: Old API, expression: 'starts_with(http.request.uri.path, "/v1/")', action: block }
      - { description: Uploads, expression: 'http.request.uri.path eq "/v1/upload" or http.request.uri.path eq "/upload"', action: skip, skip: { phases: [http_request_firewall_managed] } }
`;

/** The answer to a test of a request: its path, its other facts, and what is asked of it. */
async function answerTo(path: string, fields: Record<string, unknown>, asks: string, sections = CUSTOM) {
  const request = JSON.stringify({ path, fields });
  const { code, err } = await validated(ofZone(`- { request: ${request}, ${asks} }`, sections));
  return code === 0 ? "passes" : (/Test (?:fails|is undecided)\n {2}(.*)/.exec(err)?.[1] ?? err);
}

const PERSON = { "ip.src": "198.51.100.7", "cf.client.bot": false };

test.each<[outcome: string, path: string, fields: Record<string, unknown>]>([
  ["passed", "/", PERSON],
  ["blocked", "/v1/users", PERSON],
  ["challenged", "/v1/users", { ...PERSON, "cf.client.bot": true }],
  ["skipped", "/v1/users", { ...PERSON, "ip.src": "192.0.2.1", "cf.client.bot": true }],
  ["skipped", "/v1/users", { "ip.src": "192.0.2.1" }],
  ["skipped", "/health", PERSON],
  ["challenged", "/health", { ...PERSON, "cf.client.bot": true }],
])("custom rules: %s on %s with %j", async (outcome, path, fields) => {
  for (const asked of ["blocked", "challenged", "skipped", "passed"]) {
    const answer = await answerTo(path, fields, `custom_rules: ${asked}`);
    if (asked === outcome) expect(answer).toBe("passes");
    else expect(answer).toMatch(/^Custom rules must .*\. (The custom rule ".*"|No custom rule) /);
  }
});

test("a test of custom rules names the rule that decides, or the fact that is missing", async () => {
  const asked = (path: string, fields: Record<string, unknown>, outcome: string, sections?: string) =>
    answerTo(path, fields, `custom_rules: ${outcome}`, sections);
  expect(await asked("/v1/a", PERSON, "passed")).toBe(
    'Custom rules must let GET https://shop.example.com/v1/a pass. The custom rule "Old API" blocks the request.',
  );
  expect(await asked("/health", PERSON, "passed")).toBe(
    'Custom rules must let GET https://shop.example.com/health pass. The custom rule "Health" lets the request skip rate limits, the product bic.',
  );
  expect(await asked("/", PERSON, "challenged")).toBe(
    "Custom rules must challenge GET https://shop.example.com/. No custom rule blocks or challenges the request, or lets it skip protection.",
  );
  expect(await asked("/v1/a", { "cf.client.bot": false }, "blocked")).toBe(
    'Custom rules must block GET https://shop.example.com/v1/a. Unknown whether the custom rule "Partners" matches: the test lacks ip.src (add to request.headers or request.fields). To accept that, write undecided: ok in the test.',
  );
  expect(await asked("/health", { "ip.src": "198.51.100.7" }, "skipped")).toContain(
    'Unknown whether the custom rule "Robots" matches: the test lacks cf.client.bot',
  );
  expect(await asked("/", PERSON, "passed", "    managed_ruleset: {}\n")).toContain(
    "The live custom rules are unknown. Declare the section, even if empty",
  );
  const unread = `    custom_rules: [{ description: New, action: tarpit, expression: "true" }]\n`;
  expect(await asked("/", PERSON, "passed", unread)).toContain(
    'The effect of the custom rule "New" is unknown.',
  );
});

test("a managed ruleset is tested behind the custom rules of the files", async () => {
  const asked = (path: string, fields: Record<string, unknown>, key: string) =>
    answerTo(path, fields, `managed_rulesets: { ${key}: [${CORE}] }`);
  expect(await asked("/", PERSON, "applies")).toBe("passes");
  expect(await asked("/upload", PERSON, "does_not_apply")).toBe("passes");
  expect(await asked("/upload", PERSON, "applies")).toContain(
    'The custom rule "Uploads" skips the ruleset for this request.',
  );
  // The request is blocked before it reaches the rule that skips.
  expect(await asked("/v1/upload", PERSON, "applies")).toBe("passes");
  expect(await asked("/", { ...PERSON, "ip.src": "192.0.2.1" }, "does_not_apply")).toBe("passes");
  expect(await asked("/upload", { ...PERSON, "cf.client.bot": true }, "applies")).toContain(
    'Unknown whether the custom rule "Uploads" skips the ruleset: unknown whether rules after a solved challenge of "Robots" run.',
  );
});

describe("a job's filter in a test of logged fields", () => {
  const job = (where: unknown, more = "") =>
    `      - { name: j, destination_conf: "https://logs.example/", dataset: http_requests, fields: [RequestHeaders]${more}, extra: { filter: '${JSON.stringify({ where })}' } }\n`;
  const of = (key: string, operator: string, value: unknown) => ({ key, operator, value });
  const POST = of("ClientRequestMethod", "eq", "POST");
  const PATH = of("ClientRequestPath", "startsWith", "/search");
  const SCORE = of("WAFAttackScore", "leq", 20);

  const outcomeOf = async (jobs: string, ask: string) => {
    const sections = `    custom_log_fields: { request_fields: [content-type] }\n    logpush_jobs:\n${jobs}`;
    const request = "request: { method: POST, path: /search?q, fields: { cf.waf.score: 30 } }";
    const { code, err } = await validated(
      ofZone(`- { ${request}, ${ask}: { request_fields: [content-type] } }`, sections),
    );
    return code === 0 ? "passes" : /Test (fails|is undecided)\n {2}(.*)/.exec(err)?.slice(1).join(": ");
  };

  test.each<[truth: true | false | "unknown", where: unknown]>([
    [true, POST],
    [false, { ...POST, operator: "neq" }],
    [true, PATH],
    [false, { ...PATH, operator: "!startsWith" }],
    [true, of("ClientRequestURI", "endsWith", "?q")],
    [false, of("ClientRequestURI", "contains", "%3f")],
    [true, of("ClientRequestMethod", "in", ["PUT", "POST"])],
    [false, of("ClientRequestMethod", "!in", ["PUT", "POST"])],
    [false, SCORE],
    [true, { ...SCORE, operator: "gt" }],
    [true, { ...SCORE, operator: "geq", value: "30" }],
    [false, { ...SCORE, operator: "lt", value: 30 }],
    [true, { and: [POST, PATH] }],
    [false, { and: [of("ZoneName", "eq", "x"), SCORE] }],
    [true, { or: [of("ZoneName", "eq", "x"), POST] }],
    [false, { or: [SCORE, { and: [SCORE, POST] }] }],
    ["unknown", { and: [of("ZoneName", "eq", "x"), POST] }],
    ["unknown", of("ClientRequestUserAgent", "contains", "bot")],
    ["unknown", of("ClientRequestMethod", "lt", "POST")],
    ["unknown", of("ClientRequestMethod", "likes", "POST")],
    ["unknown", of("ClientRequestMethod", "eq", 'P"OST')],
    ["unknown", of("WAFAttackScore", "eq", "20 or true")],
    ["unknown", of("WAFAttackScore", "in", [])],
    ["unknown", "POST"],
  ])("%s: %j", async (truth, where) => {
    const [log, not] = [await outcomeOf(job(where), "log"), await outcomeOf(job(where), "does_not_log")];
    expect(log).toMatch(
      truth === true
        ? /^passes$/
        : truth === false
          ? /^fails: .*exclude the request/
          : /^is undecided: .*The filter of the job "j"/,
    );
    expect(not).toMatch(
      truth === true ? /^fails: .*logs content-type/ : truth === false ? /^passes$/ : /^is undecided/,
    );
  });

  test("is passed if one enabled job of the dataset logs the request", async () => {
    const drops = job(SCORE);
    const all = job(POST).replace("name: j", "name: k");
    expect(await outcomeOf(drops + all, "log")).toBe("passes");
    expect(await outcomeOf(drops + all.replace("extra:", "enabled: false, extra:"), "log")).toMatch(
      /^fails: /,
    );
    expect(await outcomeOf(drops + all.replace("http_requests", "firewall_events"), "log")).toMatch(
      /^fails: /,
    );
    const attacks = all.replace("extra: {", "extra: { filter_attack_traffic: true,");
    expect(await outcomeOf(drops + attacks, "log")).toMatch(/^is undecided: /);
    const off = all.replace("extra:", "enabled: false, extra:");
    expect(await outcomeOf(off, "log")).toMatch(/^fails: .*No job that logs requests is enabled\.$/);
    expect(await outcomeOf(off, "does_not_log")).toBe("passes");
  });
});

test("an unknown function leaves only dependent tests undecided", async () => {
  const policies = POLICIES.replace('expression: "true"', "expression: 'ssl and new_function(http.host)'");
  const decided = await validated(
    ofZone("- page: http://${zone}/\n  connections: { allowed: [https://evil.example/] }", policies),
  );
  expect(decided.code).toBe(0);
  expect(decided.err).toContain("warning: Unknown f");
  const open = await validated(
    ofZone("- page: https://${zone}/\n  connections: { reported: [https://evil.example/] }", policies),
  );
  expect(open.code).toBe(1);
  expect(open.err).toContain("unknown to this version: new_function");
});

test("an undecided test fails unless the test allows it", async () => {
  const policies = POLICIES.replace(
    '"true"',
    '\'ip.src.country eq "DE" and http.request.headers["x-a"][0] eq "b"\'',
  );
  const asks = 'page: "https://shop.example.com/", connections: { reported: [https://evil.example/] }';
  const open = await validated(ofZone(`- { ${asks} }`, policies));
  expect(open.code).toBe(1);
  expect(open.err).toContain(
    'error: Test is undecided\n  The connection to https://evil.example/ must be reported on https://shop.example.com/. The load may be reported: the policy "Seen" is undecided: the test lacks ip.src.country, http.request.headers["x-a"] (add to request.headers or request.fields). To accept that, write undecided: ok in the test.',
  );
  expect((await validated(ofZone(`- { ${asks}, undecided: ok }`, policies))).code).toBe(0);
  const said = "request: { headers: { X-A: b }, fields: { ip.src.country: DE } }";
  expect((await validated(ofZone(`- { ${asks}, ${said} }`, policies))).code).toBe(0);
  const none = await validated(ofZone(`- { ${asks} }`, "    settings: { enabled: true }\n"));
  expect(none.err).toContain("The live policies are unknown");
});

test("tests at the top, in defaults, templates and zones all run, with the names of each zone", async () => {
  const { code, out } = await validated(
    `tests:
  - { page: "https://\${zone}/a", scripts: { blocked: [/1.js] } }
defaults:
  tests: [{ page: "https://\${zone}/b", scripts: { blocked: ["/\${vars.NAME}.js"] } }]
templates:
  t:
    vars: { NAME: weak }
    tests: [{ page: "https://c.\${zone}/c", scripts: { blocked: [/3.js] } }]
  u: { extends: [t] }
zones:
  shop.example.com:
    extends: [t, u]
    vars: { NAME: own }
    policies: []
    tests: [{ page: "https://shop.example.com/d", scripts: { blocked: [/4.js] } }]
  blog.example.com: { extends: [t], policies: [] }
`,
    "--format",
    "json",
  );
  expect(code).toBe(1);
  const problems = JSON.parse(out).problems as readonly { detail: string; source: { line: number } }[];
  expect(problems.map(({ detail, source }) => [source.line, /\/.*? on \S+(?=\.)/.exec(detail)?.[0]])).toEqual(
    [
      [3, "/1.js must be blocked on https://shop.example.com/a"],
      [5, "/own.js must be blocked on https://shop.example.com/b"],
      [9, "/3.js must be blocked on https://c.shop.example.com/c"],
      [16, "/4.js must be blocked on https://shop.example.com/d"],
      [3, "/1.js must be blocked on https://blog.example.com/a"],
      [5, "/weak.js must be blocked on https://blog.example.com/b"],
      [9, "/3.js must be blocked on https://c.blog.example.com/c"],
    ],
  );
});

test("invalid tests are reported", async () => {
  const { code, err } = await validated(
    ofZone(
      `- { scripts: { blocked: [/a.js] } }
- { page: "https://shop.example.com/" }
- { page: "https://shop.example.com/", request: { path: / }, scripts: { allowed: [/a.js] } }
- { request: {}, scripts: { allowed: [/a.js] } }
- { page: "https://shop.example.com/", scripts: { allowed: [evil.example] } }
- { request: { fields: { ip.src.contry: DE } }, managed_rulesets: { applies: [${CORE}] } }
- { request: {}, managed_rulesets: { does_not_apply: [Cloudflare OWASP] } }`,
      POLICIES + RULES,
    ),
  );
  expect(code).toBe(1);
  expect(err.match(/error: Invalid test/g)).toHaveLength(7);
  for (const text of [
    "The test has no page and no request. Add one of them.",
    "The test has no checks.",
    "Remove path or page.",
    "Write page instead of request",
    '"evil.example" is not a URL.',
    "ip.src.country",
    'Unknown managed ruleset "Cloudflare OWASP"',
  ])
    expect(err).toContain(text);
  const shape = await validated(ofZone("- { page: shop.example.com, script: {} }"));
  expect(shape.err).toContain('page is "shop.example.com". It must begin with https:// or http://.');
  expect(shape.err).toContain("script");
});

test("a test of a host outside the zone is refused, because it would always pass", async () => {
  const { code, err } = await validated(
    ofZone(`- { page: "https://nowhere.example/", scripts: { allowed: [https://js.example/a.js] } }
- { page: "https://notshop.example.com/", scripts: { allowed: [https://js.example/a.js] } }
- { request: { host: other.example.com }, managed_rulesets: { does_not_apply: [${CORE}] } }
- { page: "https://www.shop.example.com:8443/", scripts: { allowed: [https://js.example/a.js] } }`),
  );
  expect(code).toBe(1);
  expect(err.match(/error: Invalid test\n {2}The host is outside shop\.example\.com/g)).toHaveLength(3);
  expect(err).toContain("Write ${zone} for the zone's name");
});

test("--format junit writes a case for each test, with its failures", async () => {
  const tests = `- { name: "a <b> & 'c'", page: "https://shop.example.com/pay", scripts: { allowed: [https://evil.example/?a&b<] } }
- { page: "https://shop.example.com/", scripts: { allowed: [/x.js] } }`;
  const { code, out, err } = await validated(ofZone(tests), "--format", "junit");
  expect([code, err]).toEqual([1, ""]);
  expect(out).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="zoneward" tests="2" failures="1">
  <testsuite name="shop.example.com" tests="2" failures="1">
    <testcase classname="shop.example.com" name="a &lt;b&gt; &amp; &apos;c&apos;" file="zoneward.yaml" line="8">
      <failure type="test_failed" message="Test fails">zoneward.yaml:8:91: a &lt;b&gt; &amp; &apos;c&apos;: The script https://evil.example/?a&amp;b&lt; must be allowed on https://shop.example.com/pay. The policy &quot;Pay&quot; blocks the load. The script https://evil.example/?a&amp;b&lt; is refused: script-src lists &apos;self&apos;, https://js.example; none matches.</failure>
    </testcase>
    <testcase classname="shop.example.com" name="https://shop.example.com/" file="zoneward.yaml" line="9"/>
  </testsuite>
</testsuites>
`);
  const broken = await validated("zones: 1\n", "--format", "junit");
  expect(broken.code).toBe(1);
  expect(broken.out).toContain('<testsuite name="files" tests="1" failures="1">');
});

const LIVE: Seed = {
  zones: {
    "shop.example.com": {
      id: ID,
      policies: [
        {
          id: "1".repeat(32),
          description: "By hand",
          action: "allow",
          enabled: true,
          expression: "true",
          value: "script-src 'self'",
        },
      ],
    },
  },
};

test.each<[gone: string, job: string]>([
  ["switched off", "enabled: false"],
  ["deleted", "ensure: absent"],
])("a test of logged fields fails if the only job is %s", async (_, job) => {
  const ruleset = (phase: string, rule: object) => ({
    id: phase.length.toString().repeat(16).slice(0, 32),
    phase,
    kind: "zone",
    rules: [{ ref: "x", description: "x", enabled: true, expression: "true", ...rule }],
  });
  const fields = { action: "log_custom_field", action_parameters: { request_fields: [{ name: "x-fraud" }] } };
  const executing = (rules: readonly object[]) => ({
    action: "execute",
    action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f", overrides: { rules } },
  });
  const scoring = { id: "6179ae15870a4bb7b2d480d4843b323c", action: "block" };
  const failing = async (rules: readonly object[], said: string) => {
    const shop = {
      id: ID,
      rulesets: [
        ruleset("http_log_custom_fields", fields),
        ruleset("http_request_firewall_managed", executing(rules)),
      ],
      logpush_jobs: [
        {
          id: 1,
          name: "siem",
          dataset: "http_requests",
          enabled: true,
          destination_conf: "https://logs.example/",
        },
      ],
    } as unknown as Seed["zones"][string];
    const emulator = await createEmulator({ seed: { zones: { "shop.example.com": shop } } });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({
      "zoneward.yaml": `version: 1
zones:
  shop.example.com:
    id: ${ID}
    custom_log_fields: { request_fields: [x-fraud] }
    managed_rulesets: [{ ruleset: ${CORE}, paranoia_level: PL4 }]
    logpush_jobs: [{ name: siem, ${said} }]
    tests:
      - { request: {}, log: { request_fields: [x-fraud] }, managed_rulesets: { applies: [${CORE}] } }
`,
    });
    const { diagnostics } = JSON.parse(
      (await zoneward(["plan", "--format", "json"], { cwd, env: reaching(emulator) })).out,
    );
    return (diagnostics as readonly { readonly code: string; readonly message: string }[])
      .filter(({ code }) => code.startsWith("test_"))
      .map(({ message }) => message);
  };
  expect(await failing([scoring], "dataset: http_requests")).toEqual([]);
  expect(await failing([{ ...scoring, enabled: false }], job)).toEqual([
    expect.stringContaining("An override switches the ruleset's scoring rule off."),
    expect.stringContaining(
      "No job that logs requests is enabled. It passes now, and would fail after this plan.",
    ),
  ]);
});

test.each(["service", "interface"] as const)(
  "plan reports a test that would fail with undeclared policies, and apply refuses (%s)",
  async (dialect) => {
    const emulator = await createEmulator({ dialect, seed: LIVE });
    onTestFinished(() => emulator.close());
    const config = (value: string, allowed: string) => `version: 1
zones:
  shop.example.com:
    id: ${ID}
    policies:
      - { description: Calls, action: allow, expression: "true", value: "${value}" }
    tests:
      - { page: "https://shop.example.com/", connections: { allowed: [https://api.example/] } }
      - { page: "https://shop.example.com/", scripts: { allowed: [${allowed}] } }
`;
    const env = reaching(emulator);
    const cwd = await folderWith({
      "zoneward.yaml": config("connect-src 'self'", "https://js.example/a.js"),
      "good.yaml": config("connect-src 'self' https://api.example", "/a.js"),
    });
    const planned = await zoneward(["plan", "--format", "json"], { cwd, env });
    expect(planned.code).toBe(1);
    const { diagnostics, guardrails } = JSON.parse(planned.out);
    expect(diagnostics).toEqual([
      expect.objectContaining({ severity: "warning", code: "blocks_untried" }),
      {
        severity: "error",
        code: "test_failed",
        message: expect.stringMatching(
          /"Calls" blocks the load\..* It passes now, and would fail after this plan\.$/,
        ),
        zone: "shop.example.com",
        source: { file: "zoneward.yaml", line: 8, column: 71 },
      },
      {
        severity: "error",
        code: "test_failed",
        message: expect.stringMatching(/"By hand" blocks the load\..* It fails now too\.$/),
        zone: "shop.example.com",
        source: { file: "zoneward.yaml", line: 9, column: 67 },
      },
    ]);
    expect(guardrails).toEqual([
      {
        name: "failing_tests",
        zone: "shop.example.com",
        allowed: false,
        message: expect.stringContaining("2 of 2 tests of shop.example.com would fail after this plan."),
      },
    ]);
    for (const [format, text] of [
      ["markdown", "would fail after this plan"],
      ["html", "would fail after this plan"],
      ["sarif", "test_failed"],
      ["text", "would fail after this plan"],
    ]) {
      const { code, out, err } = await zoneward(["plan", "--format", format ?? ""], { cwd, env });
      expect(code).toBe(1);
      expect(out + err).toContain(text);
    }
    const junit = await zoneward(["plan", "--format", "junit"], { cwd, env });
    expect(junit.out).toContain('<testsuite name="shop.example.com" tests="2" failures="2">');
    expect(junit.out).toMatch(
      /<testcase [^>]*name="https:\/\/shop.example.com\/" file="zoneward.yaml" line="8">\n {6}<failure type="test_failed" message="test failed">zoneward.yaml:8:71: Test fails\. .*would fail after this plan\.<\/failure>/,
    );
    const refused = await zoneward(["apply", "--yes"], { cwd, env });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("Refused by guardrail failing_tests; nothing was written");
    const good = await zoneward(["plan", "-c", "good.yaml"], { cwd, env });
    expect([good.code, good.out]).toEqual([0, expect.not.stringContaining("test")]);
    const passing = await zoneward(["plan", "-c", "good.yaml", "--format", "junit"], { cwd, env });
    expect(passing.out).toContain('tests="2" failures="0"');
    expect(passing.out).toContain('line="9"/>');
    emulator.arm({ rates: [{ fault: "redirect", path: "*/policies", chance: 1 }] });
    const unread = await zoneward(["plan", "-c", "good.yaml", "--format", "junit"], { cwd, env });
    expect(unread.out).toMatch(/<testsuites name="zoneward" tests="1" failures="1">/);
    emulator.arm({});
    const lifted = await zoneward(["apply", "--yes", "--allow", "failing_tests"], { cwd, env });
    expect([lifted.code, lifted.err]).toEqual([0, expect.stringContaining("warning: Test fails")]);
    const drifted = await zoneward(["drift"], { cwd, env });
    expect(drifted.out + drifted.err).not.toContain("Test fails");
  },
);

test("a part of a plan is accepted although a test fails that the rest fixes", async () => {
  const emulator = await createEmulator({ seed: LIVE });
  onTestFinished(() => emulator.close());
  const cwd = await folderWith({
    "zoneward.yaml": `version: 1
zones:
  shop.example.com:
    settings: { enabled: false }
    policies:
      - { description: By hand, value: "script-src 'self' https://js.example" }
    tests:
      - { page: "https://shop.example.com/", scripts: { allowed: [https://js.example/a.js] } }
`,
  });
  const env = reaching(emulator);
  expect((await zoneward(["plan", "-o", "plan.json"], { cwd, env })).code).toBe(0);
  const part = await zoneward(["apply", "plan.json", "--yes", "--only", "settings"], { cwd, env });
  expect(part.err).toContain("It fails now in the same way, and the plan fixes that.");
  expect(part.code).toBe(0);
  const rest = await zoneward(["apply", "plan.json", "--yes"], { cwd, env });
  expect([rest.code, rest.err]).toEqual([0, expect.not.stringContaining("Test fails")]);
  expect((await zoneward(["plan", "--detailed-exitcode"], { cwd, env })).code).toBe(0);
});

test("a part of a plan is refused if it makes a test fail in another way", async () => {
  const config = (asked: string) => `version: 1
zones:
  shop.example.com:
    policies:
      - { description: By hand, enabled: false }
      - { description: All, action: ${asked === "blocked" ? "allow" : "log"}, expression: "true", value: "script-src 'self'" }
    tests:
      - { page: "https://shop.example.com/", scripts: { ${asked}: [https://evil.example/x.js] } }
`;
  for (const [asked, expression] of [
    ["blocked", 'ip.src.country ne "ZZ"'],
    ["reported", "true"],
  ] as const) {
    const [zone] = Object.values(LIVE.zones ?? {});
    const policies = (zone?.policies ?? []).map((each) => ({ ...each, expression }));
    const emulator = await createEmulator({ seed: { zones: { "shop.example.com": { id: ID, policies } } } });
    onTestFinished(() => emulator.close());
    const cwd = await folderWith({ "zoneward.yaml": config(asked) });
    const env = reaching(emulator);
    expect((await zoneward(["plan", "-o", "plan.json"], { cwd, env })).code).toBe(0);
    const part = await zoneward(["apply", "plan.json", "--yes", "--only", "policy/By*"], { cwd, env });
    expect([part.code, part.err]).toEqual([1, expect.stringContaining("Refused by guardrail failing_tests")]);
    expect(emulator.writes()).toEqual([]);
  }
});

test("passing tests do not change the digest or the plan", async () => {
  const emulator = await createEmulator({ seed: LIVE });
  onTestFinished(() => emulator.close());
  const zones = `version: 1
zones:
  shop.example.com:
    policies:
      - { description: Calls, action: allow, expression: "true", value: "connect-src 'self'" }
`;
  const testing = `${zones}    tests: [{ page: "https://shop.example.com/", scripts: { blocked: [https://a.example/] } }]\n`;
  const planned = async (config: string) => {
    const cwd = await folderWith({ "zoneward.yaml": config });
    const run = await zoneward(["plan", "--format", "json"], { cwd, env: reaching(emulator) });
    const document = JSON.parse(run.out);
    const zonesOfPlan = document.zones.map(({ tests: _, ...rest }: { readonly tests?: unknown }) => rest);
    return { ...document, zones: zonesOfPlan };
  };
  expect(await planned(testing)).toEqual(await planned(zones));
});

test("plan warns of removed tests that it would break", async () => {
  const value = (csp: string) =>
    `    policies:\n      - { description: Pay, action: allow, enabled: true, expression: "true", value: "${csp}" }\n`;
  const live = { description: "Pay", action: "allow", enabled: true, expression: "true" };
  const seed: Seed = {
    zones: { "shop.example.com": { id: ID, policies: [{ ...live, value: "script-src 'self'" }] } },
  };
  const emulator = await createEmulator({ seed });
  onTestFinished(() => emulator.close());
  const page = (more: string) => `- { page: https://shop.example.com/, scripts: { ${more} } }`;
  const fileOf = (tests: string, csp: string) => `version: 1\n${ofZone(tests, value(csp))}`;
  const before = `${page("blocked: [https://evil.example/x.js]")}\n${page("blocked: [https://other.example/x.js]")}`;
  const removalWarnings = async (tests: string, csp = "script-src 'self' evil.example") => {
    const cwd = await folderWith({
      "zoneward.yaml":
        tests === "" ? `version: 1\nzones:\n  shop.example.com:\n${value(csp)}` : fileOf(tests, csp),
    });
    await mkdir(path.join(cwd, "base"));
    await writeFile(path.join(cwd, "base/zoneward.yaml"), fileOf(before, "script-src 'self'"));
    const args = ["plan", "--base", "base", "--format", "json"];
    const document = JSON.parse((await zoneward(args, { cwd, env: reaching(emulator) })).out);
    return document.diagnostics.filter(({ code }: { code: string }) => code === "tests_taken_out");
  };
  for (const tests of ["", "[]", page("allowed: [https://evil.example/x.js]")])
    expect(await removalWarnings(tests), tests).toEqual([
      expect.objectContaining({
        severity: "warning",
        zone: "shop.example.com",
        message: expect.stringContaining("https://evil.example/x.js must be blocked on"),
      }),
    ]);
  expect(JSON.stringify(await removalWarnings(""))).not.toContain("other.example/x.js must be");
  expect(await removalWarnings("", "script-src 'self' https://fine.example")).toEqual([]);
  expect(await removalWarnings(before)).toEqual([]);
});

test("tests that need more work than one run does are undecided, and say so", async () => {
  const each = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join("");
  const policies = each(
    400,
    (index) =>
      `      - { description: p${index}, action: allow, expression: "true", value: "script-src ${each(20, (host) => `a${host}.example `)}" }\n`,
  );
  const loads = each(20, (host) => `https://a${host}.example/x.js, `);
  const tests = each(
    100,
    (index) => `- { page: "https://shop.example.com/${index}", scripts: { allowed: [${loads}] } }\n`,
  );
  const { code, err } = await validated(ofZone(tests, `    policies:\n${policies}`));
  expect(code).toBe(1);
  expect(err).toContain(
    "The tests of the zone exceed the work limit. Write fewer tests, or simpler expressions.",
  );
});
