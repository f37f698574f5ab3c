import { describe, expect, test } from "vitest";
import { groupBy } from "../../src/model/group-by.js";

describe("values by a key", () => {
  test("stand in their order, and the groups in the order of the keys", () => {
    const groups = groupBy(["b1", "a1", "b2", "a2", "c1"], (text) => text[0]);
    expect([...groups]).toEqual([
      ["b", ["b1", "b2"]],
      ["a", ["a1", "a2"]],
      ["c", ["c1"]],
    ]);
  });

  test("are in no group where there are none", () => {
    expect(groupBy([], String).size).toBe(0);
  });

  test("can have keys that every object seems to have", () => {
    const groups = groupBy(["__proto__", "constructor", "__proto__"], (text) => text);
    expect([...groups.values()]).toEqual([["__proto__", "__proto__"], ["constructor"]]);
  });
});
