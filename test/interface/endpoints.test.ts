import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.js";
import {
  call,
  detectionId,
  newPolicy,
  policyId,
  seed,
  shield,
  start,
  stored,
  zoneId,
} from "../emulator/call.js";
import { bucket } from "../emulator/logpush.js";
import {
  accountRulesets,
  core,
  execute,
  executeId,
  logFields,
  newFields,
  none,
  owaspId,
  rulesOf,
  sent,
  skip,
  storedWaf,
  waf,
  wafEntryPoint,
  without,
  withRulesets,
  zoneRulesets,
} from "../emulator/rulesets.js";

const { settings, scripts, connections } = seed.zones["shop.example"];
const [script = {}] = scripts;
const [connection = {}] = connections;
const { use_cloudflare_reporting_endpoint, ...ofSettings } = settings;
const hex = expect.stringMatching(/^[0-9a-f]{32}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$/);
const policy = { ...stored, enabled: "true" };

type Operation = readonly [
  name: string,
  method: string,
  path: string,
  body: JsonObject | null,
  result: object,
];

const operations: readonly Operation[] = [
  [
    "Get settings",
    "GET",
    shield,
    null,
    { ...ofSettings, use_service_reporting_endpoint: use_cloudflare_reporting_endpoint },
  ],
  ["Update settings", "PUT", shield, { enabled: false }, { enabled: false, updated_at: timestamp }],
  ["List scripts", "GET", `${shield}/scripts`, null, [without(script, "page_urls", "versions")]],
  ["Get script", "GET", `${shield}/scripts/${detectionId}`, null, script],
  ["List connections", "GET", `${shield}/connections`, null, [connection]],
  ["Get connection", "GET", `${shield}/connections/${detectionId}`, null, connection],
  ["List policies", "GET", `${shield}/policies`, null, [policy]],
  ["Get policy", "GET", `${shield}/policies/${policyId}`, null, policy],
  [
    "Create policy",
    "POST",
    `${shield}/policies`,
    { ...newPolicy, enabled: "true" },
    { ...newPolicy, enabled: "true", id: hex, last_updated: expect.any(String) },
  ],
  [
    "Update policy",
    "PUT",
    `${shield}/policies/${policyId}`,
    { ...newPolicy, action: "log", enabled: "false" },
    { ...policy, action: "log", enabled: "false", last_updated: expect.any(String) },
  ],
  ["Delete policy", "DELETE", `${shield}/policies/${policyId}`, null, { id: policyId }],
  [
    "List account rulesets",
    "GET",
    accountRulesets,
    null,
    Array.from({ length: 5 }, () => ({
      id: hex,
      name: expect.any(String),
      description: expect.any(String),
      source: "firewall_managed",
      kind: "managed",
      version: expect.stringMatching(/^\d+$/),
      last_updated: timestamp,
      phase: expect.stringMatching(/^http_(request|response)_firewall_managed$/),
    })),
  ],
  [
    "Get account ruleset",
    "GET",
    `${accountRulesets}/${owaspId}`,
    null,
    expect.objectContaining({ id: owaspId, kind: "managed", rules: expect.any(Array) }),
  ],
  ["Get zone entry point ruleset", "GET", wafEntryPoint, null, storedWaf],
  [
    "Update zone ruleset rule",
    "PATCH",
    `${waf}/rules/${executeId}`,
    { ...sent(execute), enabled: false },
    {
      ...storedWaf,
      version: "10",
      last_updated: timestamp,
      rules: [skip, { ...execute, enabled: false, version: "8", last_updated: timestamp }, core],
    },
  ],
  [
    "List zone rulesets",
    "GET",
    zoneRulesets,
    null,
    expect.arrayContaining([without(storedWaf, "rules"), expect.objectContaining({ kind: "managed" })]),
  ],
  [
    "Create zone ruleset",
    "POST",
    zoneRulesets,
    newFields,
    { ...newFields, id: hex, version: "1", last_updated: timestamp },
  ],
  [
    "Update zone ruleset",
    "PUT",
    waf,
    { rules: [without(sent(core), "id", "ref")] },
    {
      ...storedWaf,
      version: "10",
      last_updated: timestamp,
      rules: [{ ...core, id: hex, ref: hex, version: "1", last_updated: timestamp }],
    },
  ],
  [
    "Create log-push job",
    "POST",
    `/zones/${zoneId}/logpush/jobs`,
    {
      name: "http",
      destination_conf: bucket,
      dataset: "http_requests",
      logpull_options: "fields=RayID,RequestHeaders&timestamps=rfc3339",
      ownership_challenge: "00000000",
    },
    expect.objectContaining({
      name: "http",
      destination_conf: bucket,
      dataset: "http_requests",
      logpull_options: "fields=RayID,RequestHeaders&timestamps=rfc3339",
    }),
  ],
];

/** One object of each kind, without an id. */
const unnamed = {
  scripts: [{ url: "https://cdn.example/a.js" }],
  connections: [{ url: "https://cdn.example/" }],
  policies: [newPolicy],
  rulesets: [{ phase: "http_log_custom_fields", rules: [logFields] }],
};

const paged = ["List scripts", "List connections"];
const onePage = { page: 1, per_page: 20, count: 1, total_count: 1, total_pages: 1 };

describe("as in the interface's documentation,", () => {
  test.each(operations)("%s", async (name, method, path, body, result) => {
    const emulator = await start({ seed: withRulesets, dialect: "interface" });
    const reply = await call(emulator, method, path, body ?? undefined);
    const info = paged.includes(name) ? { result_info: onePage } : {};
    expect([reply.status, reply.body]).toEqual([
      200,
      { result, success: true, errors: [], messages: [], ...info },
    ]);
  });

  test.each(operations)("%s fails in the same envelope", async (_, method, path, body) => {
    const emulator = await start({ seed: withRulesets, dialect: "interface" });
    const nowhere = path.replace(zoneId, none).replace(String(seed.account_id), none);
    const reply = await call(emulator, method, nowhere, body ?? undefined);
    expect([reply.status, reply.body]).toEqual([
      404,
      { result: null, success: false, errors: [expect.anything()], messages: [] },
    ]);
  });
});

test("all rules of the managed ruleset have an action and a version, and only the last has a threshold", async () => {
  const emulator = await start({ seed, dialect: "interface" });
  const rules = rulesOf(await call(emulator, "GET", `${accountRulesets}/${owaspId}`));
  for (const rule of rules)
    expect(rule).toMatchObject({
      id: hex,
      version: expect.stringMatching(/^\d+$/),
      action: expect.stringMatching(/^[a-z_]+$/),
      description: expect.any(String),
      last_updated: timestamp,
      ref: hex,
      enabled: true,
    });
  expect(rules.filter((rule) => "score_threshold" in rule)).toEqual([rules.at(-1)]);
  expect(rules.at(-1)?.score_threshold).toBe(40);
});

test("ids are hexadecimal, and a zone has an id and a name", async () => {
  const emulator = await start({ dialect: "interface", seed: { zones: { "a.example": unnamed } } });
  const { body } = await call(emulator, "GET", "/zones?name=a.example");
  expect(body).toMatchObject({ result: [{ id: hex, name: "a.example", account: { id: hex } }] });
  const { scripts, connections, policies, rulesets } = emulator.state().zones["a.example"] ?? {};
  expect([scripts, connections, policies]).toMatchObject([[{ id: hex }], [{ id: hex }], [{ id: hex }]]);
  expect(rulesets).toMatchObject([{ id: hex, rules: [{ id: hex }] }]);
});

test("a second ruleset for a zone's phase is refused, and one for another phase is accepted", async () => {
  const emulator = await start({ seed: withRulesets, dialect: "interface" });
  const second = { ...newFields, phase: storedWaf.phase };
  expect((await call(emulator, "POST", zoneRulesets, second)).status).toBe(400);
  expect((await call(emulator, "POST", zoneRulesets, newFields)).status).toBe(200);
});
