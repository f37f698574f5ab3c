import { describe, expect, test } from "vitest";
import { membersOf } from "../../src/expression/evaluate/compare.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import type { Truth } from "../../src/expression/value.js";
import { publishedLines, publishedText } from "../support/published.js";
import { fc } from "../support/random.js";

interface Case {
  readonly expr: string;
  readonly results: readonly boolean[];
}

const checks = "what the engine answers on eight requests";
// The README next to the file describes its format.
const cases = publishedLines("data/expression/eval.jsonl", checks) as unknown as readonly Case[];
const requests: readonly Record<string, unknown>[] = JSON.parse(
  publishedText("data/expression/requests.json", checks) ?? "[]",
);

test.skipIf(cases.length === 0)("agrees with the engine on every expression and request", () => {
  const wrong = cases.flatMap(({ expr, results }) => {
    const ours = requests.map((request) => evaluate(expr, request));
    return JSON.stringify(ours) === JSON.stringify(results) ? [] : [{ expr, ours, results }];
  });
  expect(wrong).toEqual([]);
});

const request = {
  "http.host": "Shop.Example",
  "http.request.uri.path": "/a%2Fb/caf\u00e9",
  "http.request.uri.query": "q=%2541+b",
  "http.request.body.raw": '{"company":"x","sizes":[1,22],"price":1}',
  "http.request.headers": { accept: ["text/html", "text/plain"] },
  "http.request.headers.names": ["accept", "Host"],
  "ip.src": "10.1.2.3",
  "ip.src.country": "GB",
  "cf.edge.server_port": 8443,
  ssl: true,
};

describe("evaluation", () => {
  const truths: readonly (readonly [says: string, expression: string, truth: Truth])[] = [
    ["compares case-sensitively", 'http.host eq "shop.example"', false],
    [
      "converts with lower and upper",
      'lower(http.host) eq "shop.example" and upper(http.host) eq "SHOP.EXAMPLE"',
      true,
    ],
    ["counts bytes", "len(http.request.uri.path) eq 12", true],
    ["compares text as UTF-8", 'ends_with(http.request.uri.path, "\\xc3\\xa9")', true],
    ["ignores case in wildcards", 'http.host wildcard "shop.*"', true],
    ["keeps case in strict wildcards", 'http.host strict wildcard "shop.*"', false],
    ["decodes URL escapes", 'url_decode(http.request.uri.path) eq "/a/b/caf\u00e9"', true],
    ["decodes URL escapes once", 'url_decode(http.request.uri.query) eq "q=%41 b"', true],
    ["decodes URL escapes repeatedly", 'url_decode(http.request.uri.query, "r") eq "q=A b"', true],
    [
      "takes substrings",
      'substring(http.host, 0, 4) eq "Shop" and substring(http.host, -7) eq "Example"',
      true,
    ],
    ["compares two fields", "http.host ne ip.src.country and http.host gt ip.src.country", true],
    ["compares a field with a call", "http.host eq lower(http.host)", false],
    ["compares two calls", "upper(http.host) eq upper(lower(http.host))", true],
    ["compares elements with a field", "any(http.request.headers.names[*] eq http.host)", false],
    ["leaves a comparison with a field that is not given unknown", "http.host eq http.referer", "unknown"],
    [
      "leaves a comparison with a missing element unknown",
      'http.host eq http.request.headers["x"][0]',
      "unknown",
    ],
    ["finds no element unequal to a missing element", 'http.request.headers["x"][0] ne http.host', false],
    [
      "takes the first present value",
      'coalesce(http.request.headers["x"][0], http.host) eq "Shop.Example"',
      true,
    ],
    ["takes the literal default", 'coalesce(lookup_json_integer(http.request.body.raw, "x"), 0) eq 0', true],
    ["finds nothing when all values are missing", 'coalesce(http.request.headers["x"][0]) eq "a"', false],
    ["leaves hash_in_range unknown", "hash_in_range(0, 100, http.host) lt 10", "unknown"],
    ["leaves an unknown function unknown", 'new_function(http.host) eq "a"', "unknown"],
    ["leaves an unknown field unknown", "not cf.new.field", "unknown"],
    ["leaves an invalid comparison unknown", "http.host contains ip.src.country", "unknown"],
    ["decides or by the known side", "ssl or new_function(http.host)", true],
    ["decides and by the known side", "not ssl and cf.new.field eq 1", false],
    ["joins texts", 'concat(http.host, ":", ip.src.country) eq "Shop.Example:GB"', true],
    ["skips missing parts of a text", 'concat(http.request.headers["x"][0], ip.src.country) eq "GB"', true],
    [
      "is false when all parts of a text are missing",
      'concat(http.request.headers["x"][0], http.request.headers["x"][1]) ne "a"',
      false,
    ],
    [
      "leaves a digest unknown, which only some zones have",
      'sha256(http.host) eq "a" or sha256(http.host) ne "a"',
      "unknown",
    ],
    ["removes bytes", 'remove_bytes(http.host, "e.") eq "ShopExampl"', true],
    ["looks up JSON", 'lookup_json_string(http.request.body.raw, "company") eq "x"', true],
    ["looks up JSON by index", 'lookup_json_integer(http.request.body.raw, "sizes", 1) eq 22', true],
    ["is false of a missing JSON key", 'lookup_json_string(http.request.body.raw, "nothing") ne "x"', false],
    ["masks addresses", "cidr(ip.src, 24, 64) eq 10.1.2.0", true],
    ["compares addresses", "ip.src gt 10.1.2.2 and ip.src lt 10.1.3.0", true],
    ["never orders addresses of different families", "ip.src lt ::1 or ip.src gt ::1", false],
    ["finds addresses of different families unequal", "ip.src ne ::1", true],
    ["applies a bit mask to numbers", "cf.edge.server_port & 1", true],
    ["maps functions over lists", 'any(lower(http.request.headers.names[*])[*] eq "host")', true],
    ["negates conditions on lists", 'all(not http.request.headers.names[*] eq "x")', true],
    [
      "combines conditions on lists",
      'any((http.request.headers.names[*] eq "accept" and http.request.headers.names[*] ne "b"))',
      true,
    ],
    ["accepts a list of Booleans", 'any(starts_with(http.request.headers.names[*], "H"))', true],
    ["reads an element by index", 'http.request.headers["accept"][1] eq "text/plain"', true],
    ["is false of a missing key", 'http.request.headers["x"][0] eq "a"', false],
    ["is false of a missing key with ne", 'http.request.headers["x"][0] ne "a"', false],
    ["is true of a negated missing key", 'not http.request.headers["x"][0] eq "a"', true],
    ["is false of a missing index", 'http.request.headers["accept"][9] ne "a"', false],
    ["is true of all elements of a missing list", 'all(http.request.headers["x"][*] eq "a")', true],
    ["is false of any element of a missing list", 'any(http.request.headers["x"][*] ne "a")', false],
    ["is false of a function of a missing key", 'starts_with(http.request.headers["x"][0], "")', false],
    ["accepts deprecated field names", 'ip.geoip.country eq "GB"', true],
    ["leaves account lists unknown", "ip.src in $office", "unknown"],
    ["leaves fields that are not given unknown", 'http.referer eq "x"', "unknown"],
    ["decides and despite an unknown side", 'http.referer eq "x" and not ssl', false],
    ["decides or despite an unknown side", 'http.referer eq "x" or ssl', true],
    ["leaves xor with an unknown side unknown", 'http.referer eq "x" xor ssl', "unknown"],
    ["leaves an invalid expression unknown", "http.host eq", "unknown"],
    ["decides constant expressions", "true and not false", true],
  ];
  test.each(truths)("%s: %s", (_says, expression, truth) => {
    expect(evaluate(expression, request)).toBe(truth);
  });

  test("reads a deprecated field from its new name, and the reverse", () => {
    expect(evaluate('ip.src.country eq "GB"', { "ip.geoip.country": "GB" })).toBe(true);
    expect(evaluate("ip.geoip.asnum eq 5", { "ip.src.asnum": 5 })).toBe(true);
  });

  test("no value of a request makes evaluate throw", () => {
    const circle: unknown[] = [];
    circle.push(circle);
    const throwing = Object.defineProperty({}, "http.host", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    const expressions = [
      'http.host eq "a"',
      'any(http.request.headers["x"][*] eq "a")',
      "ip.src in {::/0}",
      "ssl",
      "len(http.host) gt 0",
    ];
    for (const expression of expressions) {
      for (const odd of [
        null,
        undefined,
        1.5,
        Number.NaN,
        circle,
        () => 1,
        Symbol("x"),
        2n ** 70n,
        {},
        [[[[1]]]],
      ]) {
        const given = { "http.host": odd, "http.request.headers": { x: odd }, "ip.src": odd, ssl: odd };
        expect(evaluate(expression, given)).toBe("unknown");
      }
      expect(evaluate(expression, throwing)).toBe("unknown");
    }
    fc.assert(
      fc.property(
        fc.string(),
        fc.dictionary(fc.constantFrom("http.host", "ssl", "ip.src"), fc.anything()),
        (text, given) => {
          expect([true, false, "unknown"]).toContain(evaluate(text, given));
          for (const each of expressions) expect([true, false, "unknown"]).toContain(evaluate(each, given));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("a value is in a set exactly when one of the ranges contains the value", () => {
  const numbers = fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(6)), { maxLength: 8 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: -25, max: 30 }), (pairs, value) => {
      const ranges = pairs.map(([from, more]) => {
        return { type: "Int", from: BigInt(from), to: BigInt(from + more) } as const;
      });
      const isIn = pairs.some(([from, more]) => value >= from && value <= from + more);
      expect(membersOf(ranges)(BigInt(value))).toBe(isIn);
    }),
  );
});
