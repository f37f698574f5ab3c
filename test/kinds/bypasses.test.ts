import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { managedRulesets } from "../../src/emulator/resources/rulesets/holdings.js";
import { createEmulator, plan, type Seed } from "../../src/index.js";
import { skipIn } from "../../src/kinds/bypasses.js";
import type { Json, JsonObject } from "../../src/model/json.js";
import { altering } from "../support/altering-service.js";
import { folderWith, reaching, zoneward } from "../support/cli.js";
import { refusing } from "../support/refusing.js";

const CUSTOM = "http_request_firewall_custom";
const MANAGED = "http_request_firewall_managed";
const OTHER = "4".repeat(32);
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";

function customRule(rule: JsonObject) {
  return skipIn(CUSTOM, { id: "1", ...rule });
}

function skipOf(action_parameters: JsonObject) {
  return customRule({ action: "skip", action_parameters });
}

const WHOLE = { isWhole: true };
const UNKNOWN = { isWhole: false, isClear: false };

describe("the managed rules that a custom rule skips", () => {
  test.each<[string, JsonObject, object | null]>([
    ["their phase", { phases: [MANAGED] }, WHOLE],
    [
      "their phase among other things",
      { ruleset: "current", phases: ["http_ratelimit", MANAGED], products: ["bic"] },
      WHOLE,
    ],
    ["the rest of the custom rules", { ruleset: "current" }, null],
    ["the rest of the phase of custom rules", { phase: "current", products: ["hot"] }, null],
    ["other phases", { phases: ["http_ratelimit", "http_request_sbfm"] }, null],
    ["products, including the old managed rules", { products: ["waf", "rateLimit"] }, null],
    ["an unknown phase", { phases: ["http_request_firewall_all"] }, UNKNOWN],
    ["an unknown product", { products: ["WAF"] }, UNKNOWN],
    ["an unknown parameter", { ruleset: "current", everything: true }, UNKNOWN],
    ["another ruleset than the current one", { ruleset: "next" }, UNKNOWN],
    ["phases that are not a list", { phases: MANAGED }, UNKNOWN],
    ["no parameters", {}, UNKNOWN],
    ["a managed ruleset", { rulesets: [OTHER] }, { isWhole: false, isClear: true, rulesets: [OTHER] }],
    ["rules of a managed ruleset", { rules: { [OTHER]: ["1"] } }, { isClear: true, rules: [[OTHER, ["1"]]] }],
  ])("by skipping %s", (_, parameters, skip) => {
    const found = skipOf(parameters);
    expect(found).toEqual(skip === null ? null : expect.objectContaining(skip));
  });

  test.each<[Json, object | null]>([
    ["block", null],
    ["managed_challenge", null],
    ["log", null],
    ["execute", UNKNOWN],
    ["allow", UNKNOWN],
    [null, UNKNOWN],
  ])("by the action %s", (action, skip) => {
    expect(customRule({ action, action_parameters: { id: OTHER } })).toEqual(
      skip === null ? null : expect.objectContaining(skip),
    );
  });

  test("include those skipped by an account rule of the same phase", () => {
    const rule = (action_parameters: JsonObject) =>
      skipIn(MANAGED, { id: "1", action: "skip", action_parameters });
    expect(rule({ ruleset: "current" })).toMatchObject(WHOLE);
    expect(rule({ phases: ["http_ratelimit"] })).toBeNull();
    expect(rule({ phases: [MANAGED.toUpperCase()] })).toMatchObject(UNKNOWN);
  });

  test.each<[string, JsonObject, object | null]>([
    ["executes a documented managed ruleset", { action: "execute", action_parameters: { id: CORE } }, null],
    ["executes another ruleset", { action: "execute", action_parameters: { id: OTHER } }, UNKNOWN],
    ["executes an unnamed ruleset", { action: "execute" }, UNKNOWN],
    ["blocks", { action: "block" }, null],
    ["has an unknown action", { action: "allow" }, UNKNOWN],
    ["has no action", {}, UNKNOWN],
  ])("by an account rule of the same phase that %s", (_, rule, skip) => {
    expect(skipIn(MANAGED, { id: "1", ...rule })).toEqual(
      skip === null ? null : expect.objectContaining(skip),
    );
  });
});

const ZONE = "1".repeat(32);
const office = {
  id: "c".repeat(32),
  action: "skip",
  action_parameters: { phases: [MANAGED] },
  expression: "ip.src eq 192.0.2.1",
  description: "Office",
};
const scanner = {
  ...office,
  id: "d".repeat(32),
  expression: "ip.src eq 203.0.113.1",
  description: "Scanner",
};
const company = {
  id: "e".repeat(32),
  kind: "root",
  phase: CUSTOM,
  rules: [scanner],
};

async function world(
  sections: object,
  { names = ["a.example.com"], seed = {} as Partial<Seed>, without = [] as string[] } = {},
) {
  const rulesets = [{ kind: "zone", phase: CUSTOM, rules: [office] }];
  const zones = Object.fromEntries(
    names.map((name, index) => [name, { id: String(index + 1).repeat(32), rulesets }]),
  );
  const emulator = await createEmulator({ seed: { zones, ...seed }, without });
  onTestFinished(() => emulator.close());
  const files = {
    version: 1,
    guardrails: { forbid: ["unmanaged"] },
    zones: Object.fromEntries(names.map((name) => [name, sections])),
  };
  const cwd = await folderWith({ "zoneward.yaml": JSON.stringify(files) });
  const env = reaching(emulator);
  return {
    emulator,
    cwd,
    env,
    planned: (environment = env) => plan({ cwd, environment, rateLimit: "off" }),
    run: (...args: string[]) => zoneward(args, { cwd, env }),
    reads: (part: string) => emulator.log.filter(({ path }) => path.includes(part)).length,
  };
}

const BOTH = { managed_ruleset: { action: "log" }, managed_exceptions: [] };
const WITH_ACCOUNT = { seed: { account_rulesets: [...managedRulesets, company] } };

describe("rules of other lists that skip managed rulesets", () => {
  test("cost one request for each zone, and none without a section for managed rulesets", async () => {
    const names = ["a.example.com", "b.example.com"];
    const { planned, reads } = await world(BOTH, { names, ...WITH_ACCOUNT });
    const { document } = await planned();
    expect(
      document?.unmanaged.map(({ zone, key, list, effect, known }) => [zone, key, list, effect, known]),
    ).toEqual(
      names.flatMap((zone) => [
        [zone, "Scanner", "rules", "weakens", "not_listed"],
        [zone, "Office", "rules", "weakens", "not_listed"],
      ]),
    );
    expect([reads(`/zones/${ZONE}/rulesets/phases/${CUSTOM}`), reads(company.id)]).toEqual([1, 1]);
    const other = await world({ settings: { enabled: true }, custom_log_fields: { cookie_fields: ["a"] } });
    await other.planned();
    expect([other.reads(CUSTOM), other.reads("/accounts/")]).toEqual([0, 0]);
  });

  test("count as drift until they are acknowledged, and the guardrail unmanaged refuses them", async () => {
    const { run } = await world({ managed_exceptions: [] });
    const { code, out } = await run("drift", "--detailed-exitcode");
    expect([code, out]).toEqual([
      2,
      expect.stringContaining('rule "Office" skips the managed rulesets as a custom rule'),
    ]);
    const listed = await world({ managed_exceptions: [], unmanaged: { rules: ["Off*"] } });
    expect((await listed.run("drift", "--detailed-exitcode")).code).toBe(0);
    const refused = await world({
      managed_exceptions: [{ description: "a", expression: "false", skip: "all" }],
    });
    const { err } = await refused.run("apply", "--yes");
    expect(err).toContain('rule "Office" (skips the managed rulesets as a custom rule');
  });

  test("are named by doctor, with the line that acknowledges them", async () => {
    const { run } = await world(BOTH, WITH_ACCOUNT);
    const { code, err } = await run("doctor");
    expect(code).toBe(0);
    expect(err.match(/An undeclared rule skips managed rulesets/g)).toHaveLength(2);
    expect(err).toContain('unmanaged: { rules: ["Office"] }');
    const listed = await world({ ...BOTH, unmanaged: { rules: ["Office", scanner.id] } }, WITH_ACCOUNT);
    expect((await listed.run("doctor")).err).not.toContain("skips managed rulesets");
  });

  test("are declared by export, or acknowledged with their effect where no file can declare them", async () => {
    const executing = {
      ...office,
      id: "d".repeat(32),
      description: "Vendor",
      action: "execute",
      action_parameters: { id: "e".repeat(32) },
    };
    const { run } = await world(BOTH, {
      seed: {
        zones: {
          "a.example.com": {
            rulesets: [
              { kind: "zone", phase: CUSTOM, rules: [office, executing] },
              {
                kind: "zone",
                phase: MANAGED,
                rules: [
                  {
                    action: "execute",
                    action_parameters: { id: "4814384a9e5d4991b9815dcfc25d2f1f" },
                    expression: "true",
                  },
                ],
              },
            ],
          },
        },
      },
    });
    const { out, err } = await run("export", "a.example.com");
    expect(parse(out).zones["a.example.com"].custom_rules).toMatchObject([
      { description: "Office", action: "skip" },
    ]);
    expect(out).not.toContain(`Not managed: the rule ${office.id}`);
    expect(out).toContain(`Not managed: the rule ${executing.id} "Vendor", which`);
    expect(out).toMatch(/# Live objects that this export acknowledges: .*\n +unmanaged:\s+rules: \[Vendor\]/);
    expect(err).toContain("acknowledges 1 live object");
    expect(err).toContain(
      'Review what weakens protection. Once declared, plan and drift do not report it:\n  a.example.com: custom_rule "Office" skips',
    );
  });

  test("are left alone by adopt, which says why", async () => {
    const { run } = await world({ managed_exceptions: [] });
    const { out, err } = await run("adopt", "--new");
    expect(out + err).toContain("adopt does not declare rules of others.");
  });

  test("are reported as not visible once for each zone without read permission, and everything is planned", async () => {
    const names = ["a.example.com", "b.example.com"];
    const { emulator, cwd, planned } = await world(BOTH, { names, ...WITH_ACCOUNT });
    const front = await refusing(emulator.url);
    onTestFinished(() => front.close());
    front.arm({ method: "GET", path: new RegExp(`${CUSTOM}|${company.id}`) });
    const env = reaching({ ...emulator, url: front.url });
    const { document, problems } = await planned(env);
    expect(document?.summary.create).toBe(2);
    expect(problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual(
      names.flatMap(() => ["note custom_rules_unread", "note account_rules_unread"]),
    );
    const { out, err } = await zoneward(["plan"], { cwd, env });
    const told = out + err;
    expect(told.match(/Custom rules are not visible/g)).toHaveLength(1);
    expect(told).toContain("Zone WAF Read");
    expect(told.match(/The account's rules are not visible/g)).toHaveLength(1);
    expect(told).toContain("Account WAF Read");
  });

  test("fail the section if the read fails for another reason", async () => {
    const { emulator, planned } = await world({ managed_exceptions: [] });
    const refusal = { success: false, errors: [{ code: 1, message: "no" }], messages: [], result: null };
    const environment = await altering(emulator, (path) =>
      path.includes(CUSTOM) ? JSON.stringify(refusal) : undefined,
    );
    const { document, problems } = await planned(environment);
    expect([document?.zones[0]?.status, problems.map(({ code }) => code)]).toEqual(["failed", ["api_error"]]);
  });

  test("fail the section if the account has two lists of one phase", async () => {
    const { emulator, planned } = await world({ managed_exceptions: [] });
    const root = (id: string) => ({ id: id.repeat(32), kind: "root", phase: CUSTOM });
    const answer = { success: true, errors: [], messages: [], result: [root("1"), root("2")] };
    const environment = await altering(emulator, (path) =>
      /^\/accounts\/\w+\/rulesets(\?|$)/.test(path) ? JSON.stringify(answer) : undefined,
    );
    const { document, problems } = await planned(environment);
    expect([document?.zones[0]?.status, problems.map(({ summary }) => summary)]).toEqual([
      "failed",
      ["Two rulesets of one phase"],
    ]);
  });
});
