import { describe, expect, test } from "vitest";
import { policy } from "../../src/kinds/policy/index.js";
import { readLive } from "../../src/kinds/read.js";
import type { Json } from "../../src/model/json.js";
import { ok } from "../../src/model/problem.js";
import type { ReadApi } from "../../src/model/read-api.js";

const ID = "b".repeat(32);
const LIVE = {
  id: ID,
  description: "Storefront",
  action: "allow",
  expression: "true",
  value: "script-src *",
};

async function reading(listed: readonly Json[]) {
  const api: ReadApi = { get: async () => ok(null), list: async () => ok(listed) };
  return readLive(
    policy,
    { api, zoneId: "zone", accountId: async () => ok("account"), locate: () => null },
    [],
  );
}

describe("a live policy", () => {
  test.each([true, false, "true", "False", null])("may have %j as enabled", async (enabled) => {
    expect(await reading([{ ...LIVE, enabled }])).toMatchObject({ ok: true });
  });

  test("may lack optional fields and have unknown ones", async () => {
    expect(await reading([{ id: ID, description: "a", new: { deep: [1] } }])).toMatchObject({ ok: true });
  });

  test.each<readonly [Json, RegExp]>([
    [
      { ...LIVE, enabled: "maybe" },
      /"Storefront", b{32}, with the enabled "maybe", which is not true or false/,
    ],
    [{ ...LIVE, enabled: 1 }, /with the enabled 1,/],
    [{ ...LIVE, description: 5 }, /a policy, b{32}, with the description 5, which is not a string/],
    [{ ...LIVE, action: ["allow"] }, /with the action \["allow"\]/],
    [{ ...LIVE, expression: {} }, /with the expression \{\}/],
    [{ ...LIVE, value: false }, /with the value false/],
    [{ ...LIVE, id: 0.5 }, /the policy "Storefront" with the id 0.5, which is invalid/],
    [{ ...LIVE, id: "../zones" }, /with the id "\.\.\/zones"/],
    ["x", /something other than a policy/],
  ])("that cannot be read is an error: %j", async (odd, detail) => {
    const other = { ...LIVE, id: "c".repeat(32), description: "Other" };
    const result = await reading([other, odd]);
    const problems = result.ok ? [] : result.problems;
    expect(problems.map(({ code }) => code)).toEqual(["unexpected_answer"]);
    expect(problems[0]?.detail).toMatch(detail);
    expect(problems[0]?.detail).toMatch(
      /^GET \/zones\/zone\/page_shield\/policies .* Nothing that depends on it is planned/,
    );
  });

  test("with the id of another policy is an error", async () => {
    const result = await reading([LIVE, { ...LIVE, description: "Twin" }]);
    const [problem] = result.ok ? [] : result.problems;
    expect(problem?.detail).toMatch(/two objects with the id b{32}; the second is the policy "Twin"/);
  });
});
