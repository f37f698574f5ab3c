import { describe, expect, test } from "vitest";
import { inForce, parse } from "../../src/csp/syntax.js";
import { fc } from "../support/random.js";

import { anyValue } from "./values.js";

describe("parse", () => {
  const cases: [string, string, string[][][]][] = [
    ["an empty value has no policy", "", []],
    ["whitespace and semicolons make no policy", " ; \n;;\t", []],
    [
      "a directive is a name and its sources",
      "script-src 'self' a.example",
      [[["script-src", "'self'", "a.example"]]],
    ],
    [
      "a semicolon ends a directive",
      "img-src *;font-src a",
      [
        [
          ["img-src", "*"],
          ["font-src", "a"],
        ],
      ],
    ],
    ["a directive may have no sources", "upgrade-insecure-requests", [[["upgrade-insecure-requests"]]]],
    ["all ASCII whitespace separates sources", "\timg-src\n a\f\fb\r\n", [[["img-src", "a", "b"]]]],
    ["a vertical tab does not separate sources", "img-src\va", [[["img-src\va"]]]],
    ["a no-break space does not separate sources", "img-src\u00a0a", [[["img-src\u00a0a"]]]],
    ["names become lower case", "IMG-Src A", [[["img-src", "A"]]]],
    ["only ASCII letters change case in a name", "\u212aIMG", [[["\u212aimg"]]]],
    [
      "repeated directives are kept",
      "img-src a; img-src b",
      [
        [
          ["img-src", "a"],
          ["img-src", "b"],
        ],
      ],
    ],
    ["a comma starts another policy", "img-src a, font-src b", [[["img-src", "a"]], [["font-src", "b"]]]],
    ["empty policies are dropped", ", img-src a,;,", [[["img-src", "a"]]]],
  ];
  test.each(cases)("%s", (_, text, expected) => {
    const read = parse(text).policies.map((policy) =>
      policy.directives.map((directive) => [
        directive.name,
        ...directive.sources.map((source) => source.text),
      ]),
    );
    expect(read).toEqual(expected);
  });

  test("offsets point at the parsed text", () => {
    const [directive] = parse(" ; IMG-src  a b ;").policies.flatMap((policy) => policy.directives);
    expect(directive).toEqual({
      name: "img-src",
      written: "IMG-src",
      start: 3,
      end: 15,
      sources: [
        { text: "a", start: 12, end: 13 },
        { text: "b", start: 14, end: 15 },
      ],
    });
  });

  test("offsets point at the parsed text of any value", () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        for (const directive of parse(text).policies.flatMap((policy) => policy.directives)) {
          expect(text.startsWith(directive.written, directive.start)).toBe(true);
          expect(directive.end).toBe(
            directive.sources.at(-1)?.end ?? directive.start + directive.written.length,
          );
          for (const source of directive.sources)
            expect(text.slice(source.start, source.end)).toBe(source.text);
        }
      }),
    );
  });
});

test("the first of repeated directives is in force", () => {
  const [policy] = parse("img-src a; IMG-SRC b; font-src c").policies;
  const sources = policy && Array.from(inForce(policy), ([name, { sources }]) => [name, sources[0]?.text]);
  expect(sources).toEqual([
    ["img-src", "a"],
    ["font-src", "c"],
  ]);
});
