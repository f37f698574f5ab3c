import { describe, expect, test } from "vitest";
import { coverage } from "../../src/expression/coverage/coverage.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import { equal } from "../../src/expression/spelling/canonical.js";
import { meaning } from "../../src/expression/spelling/meaning.js";
import { fc, runs, untilMet } from "../support/random.js";
import { pairs } from "./published.js";

const sameMeaning = pairs.filter(({ relation }) => /same meaning/.test(relation));
test.skipIf(pairs.length === 0).each(sameMeaning)(
  "$a and $b have the same meaning ($relation)",
  ({ a, b }) => {
    expect(meaning(a)).toEqual(meaning(b));
  },
);

describe("the same meaning", () => {
  test.each([
    ["(ssl and cf.client.bot) and true", "ssl and (cf.client.bot and true)"],
    ["ssl or (cf.client.bot or ssl)", "cf.client.bot or ssl"],
    ["ssl xor cf.client.bot", "cf.client.bot xor ssl"],
    ["not not ssl", "(ssl)"],
    ['http.host in {"b" "a" "b"}', 'http.host in {"a" "b"}'],
    ["ip.src in {10.0.0.128/25 10.0.0.0/25}", "ip.src in {10.0.0.0/24}"],
    ["ip.src in {2001:db8::1 10.0.0.1}", "ip.src in {10.0.0.1 2001:db8::1}"],
    ["cf.edge.server_port in {80..90 85..100 101}", "cf.edge.server_port in {80..101}"],
    ["not ip.src in {1.2.3.4}", "not ip.src eq 1.2.3.4"],
    [
      'any((http.request.headers.names[*] eq "b" or http.request.headers.names[*] in {"a"}))',
      'any((http.request.headers.names[*] eq "a" or http.request.headers.names[*] eq "b"))',
    ],
    ["ssl  ==", "ssl =="],
  ])("is shared by %j and %j", (a, b) => {
    expect(meaning(a)).toEqual(meaning(b));
    expect(equal(a, b)).toBe(a === "ssl  ==");
  });

  test.each([
    ["ssl xor ssl", "ssl"],
    ["ssl and cf.client.bot", "ssl or cf.client.bot"],
    ["ssl and (cf.client.bot or true)", "ssl and cf.client.bot or true"],
    ['http.host ne "a"', 'not http.host eq "a"'],
    ["cf.edge.server_port in {80 82}", "cf.edge.server_port in {80..82}"],
    ['http.host in {"a" "b"}', 'http.host in {"a" "c"}'],
    ['ip.src.country eq "GB"', 'ip.geoip.country eq "GB"'],
    ['http.host in {"ab"}', 'http.host in {"a" "b"}'],
    ["ip.src in {0.0.0.0/0}", "ip.src in {::/0}"],
  ])("is not shared by %j and %j", (a, b) => {
    expect(meaning(a)).not.toEqual(meaning(b));
  });
});

/** Few conditions, so that many pairs have the same meaning. */
const conditions = [
  "ssl",
  "cf.client.bot",
  'http.host eq "a"',
  'http.host in {"a"}',
  'http.host in {"b" "a"}',
  'http.host in {"a" "b" "a"}',
  "cf.edge.server_port in {80 81}",
  "cf.edge.server_port in {81 80..80}",
  "ip.src in {10.0.0.0/8 2001:db8::/32}",
  "ip.src in {2001:db8::/32 10.128.0.0/9 10.0.0.0/9}",
];
const expressions = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...conditions),
    tie("node").map((item) => `not (${item})`),
    fc
      .tuple(fc.constantFrom("and", "or", "xor"), tie("node"), tie("node"))
      .map(([operator, left, right]) => `(${left}) ${operator} (${right})`),
  ),
})).node;

/** The same conditions in another order and grouping. */
const turned = expressions.map((text): readonly [string, string] => [text, turn(text)]);

function turn(text: string): string {
  const [, left, operator, right] = /^\(([^()]*)\) (and|or|xor) \((.*)\)$/.exec(text) ?? [];
  return left === undefined || right === undefined ? text : `${turn(right)} ${operator} ${left}`;
}

const requests = fc.record(
  {
    ssl: fc.boolean(),
    "cf.client.bot": fc.boolean(),
    "http.host": fc.constantFrom("a", "b", "c"),
    "cf.edge.server_port": fc.constantFrom(79, 80, 81, 82),
    "ip.src": fc.constantFrom("10.0.0.1", "10.200.0.1", "11.0.0.0", "2001:db8::1", "::1"),
  },
  { requiredKeys: [] },
);

describe("texts with the same meaning", () => {
  const compared = fc.oneof(fc.tuple(expressions, expressions), turned);

  test("match the same requests, and coverage never tells them apart", async () => {
    await untilMet(
      { same: runs(100) },
      (met) =>
        fc.property(compared, fc.array(requests, { minLength: 10 }), ([a, b], sample) => {
          if (JSON.stringify(meaning(a)) !== JSON.stringify(meaning(b))) return;
          met("same");
          for (const request of sample) expect(evaluate(a, request)).toBe(evaluate(b, request));
          expect(["equal", "unknown"]).toContain(coverage(a, b));
        }),
      runs(1000),
    );
  });

  test("include all texts that equal calls equal", () => {
    fc.assert(
      fc.property(expressions, (text) => {
        expect(meaning(`\n(${text})`)).toEqual(meaning(text));
        expect(meaning(`not (${text})`)).not.toEqual(meaning(text));
      }),
    );
  });
});
