import { describe, expect, test } from "vitest";
import { equal } from "../../src/csp/canonical.js";
import { fromMap, oneLine, parse } from "../../src/csp/syntax.js";
import { fc } from "../support/random.js";

import { anyValue } from "./values.js";

describe("oneLine", () => {
  const cases: [string, string, string][] = [
    ["a value in sent form is unchanged", "script-src 'self' a; img-src *", "script-src 'self' a; img-src *"],
    [
      "lines are joined into one",
      "script-src\n  'self'\n  a;\nimg-src *;\n",
      "script-src 'self' a; img-src *",
    ],
    ["runs of spaces become one space", "\t img-src   a\r\n\tb ", "img-src a b"],
    ["empty directives are removed", ";; img-src a ;; ;font-src b;", "img-src a; font-src b"],
    ["letter case and order are kept", "IMG-Src B a; Font-src 'SELF'", "IMG-Src B a; Font-src 'SELF'"],
    ["repeated directives and sources are kept", "img-src a a;img-src b", "img-src a a; img-src b"],
    ["a second policy is kept", "img-src a,font-src b,", "img-src a, font-src b"],
    ["an empty value stays empty", " ; ", ""],
  ];
  test.each(cases)("%s", (_, text, expected) => {
    expect(oneLine(text)).toBe(expected);
  });

  test("is idempotent", () => {
    fc.assert(fc.property(anyValue, (text) => oneLine(oneLine(text)) === oneLine(text)));
  });

  test("keeps every word", () => {
    const words = (text: string) =>
      parse(text).policies.map((policy) =>
        policy.directives.map(({ written, sources }) => [written, ...sources.map((source) => source.text)]),
      );
    fc.assert(
      fc.property(anyValue, (text) => {
        expect(words(oneLine(text))).toEqual(words(text));
        expect(oneLine(text)).not.toMatch(/[\t\n\f\r]| {2}|^ | $|;$|,$/);
      }),
    );
  });
});

describe("fromMap", () => {
  const cases: [string, Record<string, string[]>, string][] = [
    [
      "directives and sources keep their order",
      { "script-src": ["'self'", "b", "a"], "img-src": ["*"] },
      "script-src 'self' b a; img-src *",
    ],
    ["an empty list becomes a bare name", { "upgrade-insecure-requests": [] }, "upgrade-insecure-requests"],
    ["an empty map becomes an empty value", {}, ""],
  ];
  test.each(cases)("%s", (_, map, expected) => {
    expect(fromMap(map)).toBe(expected);
  });

  test("means the same as the string of the same words", () => {
    const map = fc.dictionary(
      fc.constantFrom("script-src", "img-src", "Font-Src"),
      fc.array(fc.constantFrom("'self'", "a.example", "https:", "b/P")),
    );
    fc.assert(
      fc.property(map, (value) => {
        const text = Object.entries(value)
          .map(([name, sources]) => `${name} ${sources.join("\n")};\n`)
          .join("");
        expect(equal(fromMap(value), text)).toBe(true);
        expect(oneLine(fromMap(value))).toBe(fromMap(value));
      }),
    );
  });
});
