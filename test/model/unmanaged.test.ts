import { describe, expect, test } from "vitest";
import { listedBy, patternsFor } from "../../src/model/unmanaged.js";
import { fc } from "../support/random.js";

const id = "5f2b0c6ab5e7441e8f0d7d2c4a91e001";
const rule = (key: string, own: string | null = id) => ({ list: "rules", ref: { kind: "k", key, id: own } });

describe("a pattern", () => {
  test.each<[string, string, boolean]>([
    ["Office skip", "Office skip", true],
    ["Office skip", "office skip", false],
    ["Office", "Office skip", false],
    ["*", "anything", true],
    ["Off*", "Office skip", true],
    ["*skip", "Office skip", true],
    ["*f*s*", "Office skip", true],
    ["a*b*c", "abc", true],
    ["ab*bc", "abc", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["?*", "a", true],
    ["[ab]", "a", false],
    ["a/*", "a/b/c", true],
    ["", "a", false],
  ])("%s and the name %s: match %s", (pattern, name, fits) => {
    expect(patternsFor({ rules: [pattern] }, rule(name)).length > 0).toBe(fits);
  });

  test("counts only in the list of its kind, and may match the id", () => {
    expect(patternsFor({ policies: ["A"] }, rule("A"))).toEqual([]);
    expect(patternsFor({ rules: ["x", "5f2b*"] }, rule("A"))).toEqual(["5f2b*"]);
  });

  test("matches an object without a name only by its id", () => {
    expect(patternsFor({ rules: [""] }, rule("", null))).toEqual([]);
    expect(patternsFor({ rules: ["*"] }, rule(""))).toEqual(["*"]);
  });

  // Backtracking over each way to match would not finish.
  test("designed to be slow is matched quickly", () => {
    expect(patternsFor({ rules: [`${"*a".repeat(2_000)}b`] }, rule("a".repeat(20_000)))).toEqual([]);
  });
});

describe("the suggested entry for an object", () => {
  test.each<[string, string | null]>([
    ["Office skip", "Office skip"],
    ["*", id],
    ["a?", id],
    ["${env:HOME}", id],
    ["", id],
    ["  ", id],
    ["a\u202eb", id],
    ["a".repeat(81), id],
  ])("named %s is %s", (name, expected) => {
    expect(listedBy(rule(name))).toBe(expected);
  });

  test("matches the object and no object with another name", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const name = listedBy(rule(one, null));
        if (name === null) return;
        expect(patternsFor({ rules: [name] }, rule(one, null))).toEqual([name]);
        if (one !== other) expect(patternsFor({ rules: [name] }, rule(other, null))).toEqual([]);
      }),
    );
  });
});
