import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/model/json.js";
import { executeId, owaspId, wafId } from "../emulator/rulesets.js";
import { interfaceZone, linesOf, writesOf } from "./zone.js";

const phase = "http_request_firewall_managed";
const lastRule = "77777777777777777777777777777777";
const entryPoint = `/zones/{zone_id}/rulesets/phases/${phase}/entrypoint`;

/** An account whose managed ruleset ends with another rule than the documented one. */
const account = {
  account_rulesets: [
    {
      id: owaspId,
      name: "Cloudflare OWASP Core Ruleset",
      kind: "managed",
      phase,
      rules: [
        { id: "88888888888888888888888888888888", action: "score", categories: ["paranoia-level-1"] },
        { id: lastRule, action: "block", score_threshold: 40 },
      ],
    },
  ],
};

/** A zone that deploys the ruleset with these overrides. */
function deployed(overrides: JsonObject | null = null) {
  const parameters = overrides === null ? { id: owaspId } : { id: owaspId, overrides };
  const rule = { id: executeId, action: "execute", action_parameters: parameters, expression: "true" };
  return interfaceZone({ rulesets: [{ id: wafId, phase, rules: [rule] }] }, account);
}

/** The live overrides of the rule that executes the ruleset. */
function overridesOf({ live }: Awaited<ReturnType<typeof interfaceZone>>): Json | undefined {
  const [ruleset] = live().rulesets ?? [];
  const [rule] = ruleset?.rules ?? [];
  return (rule?.action_parameters as JsonObject | undefined)?.overrides; // the emulator's own state
}

const off = (...levels: readonly number[]) =>
  levels.map((level) => ({ category: `paranoia-level-${level}`, enabled: false }));

describe("deploying the managed ruleset", () => {
  test("looks up the ids of the ruleset and its last rule, and creates the missing entry point", async () => {
    const { apply, emulator } = await interfaceZone({}, account);
    const requests = await apply({ managed_ruleset: {} });
    const lines = linesOf(requests, emulator);
    const made = emulator.state().zones["shop.example"]?.rulesets?.[0]?.id;
    expect(lines.filter((line) => !line.startsWith("GET"))).toEqual([
      "POST /zones/{zone_id}/rulesets",
      `PUT /zones/{zone_id}/rulesets/${made}`,
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        "GET /accounts/{account_id}/rulesets",
        `GET /accounts/{account_id}/rulesets/${owaspId}`,
        `GET ${entryPoint}`,
      ]),
    );
    const [, put] = writesOf(requests);
    expect(put?.body).toMatchObject({
      rules: [
        {
          action: "execute",
          action_parameters: { id: owaspId, overrides: { rules: [{ id: lastRule, score_threshold: 40 }] } },
          expression: "true",
        },
      ],
    });
  });

  test("adds its rule to the existing rules of the phase's ruleset", async () => {
    const skip = {
      action: "skip",
      action_parameters: { ruleset: "current" },
      expression: 'http.host eq "status.shop.example"',
    };
    const { apply, emulator, live } = await interfaceZone(
      { rulesets: [{ id: wafId, phase, rules: [skip] }] },
      account,
    );
    const writes = writesOf(await apply({ managed_ruleset: {} }));
    expect(linesOf(writes, emulator)).toEqual([`PUT /zones/{zone_id}/rulesets/${wafId}`]);
    expect(live().rulesets?.[0]?.rules).toMatchObject([skip, { action: "execute" }]);
  });

  test("starts with PL1, the threshold 40 and block", async () => {
    const zone = await interfaceZone({}, account);
    await zone.apply({ managed_ruleset: {} });
    expect(overridesOf(zone)).toEqual({
      categories: off(2, 3, 4),
      rules: [{ id: lastRule, score_threshold: 40, action: "block" }],
    });
  });
});

describe("the rule that executes the managed ruleset", () => {
  test.each([
    ["PL1", off(2, 3, 4)],
    ["PL2", off(3, 4)],
    ["PL3", off(4)],
  ])("at %s disables only the higher levels", async (paranoia_level, categories) => {
    for (const before of [null, { categories: off(1, 2, 3, 4) }]) {
      const zone = await deployed(before);
      const [write] = writesOf(await zone.apply({ managed_ruleset: { paranoia_level } }));
      expect(linesOf(write === undefined ? [] : [write], zone.emulator)).toEqual([
        `PATCH /zones/{zone_id}/rulesets/${wafId}/rules/${executeId}`,
      ]);
      expect(overridesOf(zone)).toEqual({ categories });
    }
  });

  test("at PL4 disables no level", async () => {
    const zone = await deployed({ categories: off(2, 3, 4) });
    await zone.apply({ managed_ruleset: { paranoia_level: "PL4" } });
    expect(overridesOf(zone)).toBeUndefined();
  });

  test.each([
    ["low", 60],
    ["medium", 40],
    ["high", 25],
    [33, 33],
  ])("has the threshold %j as %d on the last rule", async (score_threshold, number) => {
    const zone = await deployed({ rules: [{ id: lastRule, score_threshold: 99, action: "log" }] });
    await zone.apply({ managed_ruleset: { score_threshold } });
    expect(overridesOf(zone)).toEqual({ rules: [{ id: lastRule, score_threshold: number, action: "log" }] });
  });

  test.each(["managed_challenge", "js_challenge", "log", "challenge"])(
    "has the action %s on the last rule only",
    async (action) => {
      const zone = await deployed();
      await zone.apply({ managed_ruleset: { action, score_threshold: "low" } });
      expect(overridesOf(zone)).toEqual({ rules: [{ id: lastRule, score_threshold: 60, action }] });
      await zone.apply({ managed_ruleset: { action: "block" } });
      expect(overridesOf(zone)).toEqual({ rules: [{ id: lastRule, score_threshold: 60, action: "block" }] });
    },
  );

  test("is sent with all of its fields", async () => {
    const { apply } = await deployed();
    const [write] = writesOf(await apply({ managed_ruleset: { enabled: false } }));
    expect(write?.body).toMatchObject({
      action: "execute",
      action_parameters: { id: owaspId, version: "latest" },
      expression: "true",
      enabled: false,
    });
  });

  test("can disable single rules and tags, and can be limited to some requests", async () => {
    const zone = await deployed();
    const rule = "88888888888888888888888888888888";
    await zone.apply({
      managed_ruleset: {
        disabled_rules: [rule],
        disabled_tags: ["platform-wordpress"],
        expression: 'http.host eq "shop.example"',
      },
    });
    expect(overridesOf(zone)).toEqual({
      categories: [{ category: "platform-wordpress", enabled: false }],
      rules: [{ id: rule, enabled: false }],
    });
    expect(zone.live().rulesets?.[0]?.rules).toMatchObject([{ expression: 'http.host eq "shop.example"' }]);
  });
});
