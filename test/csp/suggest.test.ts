import { expect, test } from "vitest";
import { suggested } from "../../src/csp/suggest.js";

test("of more sources than any value can have, the first that are asked for are looked at", () => {
  const seen = Array.from({ length: 20_000 }, (_, index) => ({
    kind: "script" as const,
    url: `https://h${index}.example/x.js`,
    pages: ["https://shop.example.com/"],
    of: index,
  }));
  const { added, refused } = suggested("script-src 'self'", seen);
  expect([added.length, refused.length]).toEqual([1000, 19_000]);
  expect(new Set(refused.map(({ why }) => why))).toEqual(new Set(["too_many"]));
  expect(added.flatMap(({ loads }) => loads).every((index) => index < 1000)).toBe(true);
});
