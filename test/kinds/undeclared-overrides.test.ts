import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmulator, type JsonObject, type PlanDocument } from "../../src/index.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";

const ZONE = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const SCORING = "6179ae15870a4bb7b2d480d4843b323c";
const RULE = "11241ec7ae81379ea08dfce84553dd2f";

async function start(overrides: JsonObject) {
  const execute = { action: "execute", action_parameters: { id: CORE, overrides }, expression: "true" };
  const rulesets = [{ kind: "zone", phase: "http_request_firewall_managed", rules: [execute] }];
  const emulator = await createEmulator({ seed: { zones: { [ZONE]: { rulesets } } } });
  onTestFinished(() => emulator.close());
  return async (section: JsonObject, ...args: string[]) => {
    const zones = { [ZONE]: { managed_ruleset: section } };
    const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones }) });
    return zoneward(args, { cwd, env: reaching(emulator) });
  };
}

async function reported(overrides: JsonObject, section: JsonObject) {
  const run = await start(overrides);
  const { unmanaged } = JSON.parse((await run(section, "plan", "--format", "json")).out) as PlanDocument; // the printed plan
  return unmanaged.map(({ key, effect }) => `${key} ${effect}`);
}

test.each<[string, JsonObject, JsonObject, readonly string[]]>([
  [
    "a rule that is off beside a declared action",
    { rules: [{ id: RULE, enabled: false, action: "log" }] },
    { rules: { [RULE]: { action: "log" } } },
    [`${RULE} weakens`],
  ],
  [
    "a rule that an empty list does not switch off",
    { rules: [{ id: RULE, enabled: false, action: "log" }] },
    { disabled_rules: [] },
    [`${RULE} weakens`],
  ],
  [
    "a rule that is off beside a declared override of another rule",
    { rules: [{ id: RULE, enabled: false }] },
    { rules: { e84514b8757d1bf10dff336821226484: { enabled: true } } },
    [`${RULE} weakens`],
  ],
  [
    "a plain disable without a list",
    { rules: [{ id: RULE, enabled: false }] },
    { paranoia_level: "PL4" },
    [`${RULE} weakens`],
  ],
  [
    "a scoring rule that is off without a declared action",
    { rules: [{ id: SCORING, enabled: false }] },
    { paranoia_level: "PL4" },
    [`${SCORING} weakens`],
  ],
  [
    "a level that only logs",
    { categories: [{ category: "paranoia-level-1", action: "log" }] },
    { paranoia_level: "PL4" },
    ["tag paranoia-level-1 of Cloudflare OWASP Core Ruleset unknown"],
  ],
  [
    "the first level if the files declare none",
    { categories: [{ category: "paranoia-level-1", enabled: false }] },
    { score_threshold: 25 },
    ["tag paranoia-level-1 of Cloudflare OWASP Core Ruleset weakens"],
  ],
  [
    "a ruleset whose rules are all off",
    { enabled: false },
    { disabled_rules: [] },
    ["all rules of Cloudflare OWASP Core Ruleset weakens"],
  ],
  [
    "a scored ruleset whose rules all only log",
    { action: "log", rules: [{ id: SCORING, action: "block" }] },
    { action: "block" },
    ["all rules of Cloudflare OWASP Core Ruleset unknown"],
  ],
  [
    "no declared level",
    { categories: [{ category: "paranoia-level-4", enabled: false }] },
    { paranoia_level: "PL3" },
    [],
  ],
  ["no action on the score", { rules: [{ id: SCORING, action: "log" }] }, { paranoia_level: "PL4" }, []],
  ["nothing of a ruleset that is off", { rules: [{ id: RULE, enabled: false }] }, { ensure: "absent" }, []],
])("a plan reports %s", async (_, overrides, section, expected) => {
  expect(await reported(overrides, section)).toEqual(expected);
});

test("drift tells an undeclared override, and acknowledging it names the rule", async () => {
  const run = await start({ rules: [{ id: RULE, enabled: false, action: "log" }] });
  const drift = await run({ disabled_rules: [] }, "drift", "--detailed-exitcode");
  expect(drift.code).toBe(2);
  expect(drift.out).toContain(`unmanaged: { rules: ["${RULE}"] }`);
});

test("an export acknowledges the overrides that it cannot declare", async () => {
  const overrides = { action: "log", categories: [{ category: "attack-sqli", action: "log" }] };
  const run = await start({ ...overrides, rules: [{ id: RULE, enabled: false }] });
  const { out, err } = await run({}, "export", ZONE);
  const { managed_ruleset, unmanaged } =
    (parse(out) as { zones: { [zone: string]: JsonObject } }).zones[ZONE] ?? {};
  expect(unmanaged).toEqual({
    rules: ["all rules of Cloudflare OWASP Core Ruleset", "tag attack-sqli of Cloudflare OWASP Core Ruleset"],
  });
  expect(err).toContain("it acknowledges 2 live objects that weaken protection, or may");
  const drift = await run(managed_ruleset as JsonObject, "drift"); // an export writes it
  expect(drift.out).toContain("2 undeclared live objects (2 unknown)");
});

test("the id of the rule that executes a ruleset acknowledges no override", async () => {
  const run = await start({ categories: [{ category: "odd\nname", enabled: false }] });
  const listed = JSON.parse(
    (await run({ disabled_rules: [] }, "plan", "--format", "json")).out,
  ) as PlanDocument; // the printed plan
  expect(listed.unmanaged).toMatchObject([{ id: null, known: "not_listed" }]);
  expect((await run({ disabled_rules: [] }, "plan")).out).not.toContain("to acknowledge");
});

test("acknowledging an override of one ruleset acknowledges none of another", async () => {
  const rulesets = [CORE, "efb7b8c949ac4650a09736fc376e9aee"];
  const rules = rulesets.map((id) => ({
    action: "execute",
    action_parameters: { id, overrides: { enabled: false, categories: [{ category: "a", enabled: false }] } },
    expression: "true",
  }));
  const emulator = await createEmulator({
    seed: {
      zones: { [ZONE]: { rulesets: [{ kind: "zone", phase: "http_request_firewall_managed", rules }] } },
    },
  });
  onTestFinished(() => emulator.close());
  const managed_rulesets = rulesets.map((ruleset) => ({ ruleset, expression: "true" }));
  const unmanaged = { rules: ["all rules of Cloudflare OWASP Core Ruleset", "tag a of Cloudflare OWASP*"] };
  const zones = { [ZONE]: { managed_rulesets, unmanaged } };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify({ version: 1, zones }) });
  const { out } = await zoneward(["plan", "--format", "json"], { cwd, env: reaching(emulator) });
  const plan = JSON.parse(out) as PlanDocument; // the printed plan
  expect(plan.unmanaged.flatMap(({ key, known }) => (known === "listed" ? [] : [key]))).toEqual([
    "all rules of Cloudflare Managed Ruleset",
    "tag a of Cloudflare Managed Ruleset",
  ]);
});
