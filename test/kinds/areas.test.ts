import { expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.js";

const areaOf = (section: string) => kinds.find((kind) => kind.section === section)?.depends.area;

/** A change on which every effect of a kind depends. */
const SWITCHED_OFF = [{ fields: [{ path: "enabled", before: true, after: false }] }];

test("the changes of a kind depend only on its own area", () => {
  const resting = kinds.flatMap((kind) =>
    (kind.depends.on?.(SWITCHED_OFF) ?? []).map((section) => [kind.name, kind.depends.area, areaOf(section)]),
  );
  expect(resting.map(([name]) => name)).toEqual(["settings", "policy", "managed_ruleset"]);
  for (const [, own, other] of resting) expect(other).toBe(own);
});

test("kinds that share a list of rules share an area", () => {
  const lists = kinds.flatMap(({ at, depends: { area } }) =>
    at.as === "rules" ? [[at.phase.name, area] as const] : [],
  );
  expect(lists).not.toEqual([]);
  for (const [phase, area] of lists)
    expect(new Set(lists.filter(([each]) => each === phase).map(([, each]) => each))).toEqual(
      new Set([area]),
    );
});
