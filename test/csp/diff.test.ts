import { describe, expect, test } from "vitest";
import { equal } from "../../src/csp/canonical.js";
import { diff } from "../../src/csp/diff.js";

import type { PartChange } from "../../src/model/plan.js";
import { fc } from "../support/random.js";
import { twoValues } from "./values.js";

/** `~img-src +a -b` */
function line({ part, change, added, removed }: PartChange): string {
  const sign = { added: "+", removed: "-", changed: "~" }[change];
  return [sign + part, ...added.map((source) => `+${source}`), ...removed.map((source) => `-${source}`)].join(
    " ",
  );
}

describe("diff", () => {
  const cases: [string, string, string, string[]][] = [
    ["of equal values is empty", "img-src a b", "IMG-SRC B A;", []],
    ["names added and removed sources of a directive", "img-src a b", "img-src b c", ["~img-src +c -a"]],
    ["names a new directive with its sources", "", "img-src a b", ["+img-src +a +b"]],
    ["names a removed directive with its sources", "img-src a b", "", ["-img-src -a -b"]],
    ["names a directive without sources", "", "upgrade-insecure-requests", ["+upgrade-insecure-requests"]],
    ["keeps the spelling of the sources", "img-src A/P", "img-src B/P", ["~img-src +B/P -A/P"]],
    ["keeps the order of the sources", "img-src z", "img-src z y x", ["~img-src +y +x"]],
    ["names a repeated source once", "img-src z", "img-src z A a", ["~img-src +A"]],
    [
      "follows the order of the new value, removed directives last",
      "a x; b x; c x",
      "d x; c y",
      ["+d +x", "~c +y -x", "-a -x", "-b -x"],
    ],
    ["shows a replaced 'none'", "img-src 'none'", "img-src a", ["~img-src +a -'none'"]],
    ["shows the 'none' of a new directive", "", "object-src 'none'", ["+object-src +'none'"]],
    ["leaves out a 'none' that browsers ignore", "img-src a", "img-src b 'none'", ["~img-src +b -a"]],
    ["compares the first of two equal directives", "img-src a", "img-src b; img-src a", ["~img-src +b -a"]],
    [
      "shows a value that is not a source list whole",
      "report-to a b",
      "report-to b a",
      ["~report-to +b a -a b"],
    ],
    ["names the policy after a comma", "img-src a", "img-src a, img-src b", ["+policy 2: img-src +b"]],
    [
      "accepts prototype property names as directives",
      "",
      "__proto__ a; constructor b",
      ["+__proto__ +a", "+constructor +b"],
    ],
  ];
  test.each(cases)("%s", (_, before, after, expected) => {
    expect(diff(before, after).map(line)).toEqual(expected);
  });

  test("is empty exactly when the values are equal", () => {
    fc.assert(fc.property(twoValues, ([a, b]) => (diff(a, b).length === 0) === equal(a, b)));
  });

  test("is mirrored when the values are swapped", () => {
    const swapped = { added: "removed", removed: "added", changed: "changed" } as const;
    const byPart = (a: PartChange, b: PartChange) => (a.part < b.part ? -1 : 1);
    fc.assert(
      fc.property(twoValues, ([a, b]) => {
        const mirrored = diff(b, a).map(({ part, change, added, removed }) => ({
          part,
          change: swapped[change],
          added: removed,
          removed: added,
        }));
        expect([...diff(a, b)].sort(byPart)).toEqual(mirrored.sort(byPart));
      }),
    );
  });
});
