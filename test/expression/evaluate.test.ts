import { describe, expect, test } from "vitest";
import { newBudget } from "../../src/expression/budget.js";
import { membershipWithin } from "../../src/expression/evaluate/compare.js";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import type { Truth } from "../../src/expression/value.js";
import { publishedLines, publishedText } from "../support/published.js";
import { fc } from "../support/random.js";

interface Case {
  readonly expr: string;
  readonly results: readonly boolean[];
}

const checks = "what the engine answers on eight requests";
// The file's shape is described next to it.
const cases = publishedLines("data/expression/eval.jsonl", checks) as unknown as readonly Case[];
const requests: readonly Record<string, unknown>[] = JSON.parse(
  publishedText("data/expression/requests.json", checks) ?? "[]",
);

test.skipIf(cases.length === 0)("evaluation agrees with the engine on every expression and request", () => {
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
      "knows lower and upper",
      'lower(http.host) eq "shop.example" and upper(http.host) eq "SHOP.EXAMPLE"',
      true,
    ],
    ["counts bytes", "len(http.request.uri.path) eq 12", true],
    ["compares text as UTF-8", 'ends_with(http.request.uri.path, "\\xc3\\xa9")', true],
    ["ignores case in wildcards", 'http.host wildcard "shop.*"', true],
    ["keeps case in strict wildcards", 'http.host strict wildcard "shop.*"', false],
    ["decodes URLs", 'url_decode(http.request.uri.path) eq "/a/b/caf\u00e9"', true],
    ["decodes URLs once", 'url_decode(http.request.uri.query) eq "q=%41 b"', true],
    ["decodes URLs to the end", 'url_decode(http.request.uri.query, "r") eq "q=A b"', true],
    ["takes parts", 'substring(http.host, 0, 4) eq "Shop" and substring(http.host, -7) eq "Example"', true],
    ["compares two fields", "http.host ne ip.src.country and http.host gt ip.src.country", true],
    ["compares a field with a call", "http.host eq lower(http.host)", false],
    ["compares two calls", "upper(http.host) eq upper(lower(http.host))", true],
    ["compares elements with a field", "any(http.request.headers.names[*] eq http.host)", false],
    ["compares with no field that is not given", "http.host eq http.referer", "unknown"],
    ["knows no order with what is missing", 'http.host eq http.request.headers["x"][0]', "unknown"],
    ["finds nothing equal to what is missing", 'http.request.headers["x"][0] ne http.host', false],
    [
      "takes the first that is there",
      'coalesce(http.request.headers["x"][0], http.host) eq "Shop.Example"',
      true,
    ],
    [
      "takes what is written out otherwise",
      'coalesce(lookup_json_integer(http.request.body.raw, "x"), 0) eq 0',
      true,
    ],
    ["finds nothing where nothing is there", 'coalesce(http.request.headers["x"][0]) eq "a"', false],
    ["knows no hash", "hash_in_range(0, 100, http.host) lt 10", "unknown"],
    ["knows no unknown function", 'new_function(http.host) eq "a"', "unknown"],
    ["knows no unknown field", "not cf.new.field", "unknown"],
    ["knows no unknown form", "http.host contains ip.src.country", "unknown"],
    ["decides by what is known", "ssl or new_function(http.host)", true],
    ["decides against it by what is known", "not ssl and cf.new.field eq 1", false],
    ["joins parts", 'concat(http.host, ":", ip.src.country) eq "Shop.Example:GB"', true],
    [
      "leaves out the parts that are missing",
      'concat(http.request.headers["x"][0], ip.src.country) eq "GB"',
      true,
    ],
    [
      "says no where all parts are missing",
      'concat(http.request.headers["x"][0], http.request.headers["x"][1]) ne "a"',
      false,
    ],
    [
      "leaves a digest open, which only some zones have",
      'sha256(http.host) eq "a" or sha256(http.host) ne "a"',
      "unknown",
    ],
    ["removes bytes", 'remove_bytes(http.host, "e.") eq "ShopExampl"', true],
    ["looks up JSON", 'lookup_json_string(http.request.body.raw, "company") eq "x"', true],
    ["looks up JSON by index", 'lookup_json_integer(http.request.body.raw, "sizes", 1) eq 22', true],
    ["finds nothing in JSON", 'lookup_json_string(http.request.body.raw, "nothing") ne "x"', false],
    ["masks addresses", "cidr(ip.src, 24, 64) eq 10.1.2.0", true],
    ["orders addresses", "ip.src gt 10.1.2.2 and ip.src lt 10.1.3.0", true],
    ["never orders across families", "ip.src lt ::1 or ip.src gt ::1", false],
    ["tells families apart", "ip.src ne ::1", true],
    ["masks numbers", "cf.edge.server_port & 1", true],
    ["maps over lists", 'any(lower(http.request.headers.names[*])[*] eq "host")', true],
    ["negates in lists", 'all(not http.request.headers.names[*] eq "x")', true],
    [
      "combines lists",
      'any((http.request.headers.names[*] eq "accept" and http.request.headers.names[*] ne "b"))',
      true,
    ],
    [
      "takes a list of Booleans as its elements",
      'any(starts_with(http.request.headers.names[*], "H"))',
      true,
    ],
    ["finds by index", 'http.request.headers["accept"][1] eq "text/plain"', true],
    ["says no of a missing key", 'http.request.headers["x"][0] eq "a"', false],
    ["says no of a missing key with ne too", 'http.request.headers["x"][0] ne "a"', false],
    ["says yes of what a missing key is not", 'not http.request.headers["x"][0] eq "a"', true],
    ["says no of a missing index", 'http.request.headers["accept"][9] ne "a"', false],
    ["finds all of nothing", 'all(http.request.headers["x"][*] eq "a")', true],
    ["finds none in nothing", 'any(http.request.headers["x"][*] ne "a")', false],
    ["says no of a function of what is missing", 'starts_with(http.request.headers["x"][0], "")', false],
    ["knows old names of fields", 'ip.geoip.country eq "GB"', true],
    ["leaves lists of the account open", "ip.src in $office", "unknown"],
    ["leaves open what is not given", 'http.referer eq "x"', "unknown"],
    ["decides past what is open", 'http.referer eq "x" and not ssl', false],
    ["decides past what is open with or", 'http.referer eq "x" or ssl', true],
    ["leaves xor open", 'http.referer eq "x" xor ssl', "unknown"],
    ["leaves open what is wrong", "http.host eq", "unknown"],
    ["reads expressions that are constant", "true and not false", true],
  ];
  test.each(truths)("%s: %s", (_says, expression, truth) => {
    expect(evaluate(expression, request)).toBe(truth);
  });

  test("the address and its new name answer for each other", () => {
    expect(evaluate('ip.src.country eq "GB"', { "ip.geoip.country": "GB" })).toBe(true);
    expect(evaluate("ip.geoip.asnum eq 5", { "ip.src.asnum": 5 })).toBe(true);
  });

  test("nothing that a request holds makes it fail", () => {
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

test("a value is in a set exactly when one of its ranges has it", () => {
  const numbers = fc.array(fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(6)), { maxLength: 8 });
  fc.assert(
    fc.property(numbers, fc.integer({ min: -25, max: 30 }), (pairs, value) => {
      const ranges = pairs.map(([from, more]) => {
        return { type: "Int", from: BigInt(from), to: BigInt(from + more) } as const;
      });
      const isIn = pairs.some(([from, more]) => value >= from && value <= from + more);
      expect(membershipWithin(newBudget())(BigInt(value), ranges)).toBe(isIn);
    }),
  );
});
