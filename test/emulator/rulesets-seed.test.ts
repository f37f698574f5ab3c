import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkSeed, type RulesetSeed, type Seed } from "../../src/emulator/index.js";
import type { Json } from "../../src/model/json.js";
import { answered, call, seed, start, tickingClock } from "./call.js";
import {
  accountRulesets,
  core,
  fieldsEntryPoint,
  logFields,
  none,
  owaspId,
  rulesOf,
  skip,
  skipId,
  storedWaf,
  waf,
  wafId,
  withRulesets,
  zoneRulesets,
} from "./rulesets.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "zoneward-emulator-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function seeded(...rulesets: readonly RulesetSeed[]): Seed {
  return { ...seed, zones: { "shop.example": { ...seed.zones["shop.example"], rulesets } } };
}

describe("the rulesets of a seed", () => {
  test("come back in the state with their unknown fields", async () => {
    const emulator = await start({ seed: withRulesets });
    expect(emulator.state().zones["shop.example"]?.rulesets).toEqual([storedWaf]);
    expect(emulator.state()).not.toHaveProperty("account_rulesets");
  });

  test("may omit the fields that the service sets", async () => {
    const { phase } = storedWaf;
    const rules = [{ action: "execute", action_parameters: { id: owaspId }, expression: "true" }];
    const emulator = await start({ seed: seeded({ phase, rules }), now: tickingClock() });
    const [ruleset] = emulator.state().zones["shop.example"]?.rulesets ?? [];
    const at = "2026-01-01T00:00:00.000000Z";
    const set = { id: expect.any(String), version: "1", last_updated: at, description: "" };
    const [rule] = ruleset?.rules ?? [];
    expect(ruleset).toEqual({ ...set, name: "default", kind: "zone", phase, rules: [rule] });
    expect(rule).toEqual({
      ...set,
      ...rules[0],
      action_parameters: { id: owaspId, version: "latest" },
      enabled: true,
      ref: rule?.id,
    });
    expect(rule?.id).not.toBe(ruleset?.id);
  });

  test("of the accounts replace the managed ones and come back in the state", async () => {
    const own = { id: none, name: "Own", kind: "managed", phase: storedWaf.phase, rules: [core] };
    const emulator = await start({ seed: { ...seed, account_rulesets: [own] } });
    const { body } = await call(emulator, "GET", accountRulesets);
    expect(body).toMatchObject({ result: [{ id: none, name: "Own" }] });
    expect(emulator.state().account_rulesets).toMatchObject([own]);
    const again = await start({ seed: emulator.state() });
    expect(again.state()).toEqual(emulator.state());
  });

  test("of the accounts belong to the account of every zone", async () => {
    const account_id = none;
    const emulator = await start({ seed: { zones: { "a.example": { account_id } } } });
    expect((await call(emulator, "GET", `/accounts/${account_id}/rulesets`)).status).toBe(200);
    expect((await call(emulator, "GET", `/accounts/${emulator.account_id}/rulesets`)).status).toBe(200);
  });
});

describe("the state of rulesets", () => {
  test("is saved after every write and continued after a restart", async () => {
    const stateFile = join(folder, "state.json");
    const first = await start({ seed: withRulesets, stateFile, now: tickingClock() });
    const writes: readonly [method: string, path: string, body?: Json][] = [
      ["PUT", fieldsEntryPoint, { rules: [logFields] }],
      ["PATCH", `${waf}/rules/${skipId}`, { position: { after: "" } }],
      ["PUT", waf, { rules: [] }],
    ];
    for (const [method, path, body] of writes) {
      expect((await call(first, method, path, body)).status).toBe(200);
    }
    const rulesets = (await call(first, "GET", zoneRulesets)).body;
    await first.close();
    const second = await start({ stateFile });
    expect(second.state()).toEqual(first.state());
    expect((await call(second, "GET", zoneRulesets)).body).toEqual(rulesets);
  });

  test("gives new rules unused ids after a restart", async () => {
    const stateFile = join(folder, "state.json");
    const { id: _, ref: _ref, version: _v, ...rule } = skip;
    const first = await start({ seed: withRulesets, stateFile });
    await call(first, "POST", `${waf}/rules`, rule);
    await first.close();
    const rules = rulesOf(await call(await start({ stateFile }), "POST", `${waf}/rules`, rule));
    expect(new Set(rules.map(({ id }) => id)).size).toBe(5);
  });

  test("is the same in both dialects", async () => {
    const first = await start({ seed: withRulesets, dialect: "interface" });
    const second = await start({ seed: first.state() });
    expect((await call(second, "GET", waf)).body).toEqual(answered(storedWaf));
  });
});

describe("an error in the rulesets of a seed", () => {
  const phase = storedWaf.phase;
  const zone = (...rulesets: readonly Json[]) => ({ zones: { "a.example": { rulesets } } });
  const at = "/zones/a.example/rulesets";
  const rows: readonly [what: string, value: Json, places: readonly string[]][] = [
    ["rulesets that are not a list", { zones: { "a.example": { rulesets: {} } } }, [at]],
    ["a ruleset that is text", zone("x"), [`${at}/0`]],
    ["a ruleset without a phase", zone({}), [`${at}/0`]],
    ["an unknown phase", zone({ phase: "x" }), [`${at}/0/phase`]],
    ["a kind that zones do not have", zone({ phase, kind: "managed" }), [`${at}/0/kind`]],
    ["a version that is a number", zone({ phase, version: 1 }), [`${at}/0/version`]],
    ["two entry points of one phase", zone({ phase }, { phase, kind: "zone" }), [`${at}/1/phase`]],
    ["rules that are not a list", zone({ phase, rules: {} }), [`${at}/0/rules`]],
    ["a rule that is text", zone({ phase, rules: ["x"] }), [`${at}/0/rules/0`]],
    ["a rule without an action", zone({ phase, rules: [{}] }), [`${at}/0/rules/0`]],
    [
      "a rule of the wrong types",
      zone({ phase, rules: [{ action: 1, id: "x", version: "v", enabled: "true", action_parameters: [] }] }),
      ["id", "version", "action", "action_parameters", "enabled"].map((field) => `${at}/0/rules/0/${field}`),
    ],
    [
      "two rules with one id",
      zone({
        phase,
        rules: [
          { action: "skip", id: none },
          { action: "skip", id: none },
        ],
      }),
      [`${at}/0/rules/1/id`],
    ],
    [
      "a ruleset and a rule with one id",
      zone({ id: wafId, phase, rules: [{ action: "skip", id: wafId }] }),
      [`${at}/0/rules/0/id`],
    ],
    [
      "the kind zone in an account",
      { zones: {}, account_rulesets: [{ phase, kind: "zone" }] },
      ["/account_rulesets/0/kind"],
    ],
    [
      "two roots of one phase",
      { zones: {}, account_rulesets: [{ phase, kind: "root" }, { phase }, { phase, kind: "root" }] },
      ["/account_rulesets/2/phase"],
    ],
  ];
  test.each(rows)("is reported with its place: %s", (_, value, places) => {
    const checked = checkSeed(value);
    const details = checked.ok ? [] : checked.problems.map((each) => each.detail);
    expect(details.map((detail) => detail.slice(0, detail.indexOf(": ")))).toEqual(
      places.map((place) => `At ${place}`),
    );
  });
});
