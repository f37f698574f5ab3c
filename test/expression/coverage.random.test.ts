import { describe, expect, test } from "vitest";
import { areApart, type Coverage, coverage, witness } from "../../src/expression/coverage/coverage.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { fc, runs, some } from "../support/random.js";

describe("coverage states how two expressions relate", () => {
  const cases: readonly (readonly [a: string, b: string, stands: Coverage])[] = [
    ['http.host eq "a.example"', '(http.host == "a.example")', "equal"],
    ['http.host eq "a.example"', 'http.host in {"a.example" "b.example"}', "subset"],
    ['http.host in {"a" "b"}', 'http.host eq "a" or http.host eq "b"', "equal"],
    ['http.host in {"a" "b"}', 'http.host in {"b" "c"}', "overlaps"],
    ['http.host eq "a"', 'http.host eq "b"', "disjoint"],
    ['http.host eq "a"', 'lower(http.host) eq "a"', "subset"],
    ['http.host eq "A"', 'lower(http.host) eq "a"', "subset"],
    ['lower(http.host) eq "A"', 'http.host eq "x"', "subset"],
    ['lower(http.host) eq "a"', 'lower(http.host) in {"a" "b"}', "subset"],
    ['lower(http.host) eq "a"', 'upper(http.host) eq "A"', "equal"],
    ['upper(http.host) eq ""', 'http.host eq ""', "equal"],
    ['upper(http.host) matches "."', "false", "superset"],
    ["len(upper(http.host)) gt 0", 'http.host ne ""', "equal"],
    ['not upper(http.host) gt "A.example"', 'not upper(http.host) gt ""', "superset"],
    ['http.host eq "shop.example"', 'ends_with(http.host, ".example")', "subset"],
    ['http.host wildcard "*.example"', 'ends_with(lower(http.host), ".example")', "equal"],
    ['http.host strict wildcard "*.example"', 'ends_with(http.host, ".example")', "equal"],
    ['starts_with(http.request.uri.path, "/a/b")', 'starts_with(http.request.uri.path, "/a")', "subset"],
    ['starts_with(http.request.uri.path, "/a")', 'starts_with(http.request.uri.path, "/b")', "disjoint"],
    ['starts_with(http.request.uri.path, "/a")', 'http.request.uri.path contains "a"', "subset"],
    ['starts_with(http.request.uri.path, "/a")', 'ends_with(http.request.uri.path, "b")', "overlaps"],
    ['http.request.uri.path contains "/admin/"', 'http.request.uri.path contains "admin"', "subset"],
    ['http.request.uri.path wildcard "/a*c"', 'http.request.uri.path wildcard "/a*b*c"', "superset"],
    ['http.request.uri.path wildcard "/A"', 'lower(http.request.uri.path) eq "/a"', "equal"],
    ['http.request.uri.path matches "^/api/"', 'starts_with(http.request.uri.path, "/api/")', "equal"],
    ['http.request.uri.path matches "^/(a|b)/"', 'starts_with(http.request.uri.path, "/a/")', "superset"],
    ['http.request.uri.path matches "\\.(jpg|png)$"', 'ends_with(http.request.uri.path, ".jpg")', "superset"],
    ['http.request.uri.path matches "(?m)^/a"', 'starts_with(http.request.uri.path, "/a")', "superset"],
    ['http.request.uri.path matches "\\bcart\\b"', 'http.request.uri.path contains "cart"', "subset"],
    ['http.request.uri.path matches "(?u)a"', 'http.request.uri.path contains "a"', "equal"],
    ['http.request.uri.path matches "(?u)."', 'http.request.uri.path ne ""', "unknown"],
    ['not http.request.method eq "GET"', 'http.request.method ne "GET"', "equal"],
    ['http.request.method in {"GET" "HEAD"}', 'not http.request.method in {"GET" "HEAD"}', "disjoint"],
    ['http.request.headers["x"][0] ne "a"', 'not http.request.headers["x"][0] eq "a"', "subset"],
    ['any(http.request.headers["x"][*] eq "a")', 'any(http.request.headers["x"][*] eq "a")', "equal"],
    [
      'any(http.request.headers["x"][*] eq "a") and ssl',
      'any(http.request.headers["x"][*] eq "a")',
      "subset",
    ],
    ['any(http.request.headers["x"][*] eq "a")', 'any(http.request.headers["x"][*] in {"a" "b"})', "subset"],
    [
      'any(http.request.headers["x"][*] eq "A")',
      'any(lower(http.request.headers["x"][*])[*] eq "a")',
      "subset",
    ],
    ['any(http.request.headers["x"][*] eq "a")', 'all(http.request.headers["x"][*] eq "a")', "overlaps"],
    ['not any(http.request.headers["x"][*] eq "a")', 'all(not http.request.headers["x"][*] eq "a")', "equal"],
    ['ip.src.country eq "GB"', 'ip.geoip.country in {"GB" "FR"}', "subset"],
    ["ip.src in {10.0.0.0/24}", "ip.src in {10.0.0.0/8}", "subset"],
    ["ip.src in {10.0.0.0/25 10.0.0.128/25}", "ip.src in {10.0.0.0/24}", "equal"],
    ["ip.src eq 10.0.0.1", "ip.src in {10.0.0.0..10.0.0.9}", "subset"],
    ["ip.src in {2001:db8::/32}", "ip.src in {10.0.0.0/8}", "disjoint"],
    ["ip.src ge 10.0.0.0", "not ip.src lt 10.0.0.0", "subset"],
    ["cf.edge.server_port in {80 443}", "cf.edge.server_port lt 1000", "subset"],
    ["cf.edge.server_port gt 79 and cf.edge.server_port lt 81", "cf.edge.server_port eq 80", "equal"],
    ["ip.src.asnum ge 10", "ip.src.asnum le 9", "disjoint"],
    ["ssl", "not ssl", "disjoint"],
    ["ssl xor not ssl", "true", "equal"],
    ["ssl and not ssl", "false", "equal"],
    ['ssl and http.host eq "a"', "ssl", "subset"],
    ["ssl", "cf.client.bot", "overlaps"],
    ['http.host eq "a" and ip.src in $office', 'http.host eq "a"', "subset"],
    ["ip.src in $office", "ip.src in $office", "equal"],
    ["ip.src in $office", "ip.src in $home", "unknown"],
    ["ip.src in $ip.geoip.country", "ip.src in $ip.src.country", "unknown"],
    ["http.host in {}", "false", "equal"],
    ["len(http.host) eq 0", 'http.host eq ""', "equal"],
    ["len(http.host) gt 3", 'http.host eq "abcd"', "superset"],
    ['http.host lt "b"', 'starts_with(http.host, "a")', "superset"],
    ['http.host eq "a" or http.host ne "a"', "true", "equal"],
    ["http.request.uri.path eq ", "http.request.uri.path   eq", "equal"],
    ["http.request.uri.path eq ", "ssl", "unknown"],
  ];
  test.each(cases)("%s / %s: %s", (a, b, stands) => {
    expect(coverage(a, b)).toBe(stands);
    expect(coverage(b, a)).toBe(mirror(stands));
  });
});

describe("areApart", () => {
  const area = (start: string) => `starts_with(http.request.uri.path, "${start}")`;
  test.each([
    [area("/a/"), `${area("/b/")} and ssl`],
    [`ssl and ${area("/a/")}`, 'http.request.uri.path eq "/a"'],
    ['http.host eq "a"', 'http.host eq "ab"'],
    ['http.request.headers["x"][0] eq "a"', 'http.request.headers["x"][0] eq "b"'],
  ])("is true of %s / %s", (a, b) => {
    expect(areApart(a, b)).toBe(true);
    expect(areApart(b, a)).toBe(true);
  });

  test.each([
    [area("/a"), area("/a/b")],
    [area("/a"), 'http.request.uri.path eq "/a"'],
    [area("/a"), `ssl or ${area("/b")}`],
    [area("/a"), `not ${area("/b")}`],
    [area("/a"), 'http.request.full_uri eq "/b"'],
    ['lower(http.host) eq "a"', 'http.host eq "A"'],
    ['http.request.headers["x"][0] eq "a"', 'http.request.headers["x"][1] eq "b"'],
    ['any(http.request.headers["x"][*] eq "a")', 'any(http.request.headers["x"][*] eq "b")'],
    [area("/a"), "no expression"],
  ])("is false of %s / %s", (a, b) => {
    expect(areApart(a, b)).toBe(false);
    expect(areApart(b, a)).toBe(false);
  });
});

function mirror(stands: Coverage): Coverage {
  return stands === "subset" ? "superset" : stands === "superset" ? "subset" : stands;
}

/** Few values, so that comparisons often use the same ones. */
const comparisons = [
  ...["a", "ab", "b", "A", "/", "/a"].flatMap((text) => [
    `http.request.uri.path eq "${text}"`,
    `http.request.uri.path ne "${text}"`,
    `starts_with(http.request.uri.path, "${text}")`,
    `ends_with(http.request.uri.path, "${text}")`,
    `http.request.uri.path contains "${text}"`,
    `http.request.uri.path lt "${text}"`,
    `lower(http.request.uri.path) eq "${text}"`,
    `upper(http.request.uri.path) ne "${text.toUpperCase()}"`,
    `upper(http.request.uri.path) gt "${text}"`,
    `upper(http.request.uri.path) contains "${text}"`,
    `http.request.uri.path wildcard "${text}*b"`,
    `http.request.uri.path strict wildcard "*${text}"`,
    `http.request.uri.path matches "^${text}|${text}b$"`,
    `remove_bytes(http.request.uri.path, "a") eq "${text}"`,
    `http.request.headers["x"][0] eq "${text}"`,
    `http.request.headers["x"][0] ne "${text}"`,
  ]),
  'http.request.uri.path in {"a" "/a" "b"}',
  'http.request.method in {"GET" "POST"}',
  'http.request.method eq "GET"',
  'http.request.method ne "POST"',
  "len(http.request.uri.path) in {1..2}",
  "cf.edge.server_port in {80 443 8000..8443}",
  "cf.edge.server_port ge 443",
  "cf.edge.server_port & 1",
  "ip.src in {10.0.0.0/8 2001:db8::/32}",
  "ip.src eq 10.0.0.1",
  "ip.src ge 10.0.0.1",
  "ip.src ne 2001:db8::1",
  "ssl",
  'any(http.request.headers["x"][*] eq "a")',
  'all(http.request.headers["x"][*] eq "a")',
  'any(http.request.headers["x"][*] contains "/")',
  'any((http.request.headers["x"][*] eq "a" or starts_with(http.request.headers["x"][*], "b")[*]))',
];

const expressions = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...comparisons),
    tie("node").map((item) => `not (${item})`),
    fc
      .tuple(fc.constantFrom("and", "or", "xor"), tie("node"), tie("node"))
      .map(([operator, left, right]) => `(${left}) ${operator} (${right})`),
  ),
})).node;

const paths = ["", "a", "ab", "b", "A", "aB", "/", "/a", "/A", "/ab", "/b", "a/b", "aab", "zz", "\u00e9"];
const requests = fc.record({
  "http.request.uri.path": fc.oneof(fc.constantFrom(...paths), fc.string({ maxLength: 4 })),
  "http.request.method": fc.constantFrom("GET", "POST", "PUT"),
  "http.request.headers": fc.constantFrom(
    {},
    { x: [] },
    { x: ["a"] },
    { x: ["b", "a"] },
    { x: ["a", "a"] },
    { x: ["/a"] },
  ),
  "cf.edge.server_port": fc.constantFrom(-1, 79, 80, 81, 442, 443, 8001, 9000),
  "ip.src": fc.constantFrom("9.255.255.255", "10.0.0.0", "10.0.0.1", "11.0.0.0", "2001:db8::1", "::1"),
  ssl: fc.boolean(),
});

describe("coverage and evaluation agree", () => {
  test("no request contradicts coverage", () => {
    fc.assert(
      fc.property(
        expressions,
        expressions,
        fc.array(requests, { minLength: 20, maxLength: 20 }),
        (a, b, sample) => {
          const allowed = ALLOWED[coverage(a, b)];
          const seen = sample.map((request) => `${evaluate(a, request)} ${evaluate(b, request)}`);
          expect(seen.filter((each) => !allowed.includes(each))).toEqual([]);
        },
      ),
      { numRuns: runs(800) },
    );
  });

  test("expressions that are apart match no request in common", () => {
    const asking = comparisons.filter((each) => / eq "|^starts_with/.test(each));
    const askingSome = fc.tuple(fc.constantFrom(...asking), expressions).map((both) => both.join(" and "));
    let apart = 0;
    fc.assert(
      fc.property(askingSome, askingSome, (a, b) => {
        if (!areApart(a, b)) return;
        apart += 1;
        expect(["equal", "unknown"]).toContain(coverage(`(${a}) and (${b})`, "false"));
      }),
      { numRuns: runs(800) },
    );
    expect(apart).toBeGreaterThan(0);
  });

  test("each expression equals itself, and swapping two expressions mirrors the answer", () => {
    fc.assert(
      fc.property(expressions, expressions, (a, b) => {
        expect(coverage(a, a)).toBe("equal");
        expect(coverage(b, a)).toBe(mirror(coverage(a, b)));
      }),
      { numRuns: runs(300) },
    );
  });

  test("subset is transitive", () => {
    fc.assert(
      fc.property(expressions, expressions, expressions, (b, c, x) => {
        const isInside = (one: string, other: string) => ["subset", "equal"].includes(coverage(one, other));
        const [narrower, wider] = [`(${b}) and (${x})`, `(${b}) or (${c})`];
        expect([isInside(narrower, b), isInside(b, wider), isInside(narrower, wider)]).toEqual([
          true,
          true,
          true,
        ]);
      }),
      { numRuns: runs(300) },
    );
  });

  test("a witness matches the first expression and not the second", () => {
    fc.assert(
      fc.property(expressions, expressions, (a, b) => {
        const request = witness(a, b);
        if (request === null) return;
        expect([evaluate(a, request), evaluate(b, request)]).toEqual([true, false]);
      }),
      { numRuns: runs(500) },
    );
  });

  test("invalid expressions are compared as text", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...comparisons), fc.nat(40), (junk, comparison, at) => {
        const broken = comparison.slice(0, at) + junk + comparison.slice(at);
        expect(coverage(broken, broken)).toBe("equal");
        expect(typeof coverage(broken, comparison)).toBe("string");
        expect(() => witness(broken, comparison)).not.toThrow();
      }),
      { numRuns: runs(300) },
    );
  });
});

test("no string contradicts coverage of regular expressions", () => {
  fc.assert(
    fc.property(regexes, regexes, fc.array(strings, { minLength: 20 }), (a, b, sample) => {
      const [left, right] = [a, b].map((each) => `http.host matches r#"${each}"#`);
      const allowed = ALLOWED[coverage(left ?? "", right ?? "")];
      const seen = sample.map((host) =>
        [left, right].map((each) => evaluate(each ?? "", { "http.host": host })),
      );
      expect(seen.filter((each) => !allowed.includes(each.join(" ")))).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});

const regexes = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(
      "a",
      "b",
      ".",
      "[ab]",
      "[^a]",
      "\\w",
      "^",
      "$",
      "\\s",
      "\\b",
      "\\B",
      "(?m:^)",
      "(?m:$)",
      "(?i)a",
      "\\.",
      "(?s:.)",
      "\\A",
      "\\z",
    ),
    fc.tuple(tie("node"), tie("node")).map((both) => both.join("")),
    fc.tuple(tie("node"), tie("node")).map((both) => `(${both.join("|")})`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "*?"))
      .map(([item, times]) => `(?:${item})${times}`),
  ),
})).node;

const strings = fc.string({ unit: fc.constantFrom("a", "b", "A", "\n", ".", " ", "\u00e9"), maxLength: 6 });

const ALLOWED: { readonly [stands in Coverage]: readonly string[] } = {
  equal: ["true true", "false false"],
  subset: ["true true", "false false", "false true"],
  superset: ["true true", "false false", "true false"],
  disjoint: ["false false", "true false", "false true"],
  overlaps: ["true true", "false false", "true false", "false true"],
  unknown: ["true true", "false false", "true false", "false true"],
};

describe("coverage decides", () => {
  test("nearly every pair of comparisons and their negations", () => {
    const decidable = comparisons.filter((each) => !each.includes("&"));
    const both = decidable.flatMap((each) => [each, `not ${each}`]);
    const pairs = both.flatMap((a, index) => both.slice(index).map((b) => [a, b] as const));
    const sample = some(pairs.filter((_, index) => index % 7 === 0));
    const open = sample.filter(([a, b]) => coverage(a, b) === "unknown");
    expect(open.length / sample.length).toBeLessThan(0.01);
  });

  test("many overlapping tests of a missing value", () => {
    const value = 'http.request.headers["x"][0]';
    const tests = Array.from({ length: 14 }, (_, n) => `${value} contains "${n * 7919}-"`).join(" or ");
    expect(coverage(`${value} eq "0-7919-" and (${tests})`, `${value} eq "0-7919-"`)).toBe("equal");
    expect(coverage(`(${tests}) or not ${value} ge ""`, `not ${value} ge ""`)).not.toBe("equal");
    expect(coverage(`${tests} or ${value} eq "0-7919-"`, tests)).toBe("equal");
    expect(coverage(`not (${tests})`, `${value} ge ""`)).not.toMatch(/equal|subset/);
  });

  test.each<[string, string, Coverage]>([
    ['http.host matches "^a.{0,200}$"', 'starts_with(http.host, "a")', "subset"],
    ['http.host matches "^a.{0,200}b$"', 'http.host matches "^a.{0,100}b$"', "superset"],
    ['http.host matches "a.{0,200}b"', 'http.host contains "a"', "subset"],
    ['http.host matches "a.{100,900}b.{0,500}c"', 'http.host contains "x"', "unknown"],
    ["len(http.host) gt 200", "len(http.host) ge 201", "equal"],
    ["len(http.host) gt 2000", "len(http.host) gt 1999", "subset"],
    ["len(http.host) gt 200", 'http.host eq "a"', "disjoint"],
    ["len(http.host) gt 200", 'starts_with(http.host, "a")', "overlaps"],
  ])("long repetitions and lengths: %s / %s: %s", (a, b, stands) => {
    expect(coverage(a, b)).toBe(stands);
  });
});
