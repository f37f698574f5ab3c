import { expect, test } from "vitest";
import { desiredFrom } from "../../src/config/index.js";
import { picker, selectZones } from "../../src/run/select-zones.js";

/** Counts how often a list of patterns is read. */
function counted(patterns: readonly string[]) {
  const count = { reads: 0 };
  const list = new Proxy(patterns, {
    get: (all, key, self) => {
      if (key === "0") count.reads += 1;
      return Reflect.get(all, key, self);
    },
  });
  return { list, count };
}

test("patterns are read once for any number of zones", () => {
  const { list, count } = counted(["a*.example", "B.Example"]);
  const isPicked = picker(list);
  const { reads } = count;
  expect(["ab.example", "b.example", "c.example"].map(isPicked)).toEqual([true, true, false]);
  expect(count.reads).toBe(reads);
  expect(picker([])("any.example")).toBe(true);
});

test("selecting among twice as many zones reads the patterns no more often", () => {
  const readsFor = (zones: number) => {
    const names = Array.from({ length: zones }, (_, at) => `  z${at}.example: { policies: [] }\n`);
    const text = `version: 1\nzones:\n${names.join("")}`;
    const { desired } = desiredFrom([{ file: "a.yaml", text }], {}, "plan");
    if (desired === null) throw new Error("the file is invalid");
    const { list, count } = counted(["z1*.example"]);
    const selected = selectZones(desired, list);
    expect(selected.ok && selected.value.length).toBe(11);
    return count.reads;
  };
  expect(readsFor(40)).toBe(readsFor(20));
});
