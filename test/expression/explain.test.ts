import { expect, test } from "vitest";
import { evaluateTree } from "../../src/expression/evaluate/evaluate.js";
import { explain } from "../../src/expression/evaluate/explain.js";
import { parse } from "../../src/expression/parse/parse.js";

const request = {
  "http.host": "shop.example",
  "http.request.method": "GET",
  "ip.src": "10.0.0.1",
  "http.request.headers": { accept: ["text/html", "text/plain"] },
};

function reasons(text: string): readonly string[] {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return explain(parsed.tree, text, request).map(({ text: condition, truth, decides, looked }) => {
    const seen = looked.map(({ at, found, value }) => `${at} is ${found === "value" ? value : found}`);
    return `${decides ? "" : "- "}${condition}: ${truth} (${seen.join("; ")})`;
  });
}

const cases: readonly (readonly [says: string, text: string, reasons: readonly string[]])[] = [
  [
    "a single comparison decides",
    'http.host eq "a"',
    ['http.host eq "a": false (http.host is shop.example)'],
  ],
  [
    "false conditions decide a false conjunction",
    'http.host eq "shop.example" and http.request.method eq "POST"',
    [
      'http.request.method eq "POST": false (http.request.method is GET)',
      '- http.host eq "shop.example": true (http.host is shop.example)',
    ],
  ],
  [
    "true conditions decide a true disjunction",
    'not (http.host eq "a" or ip.src in {10.0.0.0/8})',
    [
      "ip.src in {10.0.0.0/8}: true (ip.src is 10.0.0.1)",
      '- http.host eq "a": false (http.host is shop.example)',
    ],
  ],
  [
    "unknown conditions decide an unknown outcome",
    'http.host eq "shop.example" and http.referer eq "x"',
    [
      'http.referer eq "x": unknown (http.referer is unknown)',
      '- http.host eq "shop.example": true (http.host is shop.example)',
    ],
  ],
  [
    "a missing value is shown",
    'http.request.headers["x"][0] ne "a"',
    ['http.request.headers["x"][0] ne "a": false (http.request.headers["x"][0] is missing)'],
  ],
  [
    "a list is shown in full",
    'any(lower(http.request.headers["accept"][*])[*] eq "text/html")',
    [
      'any(lower(http.request.headers["accept"][*])[*] eq "text/html"): true (http.request.headers["accept"][*] is [text/html, text/plain])',
    ],
  ],
  [
    "the field inside a call is shown, not the result of the call",
    'starts_with(http.host, "pay") or lower(http.request.method) eq "post"',
    [
      'starts_with(http.host, "pay"): false (http.host is shop.example)',
      'lower(http.request.method) eq "post": false (http.request.method is GET)',
    ],
  ],
  [
    "each field of a condition is shown once",
    'concat(http.host, ":", http.request.method, http.host) eq "a"',
    [
      'concat(http.host, ":", http.request.method, http.host) eq "a": false (http.host is shop.example; http.request.method is GET)',
    ],
  ],
  [
    "each field of a condition inside a call is shown once",
    'to_string(http.host eq "a") eq "true"',
    ['to_string(http.host eq "a") eq "true": false (http.host is shop.example)'],
  ],
  ["a constant reads no field", "not true", ["true: true ()"]],
  [
    "an account list is unknown",
    "ip.src in $office",
    ["ip.src in $office: unknown (ip.src is 10.0.0.1; $office is unknown)"],
  ],
];

test.each(cases)("%s", (_says, text, expected) => {
  expect(reasons(text)).toEqual(expected);
});

test("cuts long conditions and values, but never within a character", () => {
  const long = `${"x".repeat(199)}\u{1f600}${"x".repeat(1000)}`;
  const text = `http.referer eq "${long}"`;
  const parsed = parse(text);
  const [reason] = parsed.ok ? explain(parsed.tree, text, { "http.referer": long }) : [];
  expect(reason?.truth).toBe(true);
  expect(reason?.text).toBe(`http.referer eq "${"x".repeat(183)}\u2026`);
  expect(reason?.looked).toMatchObject([
    { at: "http.referer", found: "value", value: `${"x".repeat(199)}\u2026` },
  ]);
});

test("the deciding reasons determine the outcome", () => {
  for (const [, text] of cases) {
    const parsed = parse(text);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    const all = explain(parsed.tree, text, request);
    expect(all.filter(({ decides }) => decides)).not.toEqual([]);
    expect(all.every(({ truth }) => truth !== "unknown")).toBe(
      evaluateTree(parsed.tree, request) !== "unknown",
    );
  }
});

test("judges each condition once at any depth, and reads each field once", () => {
  const host = "abc".repeat(30_000);
  let reads = 0;
  const given = Object.defineProperty({ ssl: true }, "http.host", {
    get: () => {
      reads += 1;
      return host;
    },
  });
  // Judging the condition again at each level would exceed the budget.
  let text = 'http.host matches "(a|b|c|ab|a.){900}x" and http.host contains "a"';
  for (let level = 0; level < 100; level += 1) text = `(${text}) and ssl`;
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const reasons = explain(parsed.tree, text, given);
  expect(reasons.map(({ truth }) => truth)).toEqual([false, true, ...Array(100).fill(true)]);
  expect(reads).toBe(1);
});
