import { describe, expect, test } from "vitest";
import { equal } from "../../src/csp/canonical.js";
import { INLINE_KINDS } from "../../src/csp/inclusion/compare-inline.js";
import { newBudget, type Pages } from "../../src/csp/inclusion/comparison.js";
import { includes, includesOn } from "../../src/csp/inclusion/includes.js";

import { URL_CHECKS, witness } from "../../src/csp/inclusion/witness.js";

import { type Attempt, allows } from "../../src/csp/match/allows.js";

import { fc, runs, untilMet } from "../support/random.js";
import { FETCH_DIRECTIVES, hintUrls, hintValues, prefetches } from "./hint-model.js";
import { allInline, DIGESTS, inlineValues, runs as isRun } from "./inline-model.js";
import { anyLoad, collidingValue, relatedValues } from "./loads.js";
import { anyValue, twoValues } from "./values.js";

const allFetches = FETCH_DIRECTIVES.slice(1)
  .map((name) => `${name} 'self'`)
  .join("; ");

/** Writes out all other directives, so that nothing falls back. */
function withRest(directives: string): string {
  return [directives, allFetches, ...URL_KINDS.map((name) => `${name} 'self'`)].join("; ");
}

const URL_KINDS = [
  ...["script-src-elem", "connect-src", "style-src-elem", "worker-src", "img-src", "font-src", "media-src"],
  ...["object-src", "manifest-src", "frame-src", "fenced-frame-src", "form-action", "base-uri"],
  "frame-ancestors",
];

describe("includes", () => {
  const yes: [string, string, string][] = [
    ["a list with more sources", "script-src 'self' a.example", "script-src 'self'"],
    ["a value without restrictions", "", "img-src a.example"],
    ["a value with fewer directives", "script-src a.example", "script-src a.example; img-src b.example"],
    ["the host, over one of its paths", "script-src h.example", "script-src h.example/js/a.js"],
    ["the folder, over one of its files", "script-src h.example/js/", "script-src h.example/js/a/b.js"],
    ["the domain, over one of its hosts", "script-src *.example", "script-src a.b.example"],
    ["the domain, over one of its subdomains", "script-src *.example", "script-src *.b.example"],
    ["the scheme, over one of its hosts", "script-src https:", "script-src https://h.example:8443/js/"],
    [
      "http: of a host, over https: of the host",
      "script-src http://h.example",
      "script-src https://h.example",
    ],
    ["http:, over a host without a scheme", "script-src http:", "script-src h.example"],
    ["any port", "script-src h.example:*", "script-src h.example h.example:8443"],
    ["any host of a scheme without hosts", "script-src data://*", "script-src data:"],
    ["the scheme, over its default port", "script-src https://h.example", "script-src https://h.example:443"],
    ["every network host", "connect-src *", "connect-src 'self' https: wss: h.example:8443"],
    [
      "a fallback with the same sources",
      "default-src a.example",
      "script-src a.example; default-src a.example",
    ],
    ["a directive with the same fallback", "script-src a b; default-src a b c", "default-src a b"],
    ["an additional keyword", "script-src 'unsafe-inline' 'unsafe-eval'", "script-src 'unsafe-eval'"],
    ["WebAssembly, which 'unsafe-eval' allows", "script-src 'unsafe-eval'", "script-src 'wasm-unsafe-eval'"],
    ["an additional nonce", "script-src 'nonce-a' 'nonce-b'", "script-src 'nonce-b'"],
    ["a script hash that is too short to match", "script-src a", "script-src a 'sha256-AAAA'"],
    ["a style hash that is too short to match", "style-src a", "style-src a 'sha256-AAAA'"],
    ["a hash in another spelling", "script-src 'sha256-AA-_'", "script-src 'sha256-AA+/'"],
    ["one of two policies", "script-src a", "script-src a, script-src b"],
    ["a policy with the sources that two policies share", "script-src a b, script-src a c", "script-src a"],
    ["a value without its reporting directives", "script-src a", "script-src a; report-uri /r; report-to g"],
    ["a value with an additional report target", "script-src a; report-uri /r", "script-src a"],
    ["an upgrade of sources without ports", "script-src a; upgrade-insecure-requests", "script-src a"],
    ["an unknown directive", "foo-src a; script-src a", "script-src a"],
    ["a directive that browsers drop", "script-src ü.example", "script-src a"],
    [
      "an upgrade of the page's own scripts",
      "script-src 'self'; upgrade-insecure-requests",
      "script-src 'self'",
    ],
    ["a scheme that never loads scripts", "script-src 'self'", "script-src wss:"],
    ["'self' and ws: in script-src, over http:", "script-src http:", "script-src 'self' ws:"],
    ["'self' in frame-ancestors, over http:", "frame-ancestors http:", "frame-ancestors 'self'"],
    [
      "a value that does not require trusted types",
      "script-src a",
      "script-src a; require-trusted-types-for 'script'",
    ],
    ["more trusted type names", "trusted-types a b", "trusted-types a"],
    ["all trusted type names", "trusted-types * 'allow-duplicates'", ""],
    ["the same trusted type names", "trusted-types a, trusted-types a b", "trusted-types a"],
    [
      "a requirement of trusted types with an unknown keyword",
      "require-trusted-types-for 'script'",
      "require-trusted-types-for 'script' x",
    ],
    ["the same sandbox", "sandbox allow-scripts", "sandbox allow-scripts; img-src a"],
    ["nothing", "script-src 'none'", "script-src"],
    [
      "hosts that 'strict-dynamic' disables",
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
    ["only one value has the directive", "img-src a.example", ""],
    ["a fallback is narrower", "default-src a.example", "default-src a.example; connect-src b.example"],
    ["a path is narrower", "script-src h.example/js/", "script-src h.example"],
    ["a file is not its folder", "script-src h.example/js/a.js", "script-src h.example/js/"],
    ["a subdomain wildcard lacks the domain itself", "script-src *.h.example", "script-src h.example"],
    ["a host is not its domain", "script-src a.h.example", "script-src *.h.example"],
    ["a port is missing", "script-src h.example", "script-src h.example:8443"],
    ["a port is fixed", "script-src https://h.example:8443", "script-src https://h.example:*"],
    ["https: does not allow http:", "script-src https:", "script-src http:"],
    ["the page may be served over http:", "script-src https:", "script-src h.example"],
    ["https: does not allow a WebSocket", "connect-src https:", "connect-src wss://h.example"],
    ["* does not allow data:", "script-src *", "script-src data:"],
    [
      "'self' may be another host than the listed one",
      "script-src https://shop.example",
      "script-src 'self'",
    ],
    [
      "the listed host may be another one than 'self'",
      "script-src 'self'",
      "script-src https://shop.example",
    ],
    ["a nonce is missing", "script-src 'nonce-a'", "script-src 'nonce-b'"],
    ["a hash is missing", "script-src a", `script-src a '${DIGESTS.a}'`],
    ["a hash of a style is missing", "style-src a", `style-src a '${DIGESTS.a}'`],
    ["a path excludes data: URLs, which have none", "connect-src http:", "connect-src data://*"],
    ["a path is below / and data: has none", "script-src data://*:*/", "script-src data:"],
    ["'strict-dynamic' disables hosts", "script-src 'strict-dynamic' a", "script-src a"],
    ["'strict-dynamic' trusts more scripts", "script-src 'nonce-a'", "script-src 'nonce-a' 'strict-dynamic'"],
    ["inline scripts are missing", "script-src a", "script-src a 'unsafe-inline'"],
    [
      "a nonce disables 'unsafe-inline'",
      "script-src 'unsafe-inline' 'nonce-a'",
      "script-src 'unsafe-inline'",
    ],
    [
      "a nonce disables 'inline-speculation-rules'",
      "script-src 'nonce-a' 'inline-speculation-rules'",
      "script-src 'inline-speculation-rules'",
    ],
    ["eval is missing", "script-src 'wasm-unsafe-eval'", "script-src 'unsafe-eval'"],
    ["inline styles are missing", "style-src a", "style-src 'unsafe-inline'"],
    ["another directive is narrower", "img-src a", "img-src a b"],
    ["a second policy is narrower", "script-src a b, script-src a", "script-src a b"],
    [
      "an upgrade lets http: URLs pass",
      "script-src https://a",
      "script-src https://a; upgrade-insecure-requests",
    ],
    [
      "an upgrade changes the URL of a port to https:",
      "script-src http://a:8080; upgrade-insecure-requests",
      "script-src http://a:8080",
    ],
    ["an invalid directive name lets everything pass", "script-src 'none'", "\vscript-src 'none'"],
    ["the same hash differs in its padding", `script-src '${DIGESTS.a}='`, `script-src '${DIGESTS.a}'`],
    ["a listed wildcard covers the usual probe hosts", "script-src *.example", "script-src *.example b.test"],
    [
      "'self' may be on another host than the listed ones",
      "script-src *.example *.test",
      "script-src 'self'",
    ],
    ["connections may use WebSockets", "connect-src https: http:", "connect-src 'self'"],
    ["trusted types are required", "script-src a; require-trusted-types-for 'script'", "script-src a"],
    [
      "trusted types are not required, which eval of trusted types needs",
      "script-src a 'trusted-types-eval'",
      "script-src a 'trusted-types-eval'; require-trusted-types-for 'script'",
    ],
    ["trusted types have fewer names", "trusted-types a", "trusted-types a b"],
    ["only one value lists trusted type names", "trusted-types a", ""],
    ["no trusted type name is allowed", "trusted-types 'none'", "trusted-types *"],
    ["a name may be used twice in the other value", "trusted-types *", ""],
    ["fewer ancestors are allowed", "frame-ancestors 'none'", "frame-ancestors 'self'"],
  ];
  test.each(no)("is false where %s", (_, a, b) => {
    expect(includes(a, b)).toBe(false);
  });

  const open: [string, string, string][] = [
    [
      "an integrity attribute could name a valid hash and a hash that is too short",
      `script-src a '${DIGESTS.a}'`,
      `script-src a '${DIGESTS.a}' 'sha256-AAAA'`,
    ],
    ["two policies apply together", "script-src a", "script-src a b, script-src a c"],
    [
      "a nonce and a hash can be on one element",
      "script-src a",
      `script-src 'nonce-a', script-src '${DIGESTS.a}'`,
    ],
    ["there are too many policies to compare", "script-src a,".repeat(100), "script-src b,".repeat(100)],
    ["sandboxes differ", "sandbox allow-scripts", "sandbox"],
    ["trusted types differ in several policies", "trusted-types a", "trusted-types a b, trusted-types a c"],
    [
      "trusted types differ while scripts are disabled",
      "script-src 'none'; require-trusted-types-for 'script'",
      "script-src 'none'",
    ],
    [
      "Chromium lets a page prefetch a URL that a worker's 'strict-dynamic' allows",
      `default-src 'self'; worker-src 'none'; ${allFetches}`,
      `default-src 'self'; worker-src 'strict-dynamic'; ${allFetches}, worker-src 'none'`,
    ],
    ["only default-src differs, which prefetching asks for", `default-src 'none'; ${allFetches}`, allFetches],
  ];
  test.each(open)("is unknown where %s", (_, a, b) => {
    expect(includes(a, b)).toBe("unknown");
  });

  const shop = { schemes: ["https", "http"], hosts: [{ match: "exact", text: "shop.example" }] } as const;
  const below = { schemes: ["https"], hosts: [{ match: "subdomains", text: ".shop.example" }] } as const;
  const there: [string, Pages, string, string, ReturnType<typeof includes>][] = [
    ["the page's host is 'self'", shop, "script-src 'self'", "script-src 'self' shop.example", true],
    ["'self' is one of the domain's hosts", shop, "script-src *.example", "script-src 'self'", true],
    [
      "'self' includes WebSockets of the page's host",
      shop,
      "connect-src *.example",
      "connect-src 'self'",
      false,
    ],
    [
      "another port of the host is not 'self'",
      shop,
      "script-src 'self'",
      "script-src shop.example:8443",
      false,
    ],
    ["another host is not 'self'", shop, "script-src 'self'", "script-src www.shop.example", false],
    ["a path covers only a part of 'self'", shop, "script-src shop.example/js/", "script-src 'self'", false],
    [
      "several sources together cover 'self'",
      shop,
      "script-src http://shop.example https://shop.example",
      "script-src 'self'",
      true,
    ],
    [
      "'self' of an http: page includes http:",
      shop,
      "script-src https://shop.example",
      "script-src 'self'",
      false,
    ],
    [
      "pages are only served over https:",
      { ...shop, schemes: ["https"] },
      "script-src https://shop.example",
      "script-src 'self'",
      true,
    ],
    ["all pages are subdomains of one name", below, "script-src *.shop.example", "script-src 'self'", true],
    ["other subdomains are not 'self'", below, "script-src 'self'", "script-src *.shop.example", false],
    [
      "an upgrade turns an https: port into 'self' of an http: page",
      { ...shop, schemes: ["http"] },
      "script-src 'self'",
      "script-src 'self'; upgrade-insecure-requests",
      "unknown",
    ],
    ["no page needs an http: source", below, "script-src https://a.test", "script-src a.test", true],
  ];
  test.each(there)("uses what is known of the pages: %s", (_, pages, a, b, answer) => {
    expect(includesOn(pages, a, b)).toBe(answer);
  });

  test("agrees with allows on the given pages", async () => {
    const page = fc.constantFrom("https://page.example/", "http://page.example/");
    const own = { schemes: ["https", "http"], hosts: [{ match: "exact", text: "page.example" }] } as const;
    const loads = fc.array(fc.tuple(anyLoad, page), { minLength: 20, maxLength: 20 });
    await untilMet(
      { decided: runs(500) },
      (met) =>
        fc.property(relatedValues, loads, ([a, b], tried) => {
          if (includesOn(own, a, b) !== true) return;
          met("decided");
          const only = tried
            .map(([load, on]) => ({ ...load, page: on }))
            .filter(
              (load) =>
                isPossible(load) &&
                allows({ ...load, csp: b }).allowed === true &&
                allows({ ...load, csp: a }).allowed === false,
            );
          expect(only).toEqual([]);
        }),
      runs(2000),
    );
  });

  test.each(URL_KINDS)("is false where only %s is narrower", (name) => {
    expect(URL_CHECKS.map(({ effective }) => effective).sort()).toEqual([...URL_KINDS].sort());
    expect(includes(withRest(""), withRest(`${name} 'none'`))).toBe(true);
    expect(includes(withRest(`${name} 'none'`), withRest(""))).toBe(false);
  });

  const inline: readonly (readonly [string, string, string])[] = [
    ["scripts", "script-src-elem 'self'", "script-src-elem 'self' 'unsafe-inline'"],
    [
      "javascript: URLs",
      `script-src-elem '${DIGESTS.a}'; script-src-attr 'none'`,
      `script-src-elem 'unsafe-hashes' '${DIGESTS.a}'; script-src-attr 'none'`,
    ],
    ["speculation rules", "script-src-elem 'self'", "script-src-elem 'self' 'inline-speculation-rules'"],
    ["event handlers", "script-src-attr 'self'", "script-src-attr 'unsafe-inline'"],
    ["event handlers", `script-src-attr '${DIGESTS.a}'`, `script-src-attr 'unsafe-hashes' '${DIGESTS.a}'`],
    ["styles by CSP3", "style-src-elem 'self'", "style-src-elem 'self' 'unsafe-inline'"],
    ["styles in Chromium", "style-src-elem 'self'", "style-src-elem 'self' 'unsafe-inline'"],
    ["style attributes by CSP3", "style-src-attr 'self'", "style-src-attr 'unsafe-inline'"],
    [
      "style attributes in Chromium",
      `style-src-attr '${DIGESTS.a}'`,
      `style-src-attr 'unsafe-hashes' '${DIGESTS.a}'`,
    ],
    ["eval", "script-src 'self' 'wasm-unsafe-eval' 'trusted-types-eval'", "script-src 'self' 'unsafe-eval'"],
    ["WebAssembly", "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'"],
    ["eval of trusted types", "script-src 'self'", "script-src 'self' 'trusted-types-eval'"],
    [
      "eval of trusted types, if hashes limit it",
      "script-src 'self'",
      "script-src 'self' 'trusted-types-eval'",
    ],
    [
      "eval of trusted types, if no other value requires them",
      "script-src 'self'; require-trusted-types-for 'script'",
      "script-src 'self' 'trusted-types-eval'; require-trusted-types-for 'script'",
    ],
    [
      "eval of trusted types, if hashes limit it and no other value requires them",
      "script-src 'self'; require-trusted-types-for 'script'",
      "script-src 'self' 'trusted-types-eval'; require-trusted-types-for 'script'",
    ],
  ];
  test.each(inline)("is false where only %s are restricted further", (_, a, b) => {
    expect(INLINE_KINDS.map(({ name }) => name)).toEqual([...new Set(inline.map(([name]) => name))]);
    expect(includes(withRest(b), withRest(a))).toBe(true);
    expect(includes(withRest(a), withRest(b))).toBe(false);
  });

  const fallback: [string, string, string, string][] = [
    ["styles", "Chromium", "'unsafe-inline' 'strict-dynamic'", "'unsafe-inline'"],
    ["styles", "CSP3", "'strict-dynamic'", "'unsafe-inline' 'strict-dynamic'"],
    ["style attributes", "Chromium", "'unsafe-inline' 'strict-dynamic'", "'unsafe-inline'"],
    ["style attributes", "CSP3", "'strict-dynamic'", "'unsafe-inline' 'strict-dynamic'"],
  ];
  test.each(fallback)(
    "is false where only the %s fallback restricts inline content further, by %s",
    (what, _, a, b) => {
      const other = what === "styles" ? "style-src-attr" : "style-src-elem";
      const rest = `script-src 'self'; worker-src 'self'; ${other} 'none'`;
      expect(includes(`default-src ${a}; ${rest}`, `default-src ${b}; ${rest}`)).toBe(false);
    },
  );

  test("is true of a value and the same value with reporting", () => {
    fc.assert(
      fc.property(fc.oneof(anyValue, collidingValue), (text) => {
        expect(includes(text, text)).toBe(true);
        expect(includes(text, `${text};report-uri /r`)).toBe(true);
        expect(includes(`${text};report-uri /r`, text)).toBe(true);
      }),
    );
  });

  test("is true in both directions for equal values", () => {
    fc.assert(
      fc.property(fc.oneof(twoValues, relatedValues), ([a, b]) => {
        fc.pre(equal(a, b));
        expect([includes(a, b), includes(b, a)]).toEqual([true, true]);
      }),
      { numRuns: 50 },
    );
  });

  test("agrees with allows", async () => {
    await untilMet(
      { decided: runs(500) },
      (met) =>
        fc.property(relatedValues, fc.array(anyLoad, { minLength: 20, maxLength: 20 }), ([a, b], loads) => {
          if (includes(a, b) !== true) return;
          met("decided");
          const only = loads.filter(
            (load) =>
              isPossible(load) &&
              allows({ ...load, csp: b }).allowed === true &&
              allows({ ...load, csp: a }).allowed === false,
          );
          expect(only).toEqual([]);
        }),
      runs(2000),
    );
  });

  test("agrees with a model of inline content", async () => {
    await untilMet(
      { decided: runs(100) },
      (met) =>
        fc.property(inlineValues, ([a, b]) => {
          if (includes(a, b) !== true) return;
          met("decided");
          for (const reading of ["CSP3", "Chromium"] as const) {
            expect(allInline.filter((each) => isRun(b, each, reading) && !isRun(a, each, reading))).toEqual(
              [],
            );
          }
        }),
      runs(2000),
    );
  });

  test("agrees with a model of prefetching", async () => {
    await untilMet(
      { decided: runs(200) },
      (met) =>
        fc.property(hintValues, ([a, b]) => {
          if (includes(a, b) !== true) return;
          met("decided");
          for (const reading of ["CSP3", "Chromium"] as const) {
            for (const page of ["https://page.example/", "http://page.example/"]) {
              const only = hintUrls.filter(
                (url) => prefetches(b, page, url, reading) && !prefetches(a, page, url, reading),
              );
              expect(only).toEqual([]);
            }
          }
        }),
      runs(1000),
    );
  });

  test("is transitive unless unknown", async () => {
    await untilMet(
      { chains: runs(50) },
      (met) =>
        fc.property(relatedValues, collidingValue, ([a, b], c) => {
          for (const [x, y, z] of [
            [a, b, c],
            [c, a, b],
            [a, c, b],
          ] as const) {
            if (includes(x, y) !== true || includes(y, z) !== true) continue;
            met("chains");
            expect(includes(x, z)).not.toBe(false);
          }
        }),
      runs(1500),
    );
  });
});

/** Only connections use ws: and wss: URLs. */
function isPossible({ kind, url, redirectedTo = "" }: Omit<Attempt, "csp">): boolean {
  return kind === "connection" || ![url, redirectedTo].some((each) => /^wss?:/.test(each));
}

describe("the cost of includes", () => {
  const hosts = (count: number, name: string, path = "") =>
    `script-src ${Array.from({ length: count }, (_, at) => `${name}${at}.example${path}`).join(" ")}`;
  const policies = (count: number, sources: number, name: string) =>
    Array.from({ length: count }, (_, at) => hosts(sources, `${name}${at}x`)).join(", ");
  const stepsOf = (a: string, b: string) => {
    const budget = newBudget();
    const all = budget.leftSteps;
    const answer = includes(a, b, budget);
    return { answer, steps: all - budget.leftSteps };
  };

  const linear: [string, (size: number) => [string, string], boolean][] = [
    ["paths of the listed hosts", (size) => [hosts(size, "h"), hosts(size, "h", "/js/")], true],
    ["subdomains", (size) => [`${hosts(size, "h")} *.example`, hosts(size, "i")], true],
    ["one additional host", (size) => [hosts(size, "h"), `${hosts(size, "h")} z.test`], false],
    ["an upgrade", (size) => [`${hosts(size, "h")}; upgrade-insecure-requests`, hosts(size, "h")], true],
  ];
  test.each(linear)("grows linearly with the list: %s", (_, make, answer) => {
    const [one, two] = [stepsOf(...make(1_000)), stepsOf(...make(2_000))];
    expect([one.answer, two.answer]).toEqual([answer, answer]);
    expect(two.steps / one.steps).toBeLessThan(2.3);
  });

  test("is paid once when several directives share a list", () => {
    const [a, b] = [hosts(500, "h"), hosts(500, "h", "/js/")];
    const [one, all] = [
      stepsOf(a, b),
      stepsOf(a.replace("script", "default"), b.replace("script", "default")),
    ];
    expect([one.answer, all.answer]).toEqual([true, true]);
    expect(all.steps / one.steps).toBeLessThan(1.3);
  });

  const dear: [string, string, string][] = [
    ["many policies with many sources", policies(15, 300, "a"), policies(15, 300, "b")],
    [
      "many ports",
      hosts(2_000, "*:1").replaceAll(".example", ""),
      hosts(2_000, "*:2").replaceAll(".example", ""),
    ],
    ["many paths of one host", hosts(2_000, "h/a"), hosts(2_000, "h/b")],
    ["very long values", hosts(50_000, "a"), hosts(50_000, "b")],
  ];
  test.each(dear)("is limited, and the answer beyond the limit is unknown: %s", (_, a, b) => {
    expect(includes(a, b)).toBe("unknown");
  });

  test("either leaves the answer unchanged or makes it unknown when limited", async () => {
    await untilMet(
      { undecided: runs(50) },
      (met) =>
        fc.property(relatedValues, fc.nat({ max: 4_000 }), ([a, b], leftSteps) => {
          const answer = includes(a, b, { leftSteps });
          if (answer === "unknown") met("undecided");
          else expect(answer).toBe(includes(a, b));
        }),
      runs(500),
    );
  });
});

describe("witness", () => {
  test("prefers a script to a connection", () => {
    expect(witness("default-src 'self'", "default-src 'self' https://a.example")).toMatchObject({
      kind: "script",
      url: "https://a.example/probe.js",
    });
    expect(witness("connect-src 'self'", "connect-src 'self' wss://a.example")).toMatchObject({
      kind: "connection",
      url: "wss://a.example/probe.js",
    });
  });

  test("uses the given pages", () => {
    const pages = ["https://shop.example/cart"];
    expect(witness("script-src https://shop.example", "script-src 'self'", pages)).toBeNull();
    expect(witness("script-src https://a.example", "script-src 'self'", pages)).toMatchObject({
      page: "https://shop.example/cart",
      url: "https://shop.example/probe.js",
    });
    expect(witness("script-src 'self'", "", ["no page", "data:,x"])).toBeNull();
  });

  test("is a load that the first value refuses and the second allows", async () => {
    await untilMet(
      { found: runs(100) },
      (met) =>
        fc.property(relatedValues, ([a, b]) => {
          const load = witness(a, b);
          if (load === null) return;
          met("found");
          expect(includes(a, b)).toBe(false);
          expect(allows(load).allowed).toBe(false);
          expect(allows({ ...load, csp: b }).allowed).toBe(true);
        }),
      runs(1000),
    );
  });
});
