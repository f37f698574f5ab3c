import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { newBudget } from "../../src/expression/budget.js";
import { matchingWithin } from "../../src/expression/evaluate/compare.js";
import { parse } from "../../src/expression/parse/parse.js";
import { readRegex } from "../../src/expression/regex/read.js";
import { fromBytes, type Truth, toBytes } from "../../src/expression/value.js";
import { fc, runs } from "../support/random.js";

function matches(pattern: string, value: string): Truth {
  return matchingWithin(newBudget())(pattern, value);
}

/** The budget that a search uses, and its result. */
function worked(pattern: string, value: string): { readonly truth: Truth; readonly work: number } {
  const budget = newBudget();
  const before = budget.left;
  const truth = matchingWithin(budget)(pattern, value);
  return { truth, work: before - budget.left };
}

describe("reading", () => {
  test.each([
    ...["a|b", "(?P<n>a)(?<m>b)", "(?i-s:a)", "[a-z&&[^b]]", "[]a]", "[^]]", "[-a]", "a{2,}?", "^*", "()*"],
    ...["\\x{7f}", "\\xFF", "\\/", "\\-", "\\b{start}a", "\\b{2}", "\\<a\\>", "(?u)\u00e9\\p{Greek}\\pL"],
    ...["[[:alpha:]x]", "[:alpha:]", "(?x) a # \u00e9", "[a-]", "(?x)[ a - z ]", "a{ 2 , 3 }", "(|a)"],
    ...[
      "[\\d-]",
      "(?u:\u00e9)",
      "(?u)[\u00e9]",
      "\u00e9",
      "\\u00e9",
      "\\x{e9}",
      "(?i)\u00e9+",
      "((?u)\u00e9)\u00e9",
    ],
    ...[
      "[\\xE9]",
      "(?x)a{2#3\n}",
      "(?x)\\b{ start }a",
      "(){4294967295}",
      "(^){4294967295}",
      "[a&&]",
      "[&&a]",
    ],
  ])("%j is accepted", (pattern) => {
    expect(readRegex(pattern)).toMatchObject({ ok: true });
  });

  test.each([
    ...[
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(?<!a)",
      "(?>a)",
      "(?#a)",
      "\\1",
      "\\k",
      "\\Z",
      "\\p{Greek}",
      "[\\p{Greek}]",
    ],
    ...["[\u00e9]", "[a-\u00e9]", "[\\u00e9]", "[\\x{e9}]", "((?u)[\u00e9])[\u00e9]", "\\\u00e9"],
    ...["*a", "a|*", "(?i)*", "(", ")", "a)", "[a", "[b-a]", "[\\d-z]", "[a-\\d]", "[\\b]", "[a--", "[[a]"],
    ...["a{", "a{,5}", "a{2,1}", "a{2", "a{99999999999}", "(a{1000}){1000}"],
    ...["(?P<n>a)(?P<n>b)", "(?P<1>a)", "(?P<>a)", "(?ii)", "(?i-)", "(?)", "(?y)", "(?i", "(?"],
    ...["\\x{}", "\\x4", "\\x{110000}", "\\b{side}", "\\b{start", "(?u)\\p{Nonsense}"],
  ])("%j is refused", (pattern) => {
    expect(readRegex(pattern)).toMatchObject({ ok: false });
  });

  test("a pattern may nest up to 250 levels", () => {
    const isRead = (pattern: string) => readRegex(pattern).ok;
    expect(isRead(`${"(".repeat(250)}a${")".repeat(250)}`)).toBe(true);
    expect(isRead(`${"(".repeat(251)}a${")".repeat(251)}`)).toBe(false);
    expect(isRead(`a${"*".repeat(250)}`)).toBe(true);
    expect(isRead(`a${"*".repeat(251)}`)).toBe(false);
    expect(isRead(`${"[".repeat(250)}a${"]".repeat(250)}`)).toBe(true);
    expect(isRead(`${"[".repeat(250)}ab${"]".repeat(250)}`)).toBe(false);
    expect(isRead(`[${"a&&".repeat(251)}b]`)).toBe(false);
  });

  test.each(["(", "[", "(?:", "a|", "(?i)", "a?*", "{"])(
    "%j repeated any number of times does not exhaust the stack",
    (piece) => {
      const read = readRegex(piece.repeat(100_000));
      expect(read.ok || read.detail).not.toBe("");
    },
  );

  test("every text is accepted, or refused with a message", () => {
    fc.assert(
      fc.property(anyPattern, (pattern) => {
        const read = readRegex(pattern);
        expect(read.ok ? "Read." : read.detail).toMatch(/^.+[.]$/su);
        expect([true, false, "unknown"]).toContain(matches(toBytes(pattern), "a\xe9b\n"));
      }),
      { numRuns: runs(3000) },
    );
  });

  test("an expression with an invalid pattern is refused", () => {
    const parsed = parse('http.host matches "[\u00e9]"');
    expect(parsed).toMatchObject({ problem: { code: "expression_invalid_regex", column: 20 } });
    expect(parsed.ok || parsed.problem.message).toContain("(a|\u00e9)");
  });
});

const pieces = [
  ...[
    "(",
    ")",
    "(?",
    "?:",
    "?P<",
    ">",
    "i",
    "s",
    "m",
    "u",
    "x",
    "R",
    "-",
    "|",
    "*",
    "+",
    "?",
    "{",
    "}",
    ",",
    "2",
  ],
  ...[
    "[",
    "]",
    "^",
    "&&",
    "--",
    "~~",
    "[:",
    ":]",
    "alpha",
    "\\",
    "\\b",
    "\\x",
    "\\p",
    "d",
    "w",
    "a",
    "\u00e9",
  ],
  ...["\u{1f600}", "#", " ", "\n", ".", "$"],
];
const anyPattern = fc.oneof(
  fc.array(fc.constantFrom(...pieces)).map((each) => each.join("")),
  fc.string({ unit: "binary" }),
);

describe("matching", () => {
  const cases: readonly (readonly [pattern: string, value: string, truth: Truth])[] = [
    ["^a.c$", "abc", true],
    ["^a.c$", "a\nc", false],
    ["(?s)^a.c$", "a\nc", true],
    ["(?R)^a.c$", "a\rc", false],
    ["(?i)ABC", "xabcx", true],
    ["(?i:a)b", "AB", false],
    ["a(?i)b|c", "C", true],
    ["(a(?i)b)c", "aBC", false],
    ["(?i)\\xc9", "\u00e9", false],
    ["(?i)[^a]", "A", false],
    ["(?i)[[:lower:]&&[^b]]", "B", false],
    ["(?i)\u00e9", "\u00c9", false],
    ["(?i)k", "\u212a", false],
    ["^a\\sb$", "a\vb", true],
    ["^\u00e9+$", "\u00e9\u00e9", true],
    ["^\\u00e9{2}$", "\u00e9\u00e9", true],
    ["^..$", "\u00e9", true],
    ["^\\xc3\\xa9$", "\u00e9", true],
    ["^\\x{c3}$", "\u00c3", true],
    ["^[\\xc0-\\xff]", "\u00e9", true],
    ["^[a-z&&[^b-y]]+$", "az", true],
    ["^[a-z--m]+$", "mm", false],
    ["^[a-c~~b-d]+$", "ad", true],
    ["^[a-d&&b-z--c]+$", "bd", true],
    ["^[[:alpha:]]+$", "aZ", true],
    ["^[[:^alpha:]]$", "1", true],
    ["^[]a]+$", "]a", true],
    ["^[^-]$", "-", false],
    ["^(?:ab){2,3}$", "ababab", true],
    ["^(?:ab){2,3}$", "ab", false],
    ["^a**$", "aaa", true],
    ["^(){9}(^){9}a$", "a", true],
    ["a{2000}", "a".repeat(2000), true],
    ["a{2000}", "a".repeat(1999), false],
    ["(?m)^b$", "a\nb\nc", true],
    ["(?m)^b$", "a\r\nb\r\nc", false],
    ["(?mR)^b$", "a\r\nb\r\nc", true],
    ["(?mR)\\r^\\n", "\r\n", false],
    ["(?mR)\\r$\\n", "\r\n", false],
    ["\\A\\z", "", true],
    ["\\bfoo\\b", "a foo b", true],
    ["\\Boo\\B", "foo", false],
    ["\\b{start}a\\b{end}", "b a", true],
    ["\\<b", "ab", false],
    ["a\\b{end-half}", "ab", false],
    ["\\b{start-half}b", "ab", false],
    ["(?x) a b # c", "ab", true],
    ["(?x)a\\ b[ c ]", "a bc", true],
    ["(?x: a ) b", "ab", false],
    ["(?u)\u00e9", "\u00e9", true],
    ["(?u)\\xe9", "\u00e9", true],
    ["(?u)[a-z]+!", "ab!", true],
    ["(?ui)ab", "AB", true],
    ["(?ui)k", "k", "unknown"],
    ["(?u)[^a]", "b", "unknown"],
    ["(?u)\\w", "a", "unknown"],
    ["(?u)\\bfoo", "foo", "unknown"],
    ["(?u).", "a", "unknown"],
    ["(?u)\\p{Greek}", "a", "unknown"],
    ["((?u).)(?-u:a)", "a", "unknown"],
    ["(a{100}){200}", "a", "unknown"],
  ];
  test.each(cases)("a value matches %s: %j", (pattern, value, truth) => {
    expect(matches(toBytes(pattern), toBytes(value))).toBe(truth);
  });

  test("all bytes of Latin-1 match byte by byte", () => {
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
    expect(matches("^[\\x00-\\xff]{256}$", bytes)).toBe(true);
    expect(matches("\\xfe\\xff\\z", bytes)).toBe(true);
  });

  test.each(["^(a+)+$", "(a|b)*c", "a{64}c", "(a?){200}c", "(.{0,40}a){90}$"])(
    "another byte costs %s one step once all states are known",
    (pattern) => {
      const [once, twice] = [20_000, 40_000].map((length) => worked(pattern, `${"a".repeat(length)}b`));
      expect([once?.truth, twice?.truth]).toEqual([false, false]);
      expect((twice?.work ?? 0) - (once?.work ?? 0)).toBe(20_000);
    },
  );

  test("an expensive search stops with unknown when the budget is spent", () => {
    const { truth, work } = worked("(.{0,40}a){90}$", `${scattered("ab", 1_000_000)}b`);
    const most = newBudget().left;
    expect(truth).toBe("unknown");
    expect(work).toBeGreaterThan(most);
    expect(work).toBeLessThan(most * 1.01);
  });

  test("earlier searches do not change a result", () => {
    const ask = () => worked("(a|b)*a(a|b){12}x", scattered("ab", 5000));
    const first = ask();
    for (let other = 0; other < 100; other += 1) matches(`other${other}`, "x");
    expect([ask(), ask()]).toEqual([first, first]);
  });

  test("a search with more states than the cache holds still completes", () => {
    const text = scattered("ab", 30_000);
    expect(matches("(a|b)*a(a|b){14}c$", `${text}a${"b".repeat(14)}c`)).toBe(true);
    expect(matches("(a|b)*a(a|b){14}c$", `${text}b${"b".repeat(14)}c`)).toBe(false);
  });

  test("agrees with RE2 on the shared syntax", () => {
    fc.assert(
      fc.property(sharedPattern, fc.array(sharedText, { minLength: 20 }), (pattern, texts) => {
        const judge = RE2JS.compile(pattern);
        const wrong = texts.filter((text) => matches(toBytes(pattern), toBytes(text)) !== judge.test(text));
        expect(wrong).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** Letters in a fixed, non-repeating order. */
function scattered(letters: string, length: number): string {
  let seed = 12_345;
  return Array.from({ length }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return letters.charAt((seed >> 8) % letters.length);
  }).join("");
}

const atoms = [
  ...[
    "a",
    "b",
    "A",
    "-",
    ".",
    "\\.",
    "\\d",
    "\\w",
    "\\W",
    "\\S",
    "\\n",
    "\\x61",
    "\\x{62}",
    "^",
    "$",
    "\\A",
    "\\z",
  ],
  ...[
    "\\b",
    "\\B",
    "[ab]",
    "[^a]",
    "[a-c]",
    "[^\\w]",
    "[]a]",
    "[a-]",
    "[[:alpha:]]",
    "[[:^digit:]_]",
    "[\\d.]",
  ],
];

/** RE2 refuses a repeated repetition, and its `\\s` lacks the vertical tab. */
const sharedPattern = fc.letrec<{ node: string; sequence: string; group: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("sequence"),
    fc.tuple(tie("node"), tie("node")).map(([left, right]) => `${left}|${right}`),
  ),
  sequence: fc.array(tie("group"), { maxLength: 4 }).map((parts) => parts.join("")),
  group: fc
    .tuple(
      fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom(...atoms),
        fc
          .tuple(fc.constantFrom("(", "(?:", "(?i:", "(?s:", "(?m:", "(?i-s:", "((?i)"), tie("node"))
          .map(([opening, inner]) => `${opening}${inner})`),
      ),
      fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "+?", "{2,3}?"),
    )
    .map(([atom, repeat]) => atom + repeat),
})).node;

const sharedText = fc.string({
  unit: fc.constantFrom("a", "b", "A", "c", "1", "-", ".", "_", " ", "\n"),
  maxLength: 8,
});

test("a pattern that is not UTF-8 matches unknown", () => {
  expect(fromBytes("\xff")).toBe(null);
  expect(matches("\xff", "\xff")).toBe("unknown");
});
