import { expect, test } from "vitest";
import { changesBetween } from "../../src/plan/value-words.js";

const secret = { $secret: "env:PLACE" };

test.each<[sentence: string, before: unknown, after: unknown, found: readonly string[]]>([
  ["equal values have no differences", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["maps are compared key by key at any depth", { a: { b: 1, c: 2 } }, { a: { b: 3, c: 2 } }, ["a.b: 1 → 3"]],
  [
    "a key on only one side is not set on the other",
    { a: 1 },
    { b: "x" },
    ["a: 1 → not set", 'b: not set → "x"'],
  ],
  [
    "an object added to a list is named by its description",
    { rules: [{ id: "a" }] },
    { rules: [{ id: "a" }, { id: "b", description: "Block bots" }] },
    ['rules: + "Block bots"'],
  ],
  [
    "an object without a description is named by its id",
    { rules: [{ id: "a" }] },
    { rules: [] },
    ['rules: - "a"'],
  ],
  ["a missing list counts as empty", { rules: null }, { rules: [{ id: "a" }] }, ['rules: + "a"']],
  [
    "a change in an object is shown after its id",
    { rules: [{ id: "a", on: true }] },
    { rules: [{ id: "a", on: false }] },
    ["rules[a].on: true → false"],
  ],
  [
    "overrides are named by their rule or category",
    { o: [{ category: "x", enabled: false }] },
    { o: [{ category: "y", enabled: false }] },
    ['o: + "y"', 'o: - "x"'],
  ],
  [
    "another order is a difference",
    { o: [{ id: "a" }, { id: "b" }] },
    { o: [{ id: "b" }, { id: "a" }] },
    ["o: in another order"],
  ],
  ["other lists are shown in full", { o: ["a"] }, { o: ["b"] }, ['o: ["a"] → ["b"]']],
  [
    "sensitive values are not shown",
    { d: secret },
    { d: { $secret: "env:OTHER" } },
    ["d: (sensitive) → (sensitive)"],
  ],
])("%s", (_, before, after, found) => {
  expect(changesBetween(before, after)).toEqual(found);
});

test("many differences and long values are cut", () => {
  const many = (value: number) =>
    Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, value]));
  expect(changesBetween(many(1), many(2)).at(-1)).toBe("and 3 more");
  expect(changesBetween({ a: "" }, { a: "x".repeat(5000) })[0]?.length).toBeLessThan(300);
});
