import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type ZoneSeed } from "../../src/index.js";
import { customRule } from "../../src/kinds/custom-rules/index.js";
import { rateLimit } from "../../src/kinds/rate-limits/index.js";
import { orderOf } from "../../src/kinds/rule-places.js";
import type { JsonObject } from "../../src/model/json.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { itemOf } from "../support/item-of.js";

const ZONE = "shop.example.com";

/** A zone as it is live, and the sections of its file. */
async function zoneWith(live: ZoneSeed, sections: string) {
  const emulator = await createEmulator({ dialect: "service", seed: { zones: { [ZONE]: live } } });
  onTestFinished(() => emulator.close());
  const file = `version: 1\nzones:\n  ${ZONE}:\n${sections}`;
  const cwd = await folderWith({ "zoneward.yaml": file });
  const run = (...args: string[]) => zoneward(args, { cwd, env: reaching(emulator) });
  const text = () => readFile(path.join(cwd, "zoneward.yaml"), "utf8");
  const rules = () => (emulator.state().zones[ZONE]?.rulesets ?? []).flatMap((each) => each.rules ?? []);
  return { emulator, cwd, run, text, rules };
}

const id = (digit: number) => String(digit).repeat(32);

function list(phase: string, rules: readonly (JsonObject & { readonly action: string })[]): ZoneSeed {
  const withIds = rules.map((rule, index) => ({
    id: id(index + 1),
    expression: "true",
    enabled: true,
    ...rule,
  }));
  return { rulesets: [{ id: "a".repeat(32), phase, kind: "zone", rules: withIds }] };
}

const CUSTOM = "http_request_firewall_custom";
const ratelimit = { characteristics: ["cf.colo.id", "ip.src"], period: 10, requests_per_period: 50 };
const office = {
  action: "skip",
  description: "Office",
  action_parameters: { phases: ["http_request_firewall_managed"] },
};

describe("the zone's Cloudflare plan", () => {
  const sections = `    rate_limits:
      - { description: Logins, expression: http.host eq "a.example", action: challenge, period: 60, requests_per_period: 5, mitigation_timeout: 20, characteristics: [ip.src] }
    custom_rules:
      - { description: Old, expression: http.host matches "^old", action: block, response: { status_code: 410, content_type: text/plain, content: Gone } }
      - { description: Seen, expression: http.host eq "b.example", action: log }
`;
  const live = {
    ...list("http_ratelimit", [{ action: "block", description: "Platform", ratelimit }]),
    plan: "free",
  } as const;

  test("is a warning where it has no such rule", async () => {
    const { run } = await zoneWith(live, sections);
    const { code, out, err } = await run("plan");
    expect(code).toBe(0);
    const said = out + err;
    expect(said).toContain("would have 2 rules in rate_limits");
    for (const lacking of [
      "periods beyond 10 seconds",
      "timeouts beyond 10 seconds",
      "challenges with a timeout other than 0",
      "regular expressions",
      "responses of rules",
      "action log",
    ])
      expect(said, lacking).toContain(`which has no ${lacking}`);
  });

  test("decides at the service", async () => {
    const { run, rules } = await zoneWith(live, sections);
    const { code, out, err } = await run("apply", "--yes");
    expect(code).toBe(1);
    expect(out + err).toContain("not available on the free plan");
    expect(rules().map(({ description }) => description)).toEqual(["Platform"]);
  });
});

describe("export", () => {
  test("has custom rules and rate limits, and the file changes nothing", async () => {
    const rulesets = [
      ...(list(CUSTOM, [office, { action: "block", description: "No", action_parameters: {} }]).rulesets ??
        []),
      {
        id: "b".repeat(32),
        phase: "http_ratelimit",
        kind: "zone",
        rules: [
          { id: id(8), expression: "true", enabled: true, action: "log", description: "All", ratelimit },
        ],
      },
    ];
    const { emulator, run } = await zoneWith({ rulesets }, "    custom_rules: []\n");
    const { code, out } = await run("export", ZONE);
    expect(code).toBe(0);
    const zone = parse(out).zones[ZONE];
    expect(zone.custom_rules).toEqual([
      {
        description: "Office",
        expression: "true",
        action: "skip",
        skip: { phases: ["http_request_firewall_managed"] },
        enabled: true,
      },
      { description: "No", expression: "true", action: "block", enabled: true },
    ]);
    expect(zone.rate_limits).toMatchObject([
      { characteristics: ["ip.src"], period: 10, requests_per_period: 50 },
    ]);
    const cwd = await folderWith({ "zoneward.yaml": out });
    const planned = await zoneward(["plan"], { cwd, env: reaching(emulator) });
    expect(planned.out + planned.err).toContain("Plan: no changes");
  });
});

test("adopt writes drift of a rule and its order into the file", async () => {
  const live = list(CUSTOM, [
    { action: "block", description: "B" },
    { action: "log", description: "A" },
  ]);
  const { run, text } = await zoneWith(
    live,
    "    custom_rules:\n      - { description: A, action: block }\n      - { description: B, action: block }\n",
  );
  const { code, out, err } = await run("adopt", "--allow", "weakens");
  expect(out + err, String(code)).toContain("A");
  const rules = parse(await text()).zones[ZONE].custom_rules;
  expect(rules).toEqual([
    { description: "B", action: "block" },
    { description: "A", action: "log" },
  ]);
});

test("rollback gives a list of rules its former rules and order", async () => {
  const live = list(CUSTOM, [office, { action: "block", description: "B" }]);
  const { run, rules } = await zoneWith(
    live,
    `    prune: [custom_rules]
    custom_rules:
      - { description: New, expression: http.host eq "n.example", action: block, position: first }
      - { description: B, action: log }
`,
  );
  const shape = () => rules().map(({ description, action }) => `${description} ${action}`);
  const before = shape();
  const applied = await run("apply", "--yes", "--allow", "weakens", "--allow", "prune_all");
  expect(shape(), applied.out + applied.err).toEqual(["New block", "B log"]);
  const undone = await run("rollback", "--last", "--yes");
  expect(undone.code, undone.out + undone.err).toBe(0);
  expect(shape()).toEqual(before);
});

describe("a custom rule that skips managed rulesets", () => {
  const declared = "    managed_exceptions: []\n    custom_rules:\n      - { description: Office }\n";

  test("is no undeclared bypass where the files declare it, and its list is read once", async () => {
    const { emulator, run } = await zoneWith(list(CUSTOM, [office]), declared);
    const { code, out } = await run("drift", "--detailed-exitcode");
    expect(out).not.toContain("undeclared");
    expect(code).toBe(0);
    const reads = emulator.log.filter(({ path: at }) => at.includes(CUSTOM));
    expect(reads).toHaveLength(1);
  });

  test("is no undeclared bypass for doctor either", async () => {
    const { run } = await zoneWith(list(CUSTOM, [office]), declared);
    const { out, err } = await run("doctor");
    expect(out + err).not.toContain("An undeclared rule skips managed rulesets");
    const undeclared = await zoneWith(list(CUSTOM, [office]), "    managed_exceptions: []\n");
    const other = await undeclared.run("doctor");
    expect(other.out + other.err).toContain("An undeclared rule skips managed rulesets");
  });
});

describe("a rule with an action that this version does not know", () => {
  const context = { ruleset: null, order: orderOf([], []), beside: null };
  const response = { status_code: 403, content_type: "text/plain", content: "No" };
  const wanted = itemOf({
    description: "New",
    expression: "true",
    action: "tarpit",
    response,
    enabled: true,
  });

  test.each([customRule, rateLimit])("$name sends the declared response", (kind) => {
    const body = kind.toWire(wanted, null, { items: [], context });
    expect(body).toMatchObject({ action: "tarpit", action_parameters: { response } });
  });

  test.each([customRule, rateLimit])("$name keeps its other parameters when the response changes", (kind) => {
    const parameters = { slow: 5, response: { ...response, status_code: 429 } };
    const raw = { id: id(1), expression: "true", action: "tarpit", action_parameters: parameters, ratelimit };
    const normal = kind.normalOf(raw, context, []) ?? {};
    const was = { live: { ...wanted, normal, raw }, fields: ["response"] };
    const body = kind.toWire(wanted, was, { items: [], context });
    expect(body.action_parameters).toEqual({ slow: 5, response });
  });
});
