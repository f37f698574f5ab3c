import { describe, expect, test } from "vitest";
import { check } from "../../src/csp/check.js";
import { SERVICE_DIRECTIVES } from "../../src/csp/directives.js";
import { fc } from "../support/random.js";
import { anyValue } from "./values.js";

/** Formats a finding as `error csp_empty "…"`, where the quoted text is what the finding points at. */
function lines(text: string): string[] {
  return check(text, SERVICE_DIRECTIVES).map(
    ({ severity, code, start, end }) => `${severity} ${code} ${JSON.stringify(text.slice(start, end))}`,
  );
}

describe("check", () => {
  const good: [string, string][] = [
    [
      "hosts, schemes and keywords are fine",
      "script-src 'self' https: *.a.example b.example/x.js 'unsafe-inline'",
    ],
    ["a value of several lines is fine", "script-src 'self'\n  a.example;\nimg-src *;\n"],
    ["letter case does not matter", "SCRIPT-SRC 'SELF'"],
    ["'none' alone is fine", "object-src 'none'"],
    ["upgrade-insecure-requests takes no value", "upgrade-insecure-requests; img-src *"],
    [
      "frame-ancestors takes schemes and hosts",
      "frame-ancestors 'self' https: *.a.example https://b.example:8443/x",
    ],
    ["frame-ancestors takes 'none'", "frame-ancestors 'NONE'"],
  ];
  test.each(good)("%s", (_, text) => {
    expect(check(text, SERVICE_DIRECTIVES)).toEqual([]);
  });

  const bad: [string, string, string[]][] = [
    ["an empty value is an error", "", ['error csp_empty ""']],
    ["a value without directives is an error", " ; ", ['error csp_empty " ; "']],
    [
      "an unknown directive is an error",
      "img-src a; scrpt-src b",
      ['error csp_unknown_directive "scrpt-src"'],
    ],
    ["a repeated directive is an error", "img-src a; IMG-src b", ['error csp_repeated_directive "IMG-src"']],
    [
      "a value of a directive that takes none is an error",
      "upgrade-insecure-requests 1 2",
      ['error csp_needless_value "1 2"'],
    ],
    [
      "a comma is one error, whatever text follows",
      "img-src a, b.example, c.example",
      ['error csp_comma ","'],
    ],
    [
      "directives after a comma are checked",
      "img-src a, font-src self",
      ['error csp_comma ","', 'error csp_unquoted_keyword "self"'],
    ],
    ["a comma in an otherwise empty value is an error", ",", ['error csp_empty ","', 'error csp_comma ","']],
    ["a curly quote is an error", "img-src ‘self’", ['error csp_not_ascii "‘"']],
    ["a no-break space is an error", "img-src\u00a0a", ['error csp_not_ascii "\u00a0"']],
    ["a control character is an error", "img-src a\u0000", ['error csp_not_ascii "\\u0000"']],
    ["a character of two code units is an error", "img-src a/😀", ['error csp_not_ascii "😀"']],
    ["a directive without sources is a warning", "img-src; font-src a", ['warning csp_no_sources "img-src"']],
    ["a keyword without quotes is an error", "img-src self a", ['error csp_unquoted_keyword "self"']],
    [
      "a keyword in double quotes is an error",
      'script-src "Unsafe-Inline"',
      ['error csp_unquoted_keyword "\\"Unsafe-Inline\\""'],
    ],
    [
      "a keyword with one quote is an error",
      "script-src 'strict-dynamic",
      ['error csp_unquoted_keyword "\'strict-dynamic"'],
    ],
    [
      "a hash without quotes is an error",
      "script-src sha256-AbC=",
      ['error csp_unquoted_keyword "sha256-AbC="'],
    ],
    ["'none' beside other sources is a warning", "img-src a 'none'", ["warning csp_ignored_none \"'none'\""]],
    [
      "other keywords in frame-ancestors are errors",
      "frame-ancestors 'self' 'unsafe-inline'",
      ["error csp_frame_ancestors \"'unsafe-inline'\""],
    ],
    [
      "unquoted other keywords in frame-ancestors are errors",
      "frame-ancestors unsafe-inline",
      ['error csp_frame_ancestors "unsafe-inline"'],
    ],
    [
      "an unquoted self in frame-ancestors is an error",
      "frame-ancestors self",
      ['error csp_unquoted_keyword "self"'],
    ],
    [
      "an invalid source in frame-ancestors is an error",
      "frame-ancestors a?b",
      ['error csp_frame_ancestors "a?b"'],
    ],
    [
      "each comment is an error",
      "#a\nimg-src b;\n# c\nfont-src d;\n# e",
      ['error csp_comment "#a"', 'error csp_comment "#"', 'error csp_comment "#"'],
    ],
    ["a comment after sources is a warning", "img-src a # b", ['warning csp_comment "#"']],
    [
      "a directive that runs into its value is an error",
      "IMG-src'self'; font-src*",
      ["error csp_missing_blank \"IMG-src'self'\"", 'error csp_missing_blank "font-src*"'],
    ],
    [
      "findings are in the order of the text",
      "img-src none b; x y; img-src",
      [
        'error csp_unquoted_keyword "none"',
        'error csp_unknown_directive "x"',
        'error csp_repeated_directive "img-src"',
        'warning csp_no_sources "img-src"',
      ],
    ],
  ];
  test.each(bad)("%s", (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
  });

  const messages: [string, string, string][] = [
    ["a misspelt directive gets a suggestion", "scrpt-src b", "Did you mean `script-src`?"],
    [
      "a directive with a colon gets the fix",
      "script-src: b",
      "A directive has no `:`. Write `script-src`, then a space and its sources.",
    ],
    [
      "an unknown directive without a similar name gets a fix",
      "sandbox",
      "Remove it. If Cloudflare accepts it by now, add it to service.extra_csp_directives.",
    ],
    ["a dropped directive is named", "img-src ‘self’", "Browsers drop all of `img-src` because of the"],
    ["a byte-order mark is named", "\ufeffimg-src a", "the byte-order mark U+FEFF. Some editors put it"],
    ["an invisible character is named", "img-src a\u200b", "the invisible character U+200B. Remove it."],
    ["an unusual dash is named", "img–src a", "the unusual dash – (U+2013). Write a plain hyphen (-)."],
    ["a missing space is shown", "img-src'self'", "Write `img-src 'self'`."],
    ["a comment is named", "# images", "CSP has no comments. Move the comment outside"],
    ["a curly quote is named", "img-src “self”", "the curly quote “ (U+201C). Write keywords with straight"],
    ["a no-break space is named", "img-src a\u00a0b", "the no-break space U+00A0. Write a plain space."],
    ["a control character is named", "img-src \u007f", "the control character U+007F. Remove it."],
    ["a non-ASCII host gets a fix", "img-src bücher.example", "Write host names in punycode"],
    ["a comma gets a fix", "img-src a,b", "write a comma inside a URL as %2C"],
    [
      "an unquoted keyword is explained as a host name",
      "img-src self",
      "browsers read `self` as a host name. Write 'self', and",
    ],
    [
      "a keyword in double quotes is explained as ignored",
      'img-src "NONE"',
      "browsers ignore `\"NONE\"`. Write 'none',",
    ],
    ["a hash keeps its letter case", "script-src SHA256-AbC=", "Write 'sha256-AbC=',"],
  ];
  test.each(messages)("%s", (_, text, expected) => {
    expect(
      check(text, SERVICE_DIRECTIVES)
        .map((finding) => finding.message)
        .join("\n"),
    ).toContain(expected);
  });

  test("knows the service's directives by default", () => {
    expect(check("sandbox; img-src self").map(({ code }) => code)).toEqual([
      "csp_unknown_directive",
      "csp_unquoted_keyword",
    ]);
  });

  test("accepts a list of directive names as well as a set", () => {
    expect(check("report-to a", ["report-to"])).toEqual([]);
  });

  test("accepts a directive from the given names", () => {
    const known = new Set([...SERVICE_DIRECTIVES, "script-src-elem", "report-to"]);
    expect(check("script-src-elem a; report-to self", known)).toEqual([]);
  });

  test("findings of any text point inside the text", () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        for (const { start, end } of check(text, SERVICE_DIRECTIVES)) {
          expect(0 <= start && start <= end && end <= text.length).toBe(true);
        }
      }),
    );
  });
});
