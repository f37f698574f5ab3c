import { expect, test } from "vitest";
import { skipOf, skipping } from "../../src/kinds/skip-rules.js";
import type { JsonObject } from "../../src/model/json.js";

const rule = (action_parameters: JsonObject) => ({ id: "1", action: "skip", action_parameters });
const OTHER = "4".repeat(32);

test("a rule that skips what is current skips all, whatever it names besides", () => {
  expect(skipOf(rule({ ruleset: "current", rulesets: [OTHER] }))?.isWhole).toBe(true);
});

test("of a rule that says something that is unknown, it is unknown what it skips", () => {
  expect(skipOf(rule({ rulesets: [OTHER], products: ["waf"] }))).toMatchObject({
    isWhole: false,
    isClear: false,
  });
  expect(skipOf(rule({ ruleset: "another" }))?.isClear).toBe(false);
});

test.each<[what: string, parameters: JsonObject, expression: string, isInFront: boolean, effect: string]>([
  ["all that follows, with nothing there", { ruleset: "current" }, "true", false, "neutral"],
  ["all that follows", { ruleset: "current" }, "true", true, "weakens"],
  ["another phase, which comes later", { phases: ["http_ratelimit"] }, "true", false, "weakens"],
  ["another phase too", { ruleset: "current", phases: ["http_ratelimit"] }, "true", false, "weakens"],
  [
    "its own phase, with nothing there",
    { phases: ["http_request_firewall_managed"] },
    "true",
    false,
    "neutral",
  ],
  ["another phase for no request", { phases: ["http_ratelimit"] }, "false", false, "neutral"],
])("what a rule does that skips %s", (_, parameters, expression, isInFront, effect) => {
  const skipRule = { ...rule(parameters), expression };
  const skip = skipOf(skipRule);
  expect(skip && skipping(skipRule, skip, isInFront, (id) => id).effect).toBe(effect);
});
