import { describe, expect, test } from "vitest";
import { newBudget } from "../../src/expression/budget.js";
import { type Coverage, coverage, witness } from "../../src/expression/coverage/coverage.js";
import { createDiagram, FALSE, TooLarge, TRUE } from "../../src/expression/coverage/diagram.js";
import { formulasOf } from "../../src/expression/coverage/formula.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { parse } from "../../src/expression/parse/parse.js";
import { fc } from "../support/random.js";

describe("coverage says how two expressions stand to each other", () => {
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

function mirror(stands: Coverage): Coverage {
  return stands === "subset" ? "superset" : stands === "superset" ? "subset" : stands;
}

/** A small pool, so that values meet. */
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
  test("no request contradicts what coverage says", () => {
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
      { numRuns: 800 },
    );
  });

  test("an expression equals itself, and the reverse question has the mirrored answer", () => {
    fc.assert(
      fc.property(expressions, expressions, (a, b) => {
        expect(coverage(a, a)).toBe("equal");
        expect(coverage(b, a)).toBe(mirror(coverage(a, b)));
      }),
      { numRuns: 300 },
    );
  });

  test("what lies inside something lies inside all that this lies inside", () => {
    fc.assert(
      fc.property(expressions, expressions, expressions, (a, b, c) => {
        const isInside = (one: string, other: string) => ["subset", "equal"].includes(coverage(one, other));
        const wider = `(${b}) or (${c})`;
        if (!isInside(a, b) || !isInside(b, wider)) return;
        expect(isInside(a, wider)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a witness is a request that one matches and the other does not", () => {
    fc.assert(
      fc.property(expressions, expressions, (a, b) => {
        const request = witness(a, b);
        if (request === null) return;
        expect([evaluate(a, request), evaluate(b, request)]).toEqual([true, false]);
      }),
      { numRuns: 500 },
    );
  });

  test("text that is no expression is compared as text", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...comparisons), fc.nat(40), (junk, comparison, at) => {
        const broken = comparison.slice(0, at) + junk + comparison.slice(at);
        expect(coverage(broken, broken)).toBe("equal");
        expect(typeof coverage(broken, comparison)).toBe("string");
        expect(() => witness(broken, comparison)).not.toThrow();
      }),
      { numRuns: 300 },
    );
  });
});

test("no string contradicts what coverage says of regular expressions", () => {
  fc.assert(
    fc.property(regexes, regexes, fc.array(strings, { minLength: 20 }), (a, b, sample) => {
      const [left, right] = [a, b].map((each) => `http.host matches r#"${each}"#`);
      const allowed = ALLOWED[coverage(left ?? "", right ?? "")];
      const seen = sample.map((host) =>
        [left, right].map((each) => evaluate(each ?? "", { "http.host": host })),
      );
      expect(seen.filter((each) => !allowed.includes(each.join(" ")))).toEqual([]);
    }),
    { numRuns: 300 },
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
  test("nearly every pair of comparisons with their negations", () => {
    const decidable = comparisons.filter((each) => !each.includes("&"));
    const both = decidable.flatMap((each) => [each, `not ${each}`]);
    const pairs = both.flatMap((a, index) => both.slice(index).map((b) => [a, b] as const));
    const sample = pairs.filter((_, index) => index % 7 === 0);
    const open = sample.filter(([a, b]) => coverage(a, b) === "unknown");
    expect(open.length / sample.length).toBeLessThan(0.01);
  });

  test.each([
    ["two sets of 200 hosts", hosts(0), hosts(100)],
    ["two sets of 200 hosts in lower case", lowered(hosts(0)), lowered(hosts(100))],
    ["a set and a chain of 100", hosts(0), chain(80)],
  ])("%s in few steps", (_name, a, b) => {
    expect(coverage(a, b)).toBe("overlaps");
    expect(workOn(a, b)).toBeLessThan(1_000_000);
  });

  test("many overlapping tests, a missing value and named ones alike", () => {
    const value = 'http.request.headers["x"][0]';
    const tests = Array.from({ length: 14 }, (_, n) => `${value} contains "${n * 7919}-"`).join(" or ");
    expect(coverage(`${value} eq "0-7919-" and (${tests})`, `${value} eq "0-7919-"`)).toBe("equal");
    expect(coverage(`(${tests}) or not ${value} ge ""`, `not ${value} ge ""`)).not.toBe("equal");
    expect(coverage(`${tests} or ${value} eq "0-7919-"`, tests)).toBe("equal");
    expect(coverage(`not (${tests})`, `${value} ge ""`)).not.toMatch(/equal|subset/);
  });

  test("rows of pairs in few steps, in whatever order their halves are asked", () => {
    const pairs = (from: number, to: number, second = "http.request.uri.path") =>
      Array.from({ length: to - from }, (_, n) => {
        const [a, b] = [(from + n) * 7919, (from + n) * 104729];
        return `(http.host contains "a${a}" and ${second} contains "b${b}")`;
      }).join(" or ");
    expect(coverage(pairs(0, 20), pairs(0, 19))).toBe("superset");
    expect(coverage(pairs(0, 20, "http.host"), pairs(0, 19, "http.host"))).toBe("superset");
    expect(workOn(pairs(0, 20), pairs(10, 30))).toBeLessThan(10_000_000);
    const [one, other] = [1, 7].map((step) =>
      Array.from(
        { length: 31 },
        (_, n) =>
          `(http.host contains "a${n * 7919}" and http.cookie contains "b${((n * step) % 31) * 104729}")`,
      ).join(" or "),
    );
    expect(coverage(one ?? "", other ?? "")).toBe("unknown");
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

  test("what is too large is unknown, and what only looks so is not", () => {
    const many = (operator: string, from: number) =>
      Array.from({ length: 60 }, (_, n) => `http.host contains "${(from + n) * 7919}"`).join(` ${operator} `);
    expect(coverage(many("or", 0), many("xor", 30))).toBe("unknown");
    expect(coverage(many("and", 0), many("or", 30))).toBe("subset");
  });
});

function hosts(from: number): string {
  const names = Array.from({ length: 200 }, (_, n) => `"h${from + n}.example.com"`);
  return `http.host in {${names.join(" ")}}`;
}

function lowered(expression: string): string {
  return expression.replace("http.host", "lower(http.host)");
}

function chain(from: number): string {
  return Array.from({ length: 100 }, (_, n) => `http.host eq "h${from + n + 100}.example.com"`).join(" or ");
}

describe("size alone breaks nothing", () => {
  const list = (n: number) => `ip.src in $l${n}`;
  const header = (n: number) => `http.request.headers["h${n}"][0] eq "a"`;

  test.each(["or", "and", "xor"] as const)("4,000 conditions with %s between them, balanced", (operator) => {
    const [whole, half] = [balanced(4000, list, operator), balanced(2000, list, operator)];
    const wider = { or: "superset", and: "subset", xor: "unknown" } as const;
    expect(coverage(whole, whole)).toBe("equal");
    expect(coverage(whole, half)).toBe(wider[operator]);
    expect(witness(whole, "ssl")).toBe(null);
  });

  test.each(["or", "and", "xor"] as const)("4,000 conditions with %s between them, in a row", (operator) => {
    const row = Array.from({ length: 4000 }, (_, n) => list(n)).join(` ${operator} `);
    expect(coverage(row, balanced(4000, list, operator))).toBe("equal");
  });

  test("4,000 conditions and a request that meets them all", () => {
    const all = balanced(4000, header, "and");
    const request = witness(all, "ssl");
    expect(request).not.toBe(null);
    expect(evaluate(all, request ?? {})).toBe(true);
  });

  test("conditions as deep as parentheses go", () => {
    let deep = list(0);
    for (let level = 1; level < 60; level += 1)
      deep = `not (${deep} ${level % 2 === 0 ? "or" : "and"} ${list(level)})`;
    expect(coverage(deep, deep)).toBe("equal");
    expect(coverage(deep, `not (${deep})`)).toBe("disjoint");
    expect(coverage(deep, `ssl or ${deep}`)).toBe("subset");
  });

  test("a diagram of more levels than a stack has room for", () => {
    const diagram = createDiagram();
    let all = TRUE;
    for (let level = 50_000; level >= 0; level -= 1) all = diagram.node(level, [FALSE, all]);
    const none = diagram.combine("xor", all, TRUE);
    expect(diagram.combine("and", all, none)).toBe(FALSE);
    expect(diagram.combine("or", all, none)).toBe(TRUE);
    const [way, ...others] = [...diagram.ways(all)];
    expect([way?.size, others]).toEqual([50_001, []]);
  });

  test("a diagram that grows without end is given up", () => {
    const diagram = createDiagram();
    const endless = () => {
      for (let level = 0; ; level += 1) diagram.node(level, [FALSE, TRUE]);
    };
    expect(endless).toThrow(TooLarge);
  });
});

function balanced(count: number, leaf: (n: number) => string, operator: string, from = 0): string {
  if (count === 1) return leaf(from);
  const half = count >> 1;
  const [left, right] = [
    balanced(half, leaf, operator, from),
    balanced(count - half, leaf, operator, from + half),
  ];
  return `(${left} ${operator} ${right})`;
}

function workOn(a: string, b: string): number {
  const [treeA, treeB] = [parse(a), parse(b)];
  if (!treeA.ok || !treeB.ok) throw new Error(`${a} or ${b} is none`);
  return newBudget().left - formulasOf(treeA.tree, treeB.tree).effort.budget.left;
}

describe("the cells of a variable", () => {
  const ports = (count: number) => `cf.edge.server_port in {${numbered(count, (n) => `${n * 3}`)}}`;
  const addresses = (count: number) =>
    `ip.src in {${numbered(count, (n) => `10.${n >> 8}.${n & 255}.0/25`)}}`;
  const names = (count: number) => `http.host in {${numbered(count, (n) => `"h${n}.example"`)}}`;

  test.each([
    ["ports", ports, "cf.edge.server_port lt 3000"],
    ["addresses", addresses, "ip.src in {10.0.0.0/8}"],
    ["names", names, 'ends_with(http.host, ".example")'],
  ])("take twice the work for twice the %s", (_what, set, other) => {
    expect(workOn(set(1000), other)).toBeLessThan(300_000);
    expect(workOn(set(2000), other) / workOn(set(1000), other)).toBeLessThan(2.2);
  });

  test("are decided for 10,000 ports and addresses", () => {
    expect(coverage(ports(10_000), "cf.edge.server_port lt 30000")).toBe("subset");
    expect(coverage(addresses(10_000), "ip.src in {10.0.0.0/8}")).toBe("subset");
    expect(coverage(ports(10_000), "cf.edge.server_port in {1 2}")).toBe("disjoint");
  });

  test("are too many where thousands of conditions each name one", () => {
    const each = (field: string, value: (n: number) => string) =>
      Array.from({ length: 4000 }, (_, n) => `${field} eq ${value(n)}`).join(" or ");
    expect(coverage(each("cf.edge.server_port", String), "cf.edge.server_port lt 10")).toBe("unknown");
    expect(
      coverage(
        each("http.host", (n) => `"h${n}"`),
        'http.host eq "h1"',
      ),
    ).toBe("unknown");
  });

  test("are too many where each name is searched for heavy patterns", () => {
    const heavy = Array.from(
      { length: 600 },
      (_, n) => `http.host in {"h${n}"} or http.host matches "(a|b|c|ab|a.){900}x${n}"`,
    ).join(" or ");
    expect(() => workOn(heavy, "ssl")).toThrow(TooLarge);
    expect(coverage(heavy, "ssl")).toBe("unknown");
  });
});

function numbered(count: number, each: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => each(n)).join(" ");
}
