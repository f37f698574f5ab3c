import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allows, equal, includes, witness } from "../../src/csp/index.js";
import { anyLoad, collidingValue, relatedValues } from "./loads.js";
import { anyValue, twoValues } from "./values.js";

describe("includes", () => {
  const yes: [string, string, string][] = [
    ["a list with more sources", "script-src 'self' a.example", "script-src 'self'"],
    ["a value that does not restrict", "", "img-src a.example"],
    ["a value with fewer directives", "script-src a.example", "script-src a.example; img-src b.example"],
    ["the host of a path", "script-src h.example", "script-src h.example/js/a.js"],
    ["the folder of a path", "script-src h.example/js/", "script-src h.example/js/a/b.js"],
    ["the domain of a host", "script-src *.example", "script-src a.b.example"],
    ["the domain of a domain", "script-src *.example", "script-src *.b.example"],
    ["the scheme of a host", "script-src https:", "script-src https://h.example:8443/js/"],
    ["the insecure scheme of a host", "script-src http://h.example", "script-src https://h.example"],
    ["any page's scheme", "script-src http:", "script-src h.example"],
    ["any port", "script-src h.example:*", "script-src h.example h.example:8443"],
    ["the port that is default", "script-src https://h.example", "script-src https://h.example:443"],
    ["everything on the network", "connect-src *", "connect-src 'self' https: wss: h.example:8443"],
    ["what falls back", "default-src a.example", "script-src a.example; default-src a.example"],
    ["a directive with the same fallback", "script-src a b; default-src a b c", "default-src a b"],
    ["a keyword too many", "script-src 'unsafe-inline' 'unsafe-eval'", "script-src 'unsafe-eval'"],
    ["scripts that eval lets compile", "script-src 'unsafe-eval'", "script-src 'wasm-unsafe-eval'"],
    ["a nonce too many", "script-src 'nonce-a' 'nonce-b'", "script-src 'nonce-b'"],
    ["a hash spelt otherwise", "script-src 'sha256-AA-_'", "script-src 'sha256-AA+/'"],
    ["one of two policies", "script-src a", "script-src a, script-src b"],
    ["both policies", "script-src a b, script-src a c", "script-src a"],
    ["what reports", "script-src a", "script-src a; report-uri /r; report-to g"],
    ["what is reported elsewhere", "script-src a; report-uri /r", "script-src a"],
    ["an upgrade where nothing is named by port", "script-src a; upgrade-insecure-requests", "script-src a"],
    ["an unknown directive", "foo-src a; script-src a", "script-src a"],
    ["a directive that browsers drop", "script-src ü.example", "script-src a"],
    ["the same sandbox", "sandbox allow-scripts", "sandbox allow-scripts; img-src a"],
    ["nothing", "script-src 'none'", "script-src"],
    [
      "hosts that 'strict-dynamic' voids",
      "script-src 'strict-dynamic'",
      "script-src 'strict-dynamic' a https:",
    ],
  ];
  test.each(yes)("is true of %s", (_, a, b) => {
    expect(includes(a, b)).toBe(true);
    expect(witness(a, b)).toBeNull();
  });

  const no: [string, string, string][] = [
    ["a source is missing", "script-src 'self'", "script-src 'self' a.example"],
    ["a directive is there instead of none", "img-src a.example", ""],
    ["a fallback is narrower", "default-src a.example", "default-src a.example; connect-src b.example"],
    ["a path is narrower", "script-src h.example/js/", "script-src h.example"],
    ["a file is not its folder", "script-src h.example/js/a.js", "script-src h.example/js/"],
    ["a domain does not have its own name", "script-src *.h.example", "script-src h.example"],
    ["a host is not its domain", "script-src a.h.example", "script-src *.h.example"],
    ["a port is missing", "script-src h.example", "script-src h.example:8443"],
    ["a port is fixed", "script-src https://h.example:8443", "script-src https://h.example:*"],
    ["https: is not http:", "script-src https:", "script-src http:"],
    ["a page may be on http:", "script-src https:", "script-src h.example"],
    ["a WebSocket is not https:", "connect-src https:", "connect-src wss://h.example"],
    ["* has no data:", "script-src *", "script-src data:"],
    ["'self' is another host elsewhere", "script-src https://shop.example", "script-src 'self'"],
    ["a host is not 'self' elsewhere", "script-src 'self'", "script-src https://shop.example"],
    ["a nonce is missing", "script-src 'nonce-a'", "script-src 'nonce-b'"],
    ["a hash is missing", "script-src a", "script-src a 'sha256-AAAA'"],
    ["'strict-dynamic' voids hosts", "script-src 'strict-dynamic' a", "script-src a"],
    ["'strict-dynamic' trusts more", "script-src 'nonce-a'", "script-src 'nonce-a' 'strict-dynamic'"],
    ["inline scripts are missing", "script-src a", "script-src a 'unsafe-inline'"],
    [
      "a nonce switches 'unsafe-inline' off",
      "script-src 'unsafe-inline' 'nonce-a'",
      "script-src 'unsafe-inline'",
    ],
    ["eval is missing", "script-src 'wasm-unsafe-eval'", "script-src 'unsafe-eval'"],
    ["inline styles are missing", "style-src a", "style-src 'unsafe-inline'"],
    ["another directive is narrower", "img-src a", "img-src a b"],
    ["a second policy is narrower", "script-src a b, script-src a", "script-src a b"],
    [
      "an upgrade makes http: pass",
      "script-src https://a",
      "script-src https://a; upgrade-insecure-requests",
    ],
    [
      "an upgrade moves a port to https:",
      "script-src http://a:8080; upgrade-insecure-requests",
      "script-src http://a:8080",
    ],
    ["ancestors are fewer", "frame-ancestors 'none'", "frame-ancestors 'self'"],
  ];
  test.each(no)("is false where %s", (_, a, b) => {
    expect(includes(a, b)).toBe(false);
  });

  const open: [string, string, string][] = [
    ["two policies have to be read together", "script-src a", "script-src a b, script-src a c"],
    [
      "a nonce and a hash can be on one element",
      "script-src a",
      "script-src 'nonce-a', script-src 'sha256-AAAA'",
    ],
    ["there are too many policies", "script-src a,".repeat(100), "script-src b,".repeat(100)],
    [
      "an upgrade moves 'self' at port 443 to another origin",
      "script-src 'self'; upgrade-insecure-requests",
      "script-src 'self'",
    ],
    ["sandboxes differ", "sandbox allow-scripts", "sandbox"],
    ["trusted types differ", "trusted-types a", ""],
  ];
  test.each(open)("is unknown where %s", (_, a, b) => {
    expect(includes(a, b)).toBe("unknown");
  });

  test("is true of a value and itself, however odd", () => {
    fc.assert(fc.property(fc.oneof(anyValue, collidingValue), (text) => includes(text, text) === true));
  });

  test("is true both ways of equal values", () => {
    fc.assert(
      fc.property(fc.oneof(twoValues, relatedValues), ([a, b]) => {
        fc.pre(equal(a, b));
        expect([includes(a, b), includes(b, a)]).toEqual([true, true]);
      }),
      { numRuns: 50 },
    );
  });

  test("is never contradicted by what is allowed", () => {
    let decided = 0;
    fc.assert(
      fc.property(relatedValues, fc.array(anyLoad, { minLength: 20, maxLength: 20 }), ([a, b], loads) => {
        if (includes(a, b) !== true) return;
        decided += 1;
        const only = loads.filter(
          (load) => allows({ ...load, csp: b }).allowed && !allows({ ...load, csp: a }).allowed,
        );
        expect(only).toEqual([]);
      }),
      { numRuns: 2000 },
    );
    expect(decided).toBeGreaterThan(500);
  });

  test("is transitive where it is decided", () => {
    let chains = 0;
    fc.assert(
      fc.property(relatedValues, collidingValue, ([a, b], c) => {
        for (const [x, y, z] of [
          [a, b, c],
          [c, a, b],
          [a, c, b],
        ] as const) {
          if (includes(x, y) !== true || includes(y, z) !== true) continue;
          chains += 1;
          expect(includes(x, z)).not.toBe(false);
        }
      }),
      { numRuns: 1500 },
    );
    expect(chains).toBeGreaterThan(50);
  });
});

describe("witness", () => {
  test("is a script before it is a connection", () => {
    expect(witness("default-src 'self'", "default-src 'self' https://a.example")).toMatchObject({
      kind: "script",
      url: "https://a.example/probe.js",
    });
    expect(witness("connect-src 'self'", "connect-src 'self' wss://a.example")).toMatchObject({
      kind: "connection",
      url: "wss://a.example/probe.js",
    });
  });

  test("is tried on the pages that are given", () => {
    const pages = ["https://shop.example/cart"];
    expect(witness("script-src https://shop.example", "script-src 'self'", pages)).toBeNull();
    expect(witness("script-src https://a.example", "script-src 'self'", pages)).toMatchObject({
      page: "https://shop.example/cart",
      url: "https://shop.example/probe.js",
    });
    expect(witness("script-src 'self'", "", ["no page", "data:,x"])).toBeNull();
  });

  test("is refused by the first value and allowed by the second", () => {
    let found = 0;
    fc.assert(
      fc.property(relatedValues, ([a, b]) => {
        const load = witness(a, b);
        if (load === null) return;
        found += 1;
        expect(includes(a, b)).toBe(false);
        expect(allows(load).allowed).toBe(false);
        expect(allows({ ...load, csp: b }).allowed).toBe(true);
      }),
      { numRuns: 1000 },
    );
    expect(found).toBeGreaterThan(100);
  });
});
