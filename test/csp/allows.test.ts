import { describe, expect, test } from "vitest";
import { type Attempt, allows, allowsLoad, compile, prepare } from "../../src/csp/match/allows.js";

import { explain } from "../../src/csp/match/explain.js";
import { oneLine } from "../../src/csp/syntax.js";
import { attemptOf, cspVerdicts } from "../support/published.js";
import { fc } from "../support/random.js";
import { anyLoad, collidingValue } from "./loads.js";
import { anyValue } from "./values.js";

const page = "https://page.example/";
const script = (csp: string, url: string, more: Partial<Attempt> = {}): Attempt => ({
  page,
  csp,
  kind: "script",
  url,
  ...more,
});
const connection = (csp: string, url: string, more: Partial<Attempt> = {}) =>
  script(csp, url, { kind: "connection", ...more });

const observations = cspVerdicts("what a browser allows");

describe.skipIf(observations.length === 0)("Chromium's recorded verdicts", () => {
  test("agree with allows on the verdict and on the refusing directive", () => {
    const told = observations.map((each) => ({ id: each.id, ...allows(attemptOf(each)) }));
    expect(told.map(({ id, allowed, directive }) => ({ id, allowed, directive }))).toEqual(
      observations.map(({ id, allowed, directive = null }) => ({ id, allowed, directive })),
    );
  });

  test("agree with allows, or allows answers unknown, when the API of a connection is unknown", () => {
    const wrong = observations.filter((each) => {
      const { api: _, ...attempt } = attemptOf(each);
      return ![each.allowed, "unknown"].includes(allows(attempt).allowed);
    });
    expect(wrong).toEqual([]);
  });
});

test("changing a returned verdict does not change later verdicts", () => {
  const attempt = script("script-src own.example", "https://own.example/a.js");
  const [decision] = allows(attempt).policies;
  Object.assign(decision?.source ?? {}, { text: "changed" });
  expect(allows(attempt).policies[0]?.source?.text).toBe("own.example");
});

/** The length of a sha256 digest in base64. */
const whole = "A".repeat(43);

describe("allows", () => {
  const yes: [string, Attempt][] = [
    ["any URL without a policy", script("", "https://a.example/")],
    ["a URL that is relative to the page", script("script-src 'self'", "/js/a.js")],
    [
      "the second of two nonces, ignoring spaces around it",
      script("script-src 'nonce-a' 'nonce-B'", "data:,x", { nonce: " B\n" }),
    ],
    [
      "a script whose integrity hashes are all listed",
      script(`script-src 'sha256-${whole}=' 'sha384-BB-_'`, "https://a.example/", {
        integrity: ` sha384-BB+/?x  garbage\tsha256-${whole} `,
      }),
    ],
    [
      "a script that another script inserts, with 'strict-dynamic'",
      script("script-src 'strict-dynamic'", "data:,x", { inserted: "script" }),
    ],
    [
      "'self' on a page with a blob: URL",
      script("script-src 'self'", "https://a.example/x", { page: "blob:https://a.example/1" }),
    ],
    [
      "a file: URL with 'self' on a file: page",
      script("script-src 'self'", "file:///b.js", { page: "file:///a.html" }),
    ],
    ["the page's own scheme with *", script("script-src *", "foo:x", { page: "foo:bar" })],
    [
      "a redirect to another path of the listed host",
      script("script-src a.example/x", "https://a.example/x", { redirectedTo: "/y" }),
    ],
    [
      "an upgraded redirect",
      connection("connect-src https:; upgrade-insecure-requests", "https://a/", {
        redirectedTo: "http://b/",
      }),
    ],
    ["an upgraded WebSocket", connection("connect-src wss:; upgrade-insecure-requests", "ws://a.example/")],
    [
      "bytes that are not UTF-8, compared as bytes",
      script("script-src a.example/%E9%C3%A9/", "https://a.example/%e9%c3%a9/x"),
    ],
    ["a host whose name is also a scheme", script("script-src https:443", "https://https/x")],
  ];
  test.each(yes)("allows %s", (_, attempt) => {
    expect(allows(attempt)).toMatchObject({ allowed: true, directive: null });
  });

  const no: [string, Attempt, string][] = [
    ["a script", script("default-src 'none'", "https://a.example/"), "script-src-elem"],
    ["a connection", connection("default-src 'none'", "https://a.example/"), "connect-src"],
    [
      "a script when only one of its two hashes is listed",
      script("script-src 'sha256-AAAA'", "https://a.example/", { integrity: "sha256-AAAA sha256-BBBB" }),
      "script-src-elem",
    ],
    [
      "a connection with a nonce",
      connection("connect-src 'nonce-a'", "https://a.example/", { nonce: "a" }),
      "connect-src",
    ],
    [
      "'self' and hosts on a page with an opaque origin",
      script("script-src 'self' a.example", "https://a.example/", { page: "data:text/html,x" }),
      "script-src-elem",
    ],
    [
      "'self' when the page URL is invalid",
      script("script-src 'self'", "https://a.example/", { page: "" }),
      "script-src-elem",
    ],
    [
      "a host with an underscore",
      script("script-src a_b.example", "https://a_b.example/"),
      "script-src-elem",
    ],
    [
      "http: on a loopback host, which is never upgraded",
      script("script-src https:; upgrade-insecure-requests", "http://127.0.0.1/x.js"),
      "script-src-elem",
    ],
  ];
  test.each(no)("refuses %s", (_, attempt, directive) => {
    expect(allows(attempt)).toMatchObject({ allowed: false, directive });
  });

  test("refuses an invalid URL without naming a directive", () => {
    expect(allows(script("", "https://"))).toMatchObject({ allowed: false, directive: null });
    expect(allows(script("script-src *", "https://a", { redirectedTo: "https://" }))).toMatchObject({
      allowed: false,
      directive: null,
      policies: [{ why: "not_a_url" }],
    });
  });

  test("names the deciding directive and the allowing source of each policy", () => {
    const csp = "script-src a.example *.b.example, img-src *, default-src https:; script-src-attr 'none'";
    expect(allows(script(csp, "https://x.b.example/y")).policies).toEqual([
      {
        allowed: true,
        directive: "script-src",
        why: "source",
        source: { text: "*.b.example", start: 21, end: 32 },
        url: "https://x.b.example/y",
      },
      { allowed: true, directive: null, why: "not_restricted", source: null, url: "https://x.b.example/y" },
      {
        allowed: true,
        directive: "default-src",
        why: "source",
        source: { text: "https:", start: 57, end: 63 },
        url: "https://x.b.example/y",
      },
    ]);
  });

  const reasons: [string, string, string][] = [
    ["no source matches", "script-src a.example", "no_source_matches"],
    ["'none'", "script-src 'none'", "none"],
    ["only keywords", "script-src 'unsafe-inline' 'nonce-a' b?c", "none"],
    ["'strict-dynamic'", "script-src 'strict-dynamic' https:", "strict_dynamic"],
  ];
  test.each(reasons)("gives the reason of a refusal: %s", (_, csp, why) => {
    expect(allows(script(csp, "https://b.example/")).policies).toMatchObject([{ allowed: false, why }]);
  });

  const dropping: [string, string][] = [
    ["after a directive's name", "script-src\va.example"],
    ["before a directive's name", "\vscript-src a.example"],
    ["before its value", "script-src \v a.example"],
    ["after its value", "script-src a.example \v"],
    ["inside its value", "script-src a.example\vb.example"],
    [
      "in its value, even when the same directive follows correctly",
      "script-src \v 'self'; script-src 'none'",
    ],
    ["and no other text", "\v;\v \v"],
  ];
  test.each(dropping)("ignores a directive with a vertical tab %s", (_, csp) => {
    expect(allows(script(csp, "https://z.example/")).allowed).toBe(true);
  });

  test("uses the fallback of a directive with a vertical tab", () => {
    const csp = "default-src 'self'; script-src *\v";
    expect(allows(script(csp, "https://z.example/")).policies).toMatchObject([{ directive: "default-src" }]);
  });

  test("parses internationalized URLs reliably over 20,000 calls", () => {
    const load = { page, kind: "script" as const, url: "https://BÜCHER.example/é.js" };
    const lost = Array.from({ length: 20_000 }, () => prepare(load)).filter(({ steps }) => steps === null);
    expect(lost).toEqual([]);
  });

  test("gives the same answer as a precompiled value", () => {
    fc.assert(
      fc.property(collidingValue, anyLoad, (csp, load) => {
        expect(allowsLoad(compile(csp), prepare(load))).toBe(allows({ ...load, csp }).allowed);
      }),
    );
  });

  test("gives the same answer for the value in the form that is sent", () => {
    fc.assert(
      fc.property(fc.oneof(collidingValue, anyValue), anyLoad, (csp, load) => {
        expect(allows({ ...load, csp: oneLine(csp) }).allowed).toBe(allows({ ...load, csp }).allowed);
      }),
    );
  });

  test("accepts any text, and so does explain", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("https://", "blob:x", "//[", "%", "a:b"),
    );
    const attempt = fc.record({
      page: text,
      csp: fc.oneof(anyValue, collidingValue),
      kind: fc.constantFrom("script" as const, "connection" as const),
      url: text,
      redirectedTo: text,
      nonce: text,
      integrity: text,
    });
    fc.assert(
      fc.property(attempt, (each) => {
        const sentences = explain(each, allows(each));
        expect(sentences.length).toBeGreaterThan(0);
        for (const sentence of sentences) expect(sentence).toMatch(/[.?]$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe("explain", () => {
  const cases: [string, Attempt, string[]][] = [
    [
      "names the source that allows",
      script("script-src 'self' *.a.example", "https://x.a.example/"),
      ["The script https://x.a.example/ is allowed: script-src has *.a.example, which matches."],
    ],
    [
      "names the fallback that refuses",
      script("default-src 'self' b.example", "https://a.example/"),
      [
        "The script https://a.example/ is refused: default-src (by fallback, as there is no script-src) lists 'self', b.example; none matches.",
      ],
    ],
    [
      "points out a path that nearly matches",
      script("script-src a.example/js/", "https://a.example/x.js"),
      [
        "The script https://a.example/x.js is refused: script-src lists a.example/js/; none matches.",
        "a.example/js/ is for paths below /js/.",
      ],
    ],
    [
      "points out a port that nearly matches",
      connection("connect-src a.example", "https://a.example:8443/"),
      [
        "The connection to https://a.example:8443/ is refused: connect-src lists a.example; none matches.",
        "a.example is for port 443, and the URL has 8443.",
      ],
    ],
    [
      "points out a scheme that nearly matches",
      connection("connect-src https:", "wss://a.example/"),
      [
        "The connection to wss://a.example/ is refused: connect-src lists https:; none matches.",
        "https: does not match wss:, which is a scheme of its own.",
      ],
    ],
    [
      "points out a domain that nearly matches",
      script("script-src *.a.example", "https://a.example/"),
      [
        "The script https://a.example/ is refused: script-src lists *.a.example; none matches.",
        "*.a.example matches only what stands before that host, not a.example itself.",
      ],
    ],
    [
      "points out a directive that browsers drop",
      script("script-src ‘self’", "https://a.example/"),
      [
        "The script https://a.example/ is allowed: no directive restricts scripts.",
        "Browsers drop all of `script-src` because of the curly quote ‘ (U+2018). Write keywords with straight single quotes: 'self'.",
      ],
    ],
    [
      "points out mistakes in the refusing directive",
      script("script-src https//cdn.example; img-src data", "https://cdn.example/"),
      [
        "The script https://cdn.example/ is refused: script-src lists https//cdn.example; none matches.",
        "Without the colon, browsers read `https` in `https//cdn.example` as a host name. Write `https://cdn.example`.",
      ],
    ],
    [
      "leaves out mistakes when a source allows the load",
      script("script-src data https:", "https://a.example/"),
      ["The script https://a.example/ is allowed: script-src has https:, which matches."],
    ],
    [
      "points out unknown directives even when a source allows the load",
      script("script-src https:; img-srx *", "https://a.example/"),
      [
        "The script https://a.example/ is allowed: script-src has https:, which matches.",
        "The service does not know the directive `img-srx`. Did you mean `img-src`?",
      ],
    ],
    [
      "points out a comma that was meant to separate sources",
      script("script-src 'self', a.example", "https://page.example/"),
      [
        "The script https://page.example/ is allowed by policy 1: script-src has 'self', which matches.",
        "The script https://page.example/ is allowed by policy 2: no directive restricts scripts.",
        "Separate sources with spaces and directives with `;`, and write a comma inside a URL as %2C. A comma starts a second policy, and browsers read the next word as a directive.",
      ],
    ],
    [
      "accepts directives that browsers know and the service does not",
      script("script-src-elem https:; report-uri /csp", "https://a.example/"),
      ["The script https://a.example/ is allowed: script-src-elem has https:, which matches."],
    ],
    [
      "names the policy that refuses",
      script("script-src *, script-src 'none'", "https://a.example/"),
      ["The script https://a.example/ is refused by policy 2: script-src allows no URL."],
    ],
    [
      "points out an upgrade to https:",
      script("script-src https:; upgrade-insecure-requests", "http://a.example/"),
      [
        "The script http://a.example/ is allowed: script-src has https:, which matches.",
        "Under upgrade-insecure-requests it is judged as https: or wss:.",
      ],
    ],
    [
      "names the redirect target that is refused",
      script("script-src a.example", "https://a.example/", { redirectedTo: "https://b.example/" }),
      [
        "The script https://a.example/, which is redirected to https://b.example/, is refused: script-src lists a.example; none matches https://b.example/.",
      ],
    ],
    [
      "reports an invalid URL",
      script("script-src *", "https://"),
      ['"https://" is no URL, so nothing is loaded.'],
    ],
    [
      "reports an empty value",
      script("", "https://a.example/"),
      ["The script https://a.example/ is allowed: the value has no directive."],
    ],
  ];
  test.each(cases)("%s", (_, attempt, expected) => {
    expect(explain(attempt, allows(attempt))).toEqual(expected);
  });
});
