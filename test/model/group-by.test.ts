import { describe, expect, test } from "vitest";
import { groupBy } from "../../src/model/group-by.js";

describe("groups", () => {
  test("are in the order of the first key, and keep the order of their values", () => {
    const groups = groupBy(["b1", "a1", "b2", "a2", "c1"], (text) => text[0]);
    expect([...groups]).toEqual([
      ["b", ["b1", "b2"]],
      ["a", ["a1", "a2"]],
      ["c", ["c1"]],
    ]);
  });

  test("are empty for no values", () => {
    expect(groupBy([], String).size).toBe(0);
  });

  test("may have keys named like methods of every object", () => {
    const groups = groupBy(["__proto__", "constructor", "__proto__"], (text) => text);
    expect([...groups.values()]).toEqual([["__proto__", "__proto__"], ["constructor"]]);
  });
});
