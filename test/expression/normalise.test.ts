import { describe, expect, test } from "vitest";
import { normalise } from "../../src/expression/spelling/canonical.js";
import { fc } from "../support/random.js";
import { accepted, pairs } from "./published.js";

describe("normalise", () => {
  const cases: [string, string, string][] = [
    ["an expression without surplus whitespace is kept", 'http.host eq "a"', 'http.host eq "a"'],
    [
      "leading and trailing whitespace is removed, tabs too",
      '\t\n http.host eq "a" \r\n\t',
      'http.host eq "a"',
    ],
    ["leading and trailing Unicode whitespace is removed", "\u00a0ssl\u0085\u2003", "ssl"],
    ["a byte-order mark is not whitespace", "\ufeffssl", "\ufeffssl"],
    ["runs of spaces become one space", "ssl \n  and\r\n not   ssl", "ssl and not ssl"],
    ["an inner tab is kept", "ssl \t\n and", "ssl \t and"],
    ["an inner no-break space is kept", "ssl \u00a0  ssl", "ssl \u00a0 ssl"],
    ["a string is kept", 'x  eq  "a  \n b"  or  y', 'x eq "a  \n b" or y'],
    ["an escaped quote does not end a string", 'x eq "a\\"  b"  or', 'x eq "a\\"  b" or'],
    ["an escaped backslash does not escape the quote", 'x eq "a\\\\"  or  y', 'x eq "a\\\\" or y'],
    ["a raw string is kept", 'x eq  r"a  \\"  or  y', 'x eq r"a  \\" or y'],
    ["a raw string with # ends at a quote with as many #", 'x eq r#"a  "  b"#  or', 'x eq r#"a  "  b"# or'],
    ["a quote with too few # does not end a raw string", 'x eq r##"a"#  b"##  or', 'x eq r##"a"#  b"## or'],
    ["a quote with more # ends a raw string", 'x eq r"a"#  or', 'x eq r"a"# or'],
    ["a raw string needs no space before it", 'x eqr"a\\"  or', 'x eqr"a\\" or'],
    ["an operator needs no space before a string", 'x eq"a  b"  or', 'x eq"a  b" or'],
    ["a key in brackets is kept as a string", 'x["a  b"]  eq', 'x["a  b"] eq'],
    ["adjacent strings are both kept", '{"a  b""c  d"  "e"}', '{"a  b""c  d" "e"}'],
    [
      "a quote in a class does not end a regular expression",
      'x matches  "[^"]  a"  or',
      'x matches "[^"]  a" or',
    ],
    ["a quote in a class after ~ does not end a regular expression", 'x ~"[^"]  a"  or', 'x ~"[^"]  a" or'],
    ["an escaped bracket opens no class", 'x ~ "\\["  or  y', 'x ~ "\\[" or y'],
    ["an escaped bracket closes no class", 'x ~ "[\\]"  ]"  or', 'x ~ "[\\]"  ]" or'],
    ["a bracket in any other string opens no class", 'x eq "["  or  y', 'x eq "[" or y'],
    ["a raw regular expression has no classes", 'x ~ r"["  or  y', 'x ~ r"[" or y'],
    ["matches inside a string is not an operator", '"matches"  "["  or', '"matches" "[" or'],
    ["an unterminated string is kept to the end", ' x  eq "a  b \t ', 'x eq "a  b \t '],
    ["an unterminated raw string is kept to the end", ' x  eq r#"a  b"  ', 'x eq r#"a  b"  '],
    ["a lone backslash at the end is kept", '"\\', '"\\'],
    ["whitespace alone becomes empty", " \t\r\n ", ""],
  ];
  test.each(cases)("%s", (_, text, expected) => {
    expect(normalise(text)).toBe(expected);
  });

  test("is idempotent", () => {
    fc.assert(fc.property(anyExpression, (text) => normalise(normalise(text)) === normalise(text)));
  });

  test("changes only whitespace", () => {
    const bare = (text: string) => text.replace(/\p{White_Space}/gu, "");
    fc.assert(fc.property(anyExpression, (text) => bare(normalise(text)) === bare(text)));
  });

  test("gives the same result for any whitespace between tokens", () => {
    const pieces = fc.array(fc.constantFrom("ssl", "and", "(", '"a  b"', 'r#"  "  "#', '~ "[" ]  "'), {
      minLength: 1,
    });
    const gaps = fc.array(fc.constantFrom(" ", "\n", "  ", "\r\n "), { minLength: 1 });
    fc.assert(
      fc.property(pieces, gaps, (words, spaces) => {
        const text = words.map((word, at) => (spaces[at % spaces.length] ?? "") + word).join("");
        expect(normalise(text)).toBe(words.join(" "));
      }),
    );
  });
});

const anyExpression = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom('"', "r", "#", "\\", "[", "]", "~", "matches", " ", "\n", "\t", "\u00a0", "a"))
    .map((pieces) => pieces.join("")),
);

describe.skipIf(pairs.length === 0)("expressions judged by the real engine", () => {
  test("normalises pairs alike that differ only in whitespace", () => {
    const spaced = pairs.filter(({ relation }) => relation === "surrounding whitespace");
    expect(spaced.length).toBeGreaterThan(10);
    for (const { a, b } of spaced) expect(normalise(b)).toBe(a);
  });

  test("leaves expressions unchanged that already have single spaces", () => {
    const tidy = accepted.map(({ expr }) => expr).filter((expr) => !/[\r\n]| {2}/.test(expr));
    expect(tidy.length).toBeGreaterThan(100);
    for (const expr of tidy) expect(normalise(`\t${expr}\n`)).toBe(expr.trim());
  });
});
