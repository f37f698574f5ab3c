import { expect, test } from "vitest";
import { skipOf } from "../../src/kinds/skip-rules.js";
import type { JsonObject } from "../../src/model/json.js";

const rule = (action_parameters: JsonObject) => ({ id: "1", action: "skip", action_parameters });
const OTHER = "4".repeat(32);

test("a rule that skips what is current skips all, whatever it names besides", () => {
  expect(skipOf(rule({ ruleset: "current", rulesets: [OTHER] }))?.isWhole).toBe(true);
});

test("of a rule that says something that is not known here, it is not known what it skips", () => {
  expect(skipOf(rule({ rulesets: [OTHER], products: ["waf"] }))).toMatchObject({
    isWhole: false,
    isClear: false,
  });
  expect(skipOf(rule({ ruleset: "another" }))?.isClear).toBe(false);
});
