import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type JsonObject, type RuleSeed, type ZoneSeed } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";

function list(phase: string, rule: RuleSeed): ZoneSeed {
  return { rulesets: [{ kind: "zone", phase, rules: [{ expression: "true", enabled: true, ...rule }] }] };
}

const CSP = { description: "P", action: "allow", expression: "true", value: "script-src 'self'" };
const CUSTOM = { description: "C", action: "block", expression: "ssl" };
const RATE = { description: "R", action: "block", expression: "true" };
const LIMIT = { characteristics: ["ip.src"], period: 10, requests_per_period: 5 };
const JOB = { name: "J", dataset: "http_requests", destination_conf: "https://logs.example.com/in" };

const execute = (more: JsonObject) =>
  list("http_request_firewall_managed", { action: "execute", action_parameters: { id: CORE }, ...more });
const limited = (more: JsonObject, limit: JsonObject = {}) =>
  list("http_ratelimit", {
    ...RATE,
    ...more,
    ratelimit: { ...LIMIT, characteristics: ["cf.colo.id", "ip.src"], mitigation_timeout: 10, ...limit },
  });
const off = { enabled: false };

test.each<[string, ZoneSeed, JsonObject, string]>([
  ["policy", { policies: [{ ...CSP, ...off }] }, { policies: [CSP] }, "weakens: policy"],
  [
    "custom rule",
    list("http_request_firewall_custom", { ...CUSTOM, ...off }),
    { custom_rules: [CUSTOM] },
    "unknown: rule",
  ],
  ["rate limit", limited(off), { rate_limits: [{ ...RATE, ...LIMIT }] }, "unknown: rule"],
  ["managed ruleset", execute(off), { managed_ruleset: { paranoia_level: "PL4" } }, "weakens: rule"],
  ["job", { logpush_jobs: [{ ...JOB, ...off }] }, { logpush_jobs: [JOB] }, "weakens: logpush_job"],
  [
    "managed ruleset on few requests",
    execute({ expression: "ip.src eq 192.0.2.7" }),
    { managed_ruleset: { paranoia_level: "PL4" } },
    "weakens: rule",
  ],
  [
    "rate limit that does not count cached requests",
    limited({}, { requests_to_origin: true }),
    { rate_limits: [{ ...RATE, ...LIMIT }] },
    "unknown: rule",
  ],
  [
    "rate limit that counts few requests",
    limited({}, { counting_expression: "http.response.code eq 599" }),
    { rate_limits: [{ ...RATE, ...LIMIT }] },
    "unknown: rule",
  ],
])("an undeclared limit of a declared object is drift: %s", async (_, live, declared, reported) => {
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: live } } });
  onTestFinished(() => emulator.close());
  const zones = { [ZONE]: declared };
  const guardrails = { forbid: ["unmanaged"] };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, guardrails, zones }) });
  const { code, out } = await zoneward(["drift", "--detailed-exitcode"], { cwd, env: reaching(emulator) });
  expect(code).toBe(2);
  expect(out).toContain(`undeclared (left alone), ${reported} `);
  expect(out).toContain("refused by guardrail unmanaged");
});
