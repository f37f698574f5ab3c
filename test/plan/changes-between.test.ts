import { expect, test } from "vitest";
import { changesBetween } from "../../src/plan/wording.js";

const secret = { $secret: "env:PLACE" };

test.each<[sentence: string, before: unknown, after: unknown, found: readonly string[]]>([
  ["nothing differs between equal values", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["maps differ key by key, however deep", { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, ["a.b: 1 → 3"]],
  [
    "a key that is only on one side is not set on the other",
    { a: 1 },
    { b: "x" },
    ["a: 1 → not set", 'b: not set → "x"'],
  ],
  [
    "what comes to a list of objects is known by its description",
    { rules: [{ id: "a" }] },
    { rules: [{ id: "a" }, { id: "b", description: "Block bots" }] },
    ['rules: + "Block bots"'],
  ],
  [
    "what leaves one is known by its id where it has none",
    { rules: [{ id: "a" }] },
    { rules: [] },
    ['rules: - "a"'],
  ],
  ["a list that was not there was empty", { rules: null }, { rules: [{ id: "a" }] }, ['rules: + "a"']],
  [
    "what changes in one stands behind its id",
    { rules: [{ id: "a", on: true }] },
    { rules: [{ id: "a", on: false }] },
    ["rules[a].on: true → false"],
  ],
  [
    "overrides are known by what they are about",
    { o: [{ category: "x", enabled: false }] },
    { o: [{ category: "y", enabled: false }] },
    ['o: + "y"', 'o: - "x"'],
  ],
  [
    "another order is a difference too",
    { o: [{ id: "a" }, { id: "b" }] },
    { o: [{ id: "b" }, { id: "a" }] },
    ["o: in another order"],
  ],
  ["other lists are shown whole", { o: ["a"] }, { o: ["b"] }, ['o: ["a"] → ["b"]']],
  [
    "what is sensitive is not looked into",
    { d: secret },
    { d: { $secret: "env:OTHER" } },
    ["d: (sensitive) → (sensitive)"],
  ],
])("%s", (_, before, after, found) => {
  expect(changesBetween(before, after)).toEqual(found);
});

test("many differences are cut, and so are long values", () => {
  const many = (value: number) =>
    Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, value]));
  expect(changesBetween(many(1), many(2)).at(-1)).toBe("and 3 more");
  expect(changesBetween({ a: "" }, { a: "x".repeat(5000) })[0]?.length).toBeLessThan(300);
});
