import { expect, test } from "vitest";
import { skipOf, skipping } from "../../src/kinds/skips.js";
import type { JsonObject } from "../../src/model/json.js";

const rule = (action_parameters: JsonObject) => ({ id: "1", action: "skip", action_parameters });
const OTHER = "4".repeat(32);

test("a rule that skips the current ruleset skips everything, whatever else it names", () => {
  expect(skipOf(rule({ ruleset: "current", rulesets: [OTHER] }))?.isWhole).toBe(true);
});

test("a rule with an unknown parameter skips an unknown set of rules", () => {
  expect(skipOf(rule({ rulesets: [OTHER], products: ["waf"] }))).toMatchObject({
    isWhole: false,
    isClear: false,
  });
  expect(skipOf(rule({ ruleset: "another" }))?.isClear).toBe(false);
});

test.each<[what: string, parameters: JsonObject, expression: string, isInFront: boolean, effect: string]>([
  ["all following rules, with none following", { ruleset: "current" }, "true", false, "neutral"],
  ["all following rules", { ruleset: "current" }, "true", true, "weakens"],
  ["another phase", { phases: ["http_ratelimit"] }, "true", false, "weakens"],
  [
    "all following rules and another phase",
    { ruleset: "current", phases: ["http_ratelimit"] },
    "true",
    false,
    "weakens",
  ],
  [
    "its own phase, with no rules following",
    { phases: ["http_request_firewall_managed"] },
    "true",
    false,
    "neutral",
  ],
  ["another phase for no request", { phases: ["http_ratelimit"] }, "false", false, "neutral"],
])("the effect of a rule that skips %s", (_, parameters, expression, isInFront, effect) => {
  const skipRule = { ...rule(parameters), expression };
  const skip = skipOf(skipRule);
  expect(skip && skipping(skipRule, skip, isInFront, (id) => id).effect).toBe(effect);
});
