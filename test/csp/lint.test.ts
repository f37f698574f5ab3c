import { describe, expect, test } from "vitest";
import { check } from "../../src/csp/check.js";
import { SERVICE_DIRECTIVES } from "../../src/csp/directives.js";
import { lint, review } from "../../src/csp/lint.js";
import { fc } from "../support/random.js";

import { anyValue } from "./values.js";

/** Formats a warning as `csp_wildcard "*"`, where the quoted text is what the warning points at. */
function lines(text: string): string[] {
  return lint(text).written.map(
    ({ code, start, end }) => `${code} ${JSON.stringify(text.slice(start, end))}`,
  );
}

function missing(text: string): readonly string[] {
  return lint(text).missing.map(({ code }) => code);
}

describe("lint", () => {
  const good: [string, string][] = [
    [
      "hosts, paths and 'self' are fine",
      "script-src 'self' cdn.example.net https://a.example:8443/x.js *.b.example",
    ],
    ["'none' is fine", "default-src 'none'; script-src 'none'; object-src"],
    ["hashes are fine", "script-src 'strict-dynamic' 'sha256-AbC=' 'SHA256-aBc' 'report-sample'"],
    ["recent keywords are fine", "script-src 'trusted-types-eval' 'wasm-unsafe-eval' 'report-sha256'"],
    [
      "'unsafe-inline' beside a hash is a fallback for old browsers",
      "script-src 'unsafe-inline' 'sha256-AbC='",
    ],
    [
      "hosts beside 'strict-dynamic' are a fallback for old browsers",
      "script-src 'strict-dynamic' 'sha256-AbC=' https: * http: cdn.jsdelivr.net",
    ],
    [
      "sources that are unsafe for scripts may be fine elsewhere",
      "img-src * data: https:; style-src 'unsafe-inline'; connect-src https:",
    ],
    [
      "default-src is not for scripts where script-src is",
      "default-src * 'unsafe-eval'; script-src 'self'; object-src 'none'",
    ],
    ["an app's own localhost is fine", "connect-src capacitor://localhost"],
    ["upgraded sources do not load unencrypted", "img-src http://a.example; upgrade-insecure-requests"],
    ["a wildcard below a company's own domain is fine", "script-src *.google *.bbc.co.uk *.internal"],
    ["a top-level wildcard is fine for images", "img-src *.com"],
    [
      "a file of an AngularJS package that is not a script is fine",
      "script-src cdn.jsdelivr.net/npm/angular@1.8.2/LICENSE",
    ],
    ["a host with a harmless path is fine", "script-src cdn.jsdelivr.net/npm/a@1/a.js"],
    ["Google Analytics is a bypass only with 'unsafe-eval'", "script-src www.google-analytics.com"],
    [
      "directives without source lists are skipped",
      "report-uri http://a.example 'x'; sandbox *; constructor *",
    ],
    ["a directive that browsers drop is skipped", "script-src * ‘self’"],
    ["only the first of equal directives counts", "script-src a.example; script-src *"],
    ["text after a comma that is not a directive is skipped", "script-src a.example, *"],
  ];
  test.each(good)("%s", (_, text) => {
    expect(lines(text)).toEqual([]);
  });

  const weak: [string, string, string[]][] = [
    ["allowing inline scripts", "script-src 'Unsafe-Inline'", ["csp_unsafe_inline \"'Unsafe-Inline'\""]],
    [
      "allowing inline scripts in default-src",
      "default-src 'unsafe-inline'",
      ["csp_unsafe_inline \"'unsafe-inline'\""],
    ],
    [
      "allowing event handlers by hash",
      "script-src 'unsafe-hashes' 'sha256-AbC='",
      ["csp_unsafe_hashes \"'unsafe-hashes'\""],
    ],
    ["allowing eval", "script-src 'unsafe-eval'", ["csp_unsafe_eval \"'unsafe-eval'\""]],
    [
      "allowing whole schemes",
      "script-src data: HTTPS:; base-uri http:",
      ['csp_plain_scheme "data:"', 'csp_plain_scheme "HTTPS:"', 'csp_plain_scheme "http:"'],
    ],
    [
      "allowing every host",
      "script-src * https://*:443",
      ['csp_wildcard "*"', 'csp_wildcard "https://*:443"'],
    ],
    [
      "allowing hosts with known bypasses",
      "script-src CDN.jsdelivr.net:443 *.googleapis.com",
      ['csp_bypass_host "CDN.jsdelivr.net:443"', 'csp_bypass_host "*.googleapis.com"'],
    ],
    [
      "allowing hosts whose bypass needs 'unsafe-eval'",
      "script-src 'unsafe-eval' www.google-analytics.com",
      ["csp_unsafe_eval \"'unsafe-eval'\"", 'csp_bypass_host "www.google-analytics.com"'],
    ],
    [
      "allowing unencrypted sources",
      "connect-src http://a.example/x",
      ['csp_http_source "http://a.example/x"'],
    ],
    [
      "allowing IP addresses",
      "img-src 192.0.2.7:8080 127.0.0.1",
      ['csp_ip_source "192.0.2.7:8080"', 'csp_own_machine "127.0.0.1"'],
    ],
    [
      "allowing the visitor's own machine, without a second warning for http:",
      "connect-src http://localhost:3000 ws://a.localhost",
      ['csp_own_machine "http://localhost:3000"', 'csp_own_machine "ws://a.localhost"'],
    ],
    [
      "allowing all hosts below a public suffix",
      "script-src *.com https://*.UK/x/; base-uri *.dev",
      ['csp_wildcard "*.com"', 'csp_wildcard "https://*.UK/x/"', 'csp_wildcard "*.dev"'],
    ],
    [
      "allowing any version of a known AngularJS file",
      "script-src https://ajax.googleapis.com/ajax/libs/angularjs/1.4.0/angular.js cdn.jsdelivr.net/npm/angular@1.8.2",
      [
        'csp_bypass_host "https://ajax.googleapis.com/ajax/libs/angularjs/1.4.0/angular.js"',
        'csp_bypass_host "cdn.jsdelivr.net/npm/angular@1.8.2"',
      ],
    ],
    [
      "allowing unencrypted ancestors, even with upgrades",
      "frame-ancestors http://a.example; upgrade-insecure-requests",
      ['csp_http_source "http://a.example"'],
    ],
    [
      "allowing any site to frame the page",
      "frame-ancestors * https: https://*:443 partner.example",
      ['csp_any_ancestor "*"', 'csp_any_ancestor "https:"', 'csp_any_ancestor "https://*:443"'],
    ],
    ["using a nonce, which is constant here", "script-src 'nonce-AbC'", ["csp_fixed_nonce \"'nonce-AbC'\""]],
    ["'strict-dynamic' alone", "script-src 'strict-dynamic'", ['csp_strict_dynamic_alone "script-src"']],
    ["forgetting a semicolon", "script-src a img-src b", ['csp_missing_semicolon "img-src"']],
    [
      "using deprecated directives",
      "Prefetch-Src a; referrer no-referrer",
      ['csp_deprecated_directive "Prefetch-Src"', 'csp_deprecated_directive "referrer"'],
    ],
    [
      "each occurrence of a weak source",
      "script-src * * *:*",
      ['csp_wildcard "*"', 'csp_wildcard "*"', 'csp_wildcard "*:*"'],
    ],
    [
      "using a source that is weak for two reasons",
      "script-src http://*",
      ['csp_wildcard "http://*"', 'csp_http_source "http://*"'],
    ],
    ["using a weak source in the second policy", "img-src a, script-src *", ['csp_wildcard "*"']],
  ];
  test.each(weak)("%s gets a warning", (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
    expect(lint(text).written.every(({ severity }) => severity === "warning")).toBe(true);
  });

  const without: [string, string, string[]][] = [
    [
      "reports a list of hosts without 'strict-dynamic'",
      "default-src 'self' a.example",
      ["csp_no_strict_dynamic"],
    ],
    ["no object-src", "script-src 'self'", ["csp_no_object_src"]],
    ["reports nothing for a value without script directives", "img-src 'self' data:", []],
    [
      "reports plugins from whole schemes",
      "default-src 'self' data: https:; script-src 'none'",
      ["csp_no_object_src"],
    ],
    ["reports plugins from anywhere", "default-src *; script-src 'none'", ["csp_no_object_src"]],
    [
      "reports hashes without base-uri",
      "default-src 'none'; script-src 'strict-dynamic' 'sha256-AbC='",
      ["csp_no_base_uri"],
    ],
    ["reports nothing for a complete value", "default-src 'none'; script-src 'self'; base-uri 'none'", []],
    ["reports nothing when another policy has the directive", "script-src 'self', object-src 'none'", []],
    ["reports nothing for an empty value", "", []],
  ];
  test.each(without)("%s, apart from the written findings", (_, text, expected) => {
    expect(missing(text)).toEqual(expected);
    expect(lines(text)).toEqual([]);
  });

  test("writes messages as full sentences", () => {
    for (const [, text] of [...weak, ...without]) {
      const { written, missing } = lint(text);
      for (const { code, message } of [...written, ...missing]) {
        expect(code).toMatch(/^csp_[a-z_]+$/);
        expect(message).toMatch(/^[A-Z`].*[^.][.?]$/);
        expect(message.length).toBeLessThan(300);
      }
    }
  });

  test("findings of any text point inside the text", () => {
    const hosts = [
      "cdn.jsdelivr.net:99999",
      "*.1",
      "xn--a.example",
      "foo.1",
      "a.b/%",
      "'sha-256-a'",
      "https://*.com/#",
    ];
    const values = fc.oneof(
      anyValue,
      fc.array(fc.constantFrom(...hosts), { maxLength: 4 }).map((all) => `script-src ${all.join(" ")}`),
    );
    fc.assert(
      fc.property(values, (text) => {
        for (const { start, end } of lint(text).written) {
          expect(0 <= start && start < end && end <= text.length).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  // A comparison of each word with all others would not finish.
  test("takes linear time for a very long value", () => {
    const words = Array.from({ length: 8_000 }, (_, index) => `'${index}' `).join("");
    expect(lint(`script-src 'strict-dynamic' 'sha256-a' ${words}`).written).toEqual([]);
    expect(lint(`script-src ${words.repeat(100)}`).written).toEqual([]);
  });
});

describe("review", () => {
  test("lists errors and warnings in the order of the text", () => {
    const { findings } = review("script-src *; imgsrc a; base-uri https:", SERVICE_DIRECTIVES);
    expect(findings.map(({ code }) => code)).toEqual([
      "csp_wildcard",
      "csp_unknown_directive",
      "csp_plain_scheme",
    ]);
  });

  test("adds no warning at a place that has an error", () => {
    fc.assert(
      fc.property(anyValue, (text) => {
        const wrong = check(text, SERVICE_DIRECTIVES);
        const { findings } = review(text, SERVICE_DIRECTIVES);
        for (const { start } of wrong) {
          const here = (all: typeof wrong) => all.filter((each) => each.start === start);
          expect(here(findings)).toEqual(here(wrong));
        }
      }),
    );
  });

  const said: [string, string, string[]][] = [
    [
      "a keyword without quotes",
      'script-src self "none" \'strict-dynamic',
      Array(3).fill("csp_unquoted_keyword"),
    ],
    ["an old directive that the service does not know", "referrer a", ["csp_unknown_directive"]],
    [
      "a source that frame-ancestors does not accept",
      "frame-ancestors 'x' a..b",
      Array(2).fill("csp_frame_ancestors"),
    ],
    ["a mistake in a host that is also weak", "script-src http://*/*", ["csp_star_in_path"]],
    [
      "a forgotten semicolon after a directive without a value",
      "upgrade-insecure-requests img-src",
      ["csp_needless_value"],
    ],
    ["a character that is not ASCII", "script-src bücher.example", ["csp_not_ascii"]],
  ];
  test.each(said)("reports %s once", (_, text, codes) => {
    expect(review(text, SERVICE_DIRECTIVES).findings.map(({ code }) => code)).toEqual(codes);
  });
});
