import { describe, expect, test } from "vitest";
import { equal } from "../../src/csp/canonical.js";
import { oneLine } from "../../src/csp/syntax.js";
import { publishedLines } from "../support/published.js";
import { fc } from "../support/random.js";
import { anyValue, directives, spelling, twoValues } from "./values.js";

describe("equal values", () => {
  const cases: [string, string, string][] = [
    ["differ in whitespace", "img-src a; font-src b", "\n img-src\ta ;font-src b;;"],
    ["differ in the order of directives", "img-src a; font-src b", "font-src b; img-src a"],
    ["differ in the order of sources", "img-src a b", "img-src b a"],
    [
      "differ in letter case where CSP ignores it",
      "img-src https://a/P 'self'",
      "IMG-SRC HTTPS://A/P 'SELF'",
    ],
    ["differ in a source that is repeated", "img-src a", "img-src a A"],
    ["differ in a directive that is repeated", "img-src a", "img-src a; img-src b"],
    ["have 'none' or an empty list", "img-src 'none'", "img-src"],
    ["differ in 'none' beside other sources", "img-src a", "img-src 'none' a"],
    [
      "differ in the value of upgrade-insecure-requests",
      "upgrade-insecure-requests",
      "upgrade-insecure-requests 1",
    ],
    ["differ in an empty policy", "img-src a", "img-src a,"],
    ["are both empty", "", " ; , "],
  ];
  test.each(cases)("may %s", (_, a, b) => {
    expect(equal(a, b)).toBe(true);
  });
});

describe("different values", () => {
  const cases: [string, string, string][] = [
    [
      "differ in whether browsers drop upgrade-insecure-requests",
      "upgrade-insecure-requests",
      "upgrade-insecure-requests ü",
    ],
    ["differ in the letter case of a path", "img-src a/P", "img-src a/p"],
    ["differ in the letter case of a nonce", "script-src 'nonce-A'", "script-src 'nonce-a'"],
    ["differ in the letter case of a hash", "script-src 'sha256-A'", "script-src 'sha256-a'"],
    ["differ in a trailing dot", "img-src a.example", "img-src a.example."],
    ["differ in a trailing slash", "img-src a.example", "img-src a.example/"],
    ["differ in a directive", "img-src a", "img-src a; font-src a"],
    ["differ in which of two equal directives comes first", "img-src a; img-src b", "img-src b; img-src a"],
    ["have an empty list, or lack the directive", "img-src 'none'", ""],
    ["have one policy, or two", "img-src a; font-src b", "img-src a, font-src b"],
    ["have a directive twice in one policy, or in two", "img-src a; img-src b", "img-src a, img-src b"],
    ["have two policies, one of which differs", "img-src a, img-src b", "img-src a, img-src c"],
    ["have the same two policies in another order", "img-src a, img-src b", "img-src b, img-src a"],
    ["differ in the order of a value that is not a source list", "report-to a b", "report-to b a"],
    ["differ in the letter case of a value that is not a source list", "trusted-types A", "trusted-types a"],
  ];
  test.each(cases)("may %s", (_, a, b) => {
    expect(equal(a, b)).toBe(false);
  });
});

describe("equal", () => {
  test("is true for a value and its sent form", () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        expect(equal(text, `${text} `)).toBe(true);
        expect(equal(oneLine(text), text)).toBe(true);
      }),
    );
  });

  test("is symmetric", () => {
    fc.assert(fc.property(twoValues, ([a, b]) => equal(a, b) === equal(b, a)));
  });

  test("ignores order, whitespace and letter case together", () => {
    const twoSpellings = directives.chain((model) => fc.tuple(spelling(model), spelling(model)));
    fc.assert(fc.property(twoSpellings, ([a, b]) => equal(a, b)));
  });
});

const observed = publishedLines("data/csp/truth.jsonl", "what a browser loads under equal values");

describe.skipIf(observed.length === 0)("Chromium", () => {
  test("loads the same with equal values", () => {
    const pairs = [...observationsByLoad().values()].flatMap((observations) =>
      observations.flatMap((a) => observations.map((b): [Observation, Observation] => [a, b])),
    );
    const equals = pairs.filter(([a, b]) => a.csp !== b.csp && equal(a.csp, b.csp));
    expect(equals.length).toBeGreaterThan(100);
    expect(equals.filter(([a, b]) => a.allowed !== b.allowed)).toEqual([]);
  });
});

interface Observation {
  readonly csp: string;
  readonly allowed: boolean;
}

/** One line of the data file. The README next to the file describes the format. */
interface ObservedLine extends Observation {
  readonly id: string;
  readonly group: string;
  readonly directive?: string;
  readonly specDiffers?: boolean;
}

/** Observations grouped by page, URL and kind of load, so that only the value differs. */
function observationsByLoad(): ReadonlyMap<string, readonly Observation[]> {
  const byLoad = new Map<string, Observation[]>();
  for (const line of observed as unknown as readonly ObservedLine[]) {
    const { id, group, csp, allowed, directive, specDiffers, ...load } = line;
    const key = JSON.stringify(load);
    byLoad.set(key, [...(byLoad.get(key) ?? []), { csp, allowed }]);
  }
  return byLoad;
}
