import { describe, expect, test } from "vitest";
import { cut, cutBoth } from "../../src/model/cut.js";
import { fc } from "../support/random.js";

describe("cut", () => {
  test("removes the middle of a long text and says how many characters are left out", () => {
    expect(cut(`${"a".repeat(100)}${"b".repeat(100)}`, 30)).toBe(
      `${"a".repeat(20)}…(170 characters left out)…${"b".repeat(10)}`,
    );
    expect(cut("short", 5)).toBe("short");
  });

  test("never cuts within a character or an escape", () => {
    for (const part of ["\u{1f600}", "\\u{1f600}"])
      for (let shift = 0; shift < 12; shift++) {
        const [head = "", tail = ""] = cut("x".repeat(shift) + part.repeat(100), 60).split(
          /…\(\d+ characters left out\)…/,
        );
        for (const each of [head, tail]) expect(each.replaceAll(part, "")).toMatch(/^x*$/);
      }
  });
});

describe("cutBoth", () => {
  const same = "=".repeat(100_000);
  test.each([
    ["at the start", `a${same}`, `b${same}`],
    ["at the end", `${same}a`, `${same}b`],
    ["in the middle", `${same}a${same}`, `${same}b${same}`],
    ["by additional text", same, `${same}b`],
    ["at both ends", `a${same}a`, `b${same}b`],
    ["at an escape", `${same}\\u{202e}${same}`, `${same}b${same}`],
  ])("shows where two long texts differ: %s", (_, a, b) => {
    const [one, other] = cutBoth(a, b, 300);
    expect(one).not.toBe(other);
    expect(other).toContain("b");
    for (const each of [one, other]) {
      expect(each.length).toBeLessThan(600);
      expect(each).toMatch(/…\(\d+ characters left out\)…/);
    }
  });

  test("says when the texts also differ in a part that is left out", () => {
    const [one, other] = cutBoth(`a${same}a${same}a`, `b${same}b${same}b`, 300);
    expect(one).toContain("characters left out, where more differs)");
    expect(other).toContain("characters left out, where more differs)");
  });

  test("gives different results for different texts", () => {
    const text = fc.string({ maxLength: 400 });
    fc.assert(
      fc.property(text, text, text, text, (start, a, b, end) => {
        const [before, after] = [start + a + end, start + b + end];
        const [one, other] = cutBoth(before, after, 40);
        expect(one === other).toBe(before === after);
      }),
    );
  });
});
