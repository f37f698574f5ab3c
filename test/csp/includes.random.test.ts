import { describe, expect, test } from "vitest";
import { equal } from "../../src/csp/diff.js";
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

/** Everything else is the same and written out. */
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
    ["any host of what has none", "script-src data://*", "script-src data:"],
    ["the port that is default", "script-src https://h.example", "script-src https://h.example:443"],
    ["everything on the network", "connect-src *", "connect-src 'self' https: wss: h.example:8443"],
    ["what falls back", "default-src a.example", "script-src a.example; default-src a.example"],
    ["a directive with the same fallback", "script-src a b; default-src a b c", "default-src a b"],
    ["a keyword too many", "script-src 'unsafe-inline' 'unsafe-eval'", "script-src 'unsafe-eval'"],
    ["scripts that eval lets compile", "script-src 'unsafe-eval'", "script-src 'wasm-unsafe-eval'"],
    ["a nonce too many", "script-src 'nonce-a' 'nonce-b'", "script-src 'nonce-b'"],
    ["a hash that is too short to be one", "script-src a", "script-src a 'sha256-AAAA'"],
    ["a hash of a style that is too short to be one", "style-src a", "style-src a 'sha256-AAAA'"],
    ["a hash spelt otherwise", "script-src 'sha256-AA-_'", "script-src 'sha256-AA+/'"],
    ["one of two policies", "script-src a", "script-src a, script-src b"],
    ["both policies", "script-src a b, script-src a c", "script-src a"],
    ["what reports", "script-src a", "script-src a; report-uri /r; report-to g"],
    ["what is reported elsewhere", "script-src a; report-uri /r", "script-src a"],
    ["an upgrade where nothing is named by port", "script-src a; upgrade-insecure-requests", "script-src a"],
    ["an unknown directive", "foo-src a; script-src a", "script-src a"],
    ["a directive that browsers drop", "script-src ü.example", "script-src a"],
    [
      "an upgrade of the page's own scripts",
      "script-src 'self'; upgrade-insecure-requests",
      "script-src 'self'",
    ],
    ["sources by which nothing is fetched", "script-src 'self'", "script-src wss:"],
    ["what is fetched over http: and https:", "script-src http:", "script-src 'self' ws:"],
    ["what embeds the page over http: and https:", "frame-ancestors http:", "frame-ancestors 'self'"],
    [
      "trusted types that are not required",
      "script-src a",
      "script-src a; require-trusted-types-for 'script'",
    ],
    ["more names of trusted types", "trusted-types a b", "trusted-types a"],
    ["all names of trusted types", "trusted-types * 'allow-duplicates'", ""],
    ["the same names of trusted types", "trusted-types a, trusted-types a b", "trusted-types a"],
    [
      "trusted types that are required twice",
      "require-trusted-types-for 'script'",
      "require-trusted-types-for 'script' x",
    ],
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
    ["a hash is missing", "script-src a", `script-src a '${DIGESTS.a}'`],
    ["a hash of a style is missing", "style-src a", `style-src a '${DIGESTS.a}'`],
    ["data: has no port", "connect-src http:", "connect-src data://*"],
    ["a path is below / and data: has none", "script-src data://*:*/", "script-src data:"],
    ["'strict-dynamic' voids hosts", "script-src 'strict-dynamic' a", "script-src a"],
    ["'strict-dynamic' trusts more", "script-src 'nonce-a'", "script-src 'nonce-a' 'strict-dynamic'"],
    ["inline scripts are missing", "script-src a", "script-src a 'unsafe-inline'"],
    [
      "a nonce switches 'unsafe-inline' off",
      "script-src 'unsafe-inline' 'nonce-a'",
      "script-src 'unsafe-inline'",
    ],
    [
      "a nonce switches 'inline-speculation-rules' off",
      "script-src 'nonce-a' 'inline-speculation-rules'",
      "script-src 'inline-speculation-rules'",
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
    ["only the first counts at all", "script-src 'none'", "\vscript-src 'none'"],
    ["one hash more is padded as it should be", `script-src '${DIGESTS.a}='`, `script-src '${DIGESTS.a}'`],
    ["a list has the hosts that examples are on", "script-src *.example", "script-src *.example b.test"],
    ["'self' is on another host than those listed", "script-src *.example *.test", "script-src 'self'"],
    ["connections go over WebSockets too", "connect-src https: http:", "connect-src 'self'"],
    ["trusted types are required", "script-src a; require-trusted-types-for 'script'", "script-src a"],
    [
      "trusted types are not required, without which eval of them is refused",
      "script-src a 'trusted-types-eval'",
      "script-src a 'trusted-types-eval'; require-trusted-types-for 'script'",
    ],
    ["trusted types have fewer names", "trusted-types a", "trusted-types a b"],
    ["trusted types have names at all", "trusted-types a", ""],
    ["trusted types have no name", "trusted-types 'none'", "trusted-types *"],
    ["no name is for two trusted types", "trusted-types *", ""],
    ["ancestors are fewer", "frame-ancestors 'none'", "frame-ancestors 'self'"],
  ];
  test.each(no)("is false where %s", (_, a, b) => {
    expect(includes(a, b)).toBe(false);
  });

  const open: [string, string, string][] = [
    [
      "an integrity attribute could name a hash that is too short beside one that is not",
      `script-src a '${DIGESTS.a}'`,
      `script-src a '${DIGESTS.a}' 'sha256-AAAA'`,
    ],
    ["two policies have to be read together", "script-src a", "script-src a b, script-src a c"],
    [
      "a nonce and a hash can be on one element",
      "script-src a",
      `script-src 'nonce-a', script-src '${DIGESTS.a}'`,
    ],
    ["there are too many policies", "script-src a,".repeat(100), "script-src b,".repeat(100)],
    ["sandboxes differ", "sandbox allow-scripts", "sandbox"],
    ["trusted types differ in several policies", "trusted-types a", "trusted-types a b, trusted-types a c"],
    [
      "trusted types differ where no script runs",
      "script-src 'none'; require-trusted-types-for 'script'",
      "script-src 'none'",
    ],
    [
      "Chromium lets a page prefetch what a worker's 'strict-dynamic' allows",
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
      "'self' is the page's host over WebSockets too",
      shop,
      "connect-src *.example",
      "connect-src 'self'",
      false,
    ],
    [
      "the host at another port is not 'self'",
      shop,
      "script-src 'self'",
      "script-src shop.example:8443",
      false,
    ],
    ["another host is not 'self'", shop, "script-src 'self'", "script-src www.shop.example", false],
    ["a path has not all of 'self'", shop, "script-src shop.example/js/", "script-src 'self'", false],
    [
      "several sources together have 'self'",
      shop,
      "script-src http://shop.example https://shop.example",
      "script-src 'self'",
      true,
    ],
    [
      "an http: page has 'self' over http:",
      shop,
      "script-src https://shop.example",
      "script-src 'self'",
      false,
    ],
    [
      "no page is over http:",
      { ...shop, schemes: ["https"] },
      "script-src https://shop.example",
      "script-src 'self'",
      true,
    ],
    ["all pages are below one name", below, "script-src *.shop.example", "script-src 'self'", true],
    [
      "the other hosts below a name are not 'self'",
      below,
      "script-src 'self'",
      "script-src *.shop.example",
      false,
    ],
    [
      "an upgrade leads from the port of https: to 'self' on a page over http:",
      { ...shop, schemes: ["http"] },
      "script-src 'self'",
      "script-src 'self'; upgrade-insecure-requests",
      "unknown",
    ],
    ["no page needs a scheme of http:", below, "script-src https://a.test", "script-src a.test", true],
  ];
  test.each(there)("knows pages: %s", (_, pages, a, b, answer) => {
    expect(includesOn(pages, a, b)).toBe(answer);
  });

  test("is never contradicted by what is allowed on the pages in question", async () => {
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

  test.each(URL_KINDS)("is not true where only %s is narrower", (name) => {
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
  test.each(inline)("is not true where only %s are fewer", (_, a, b) => {
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
  test.each(fallback)("is not true where inline %s are fewer by %s alone", (what, _, a, b) => {
    const other = what === "styles" ? "style-src-attr" : "style-src-elem";
    const rest = `script-src 'self'; worker-src 'self'; ${other} 'none'`;
    expect(includes(`default-src ${a}; ${rest}`, `default-src ${b}; ${rest}`)).toBe(false);
  });

  test("is true of a value and the same one with what browsers ignore", () => {
    fc.assert(
      fc.property(fc.oneof(anyValue, collidingValue), (text) => {
        expect(includes(text, text)).toBe(true);
        expect(includes(text, `${text};report-uri /r`)).toBe(true);
        expect(includes(`${text};report-uri /r`, text)).toBe(true);
      }),
    );
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

  test("is never contradicted by what is allowed", async () => {
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

  test("is never contradicted by what runs inline", async () => {
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

  test("is never contradicted by what is prefetched", async () => {
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

  test("is transitive where it is decided", async () => {
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

/** Nothing but a connection is asked for over ws: or wss:. */
function isPossible({ kind, url, redirectedTo = "" }: Omit<Attempt, "csp">): boolean {
  return kind === "connection" || ![url, redirectedTo].some((each) => /^wss?:/.test(each));
}

describe("what includes may cost", () => {
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
    ["paths below its hosts", (size) => [hosts(size, "h"), hosts(size, "h", "/js/")], true],
    ["subdomains", (size) => [`${hosts(size, "h")} *.example`, hosts(size, "i")], true],
    ["one host more", (size) => [hosts(size, "h"), `${hosts(size, "h")} z.test`], false],
    ["an upgrade", (size) => [`${hosts(size, "h")}; upgrade-insecure-requests`, hosts(size, "h")], true],
  ];
  test.each(linear)("grows as the list does: %s", (_, make, answer) => {
    const [one, two] = [stepsOf(...make(1_000)), stepsOf(...make(2_000))];
    expect([one.answer, two.answer]).toEqual([answer, answer]);
    expect(two.steps / one.steps).toBeLessThan(2.3);
  });

  test("is paid once for a list that several directives share", () => {
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
    ["many paths of a host", hosts(2_000, "h/a"), hosts(2_000, "h/b")],
    ["very long values", hosts(50_000, "a"), hosts(50_000, "b")],
  ];
  test.each(dear)("leaves the answer unknown beyond a limit: %s", (_, a, b) => {
    expect(includes(a, b)).toBe("unknown");
  });

  test("changes an answer to unknown alone", async () => {
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

  test("is refused by the first value and allowed by the second", async () => {
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
