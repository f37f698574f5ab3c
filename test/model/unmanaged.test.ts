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
  ])("%s, of a thing called %s, fits: %s", (pattern, name, fits) => {
    expect(patternsFor({ rules: [pattern] }, rule(name)).length > 0).toBe(fits);
  });

  test("is one of the list of its kind, and may be an id", () => {
    expect(patternsFor({ policies: ["A"] }, rule("A"))).toEqual([]);
    expect(patternsFor({ rules: ["x", "5f2b*"] }, rule("A"))).toEqual(["5f2b*"]);
  });

  test("fits no thing that has no name, unless by its id", () => {
    expect(patternsFor({ rules: [""] }, rule("", null))).toEqual([]);
    expect(patternsFor({ rules: ["*"] }, rule(""))).toEqual(["*"]);
  });

  // Who tries each way to read it does not come to an end.
  test("that somebody makes to be slow is answered", () => {
    expect(patternsFor({ rules: [`${"*a".repeat(2_000)}b`] }, rule("a".repeat(20_000)))).toEqual([]);
  });
});

describe("what something is listed by", () => {
  test.each<[string, string | null]>([
    ["Office skip", "Office skip"],
    ["*", id],
    ["a?", id],
    ["${env:HOME}", id],
    ["", id],
    ["  ", id],
    ["a\u202eb", id],
    ["a".repeat(81), id],
  ])("%s: %s", (name, expected) => {
    expect(listedBy(rule(name))).toBe(expected);
  });

  test("lists it, and nothing with another name", () => {
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
