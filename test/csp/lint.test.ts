import { describe, expect, test } from "vitest";
import { check } from "../../src/csp/check.js";
import { SERVICE_DIRECTIVES } from "../../src/csp/directives.js";
import { lint, review } from "../../src/csp/lint.js";
import { fc } from "../support/random.js";

import { anyValue } from "./values.js";

/** `csp_wildcard "*"`, with what the warning points at. */
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
    ["keywords that are new are fine", "script-src 'trusted-types-eval' 'wasm-unsafe-eval' 'report-sha256'"],
    [
      "'unsafe-inline' beside a hash is ignored, for browsers of long ago",
      "script-src 'unsafe-inline' 'sha256-AbC='",
    ],
    [
      "so are hosts beside 'strict-dynamic'",
      "script-src 'strict-dynamic' 'sha256-AbC=' https: * http: cdn.jsdelivr.net",
    ],
    [
      "what is unsafe for scripts may be fine elsewhere",
      "img-src * data: https:; style-src 'unsafe-inline'; connect-src https:",
    ],
    [
      "default-src is not for scripts where script-src is",
      "default-src * 'unsafe-eval'; script-src 'self'; object-src 'none'",
    ],
    ["an app's own localhost is fine", "connect-src capacitor://localhost"],
    ["what is upgraded does not come unencrypted", "img-src http://a.example; upgrade-insecure-requests"],
    ["a wildcard over the domain of a firm is fine", "script-src *.google *.bbc.co.uk *.internal"],
    ["all hosts of a domain are fine where every host is", "img-src *.com"],
    ["a module of AngularJS does nothing alone", "script-src cdn.jsdelivr.net/npm/angular@1.8.2/LICENSE"],
    ["a host with a harmless path is fine", "script-src cdn.jsdelivr.net/npm/a@1/a.js"],
    ["Google Analytics serves a way around only with 'unsafe-eval'", "script-src www.google-analytics.com"],
    [
      "directives that are no lists of sources are not looked at",
      "report-uri http://a.example 'x'; sandbox *; constructor *",
    ],
    ["a directive that browsers drop whole is not looked at", "script-src * ‘self’"],
    ["only the first of a name counts", "script-src a.example; script-src *"],
    ["what follows a comma is most often no directive", "script-src a.example, *"],
  ];
  test.each(good)("%s", (_, text) => {
    expect(lines(text)).toEqual([]);
  });

  const weak: [string, string, string[]][] = [
    ["inline scripts", "script-src 'Unsafe-Inline'", ["csp_unsafe_inline \"'Unsafe-Inline'\""]],
    ["inline scripts by default", "default-src 'unsafe-inline'", ["csp_unsafe_inline \"'unsafe-inline'\""]],
    [
      "event handlers by their hash",
      "script-src 'unsafe-hashes' 'sha256-AbC='",
      ["csp_unsafe_hashes \"'unsafe-hashes'\""],
    ],
    ["text as code", "script-src 'unsafe-eval'", ["csp_unsafe_eval \"'unsafe-eval'\""]],
    [
      "whole schemes",
      "script-src data: HTTPS:; base-uri http:",
      ['csp_plain_scheme "data:"', 'csp_plain_scheme "HTTPS:"', 'csp_plain_scheme "http:"'],
    ],
    ["every host", "script-src * https://*:443", ['csp_wildcard "*"', 'csp_wildcard "https://*:443"']],
    [
      "hosts that are known to serve a way around",
      "script-src CDN.jsdelivr.net:443 *.googleapis.com",
      ['csp_bypass_host "CDN.jsdelivr.net:443"', 'csp_bypass_host "*.googleapis.com"'],
    ],
    [
      "hosts that serve one together with 'unsafe-eval'",
      "script-src 'unsafe-eval' www.google-analytics.com",
      ["csp_unsafe_eval \"'unsafe-eval'\"", 'csp_bypass_host "www.google-analytics.com"'],
    ],
    ["what comes unencrypted", "connect-src http://a.example/x", ['csp_http_source "http://a.example/x"']],
    [
      "addresses of the network",
      "img-src 192.0.2.7:8080 127.0.0.1",
      ['csp_ip_source "192.0.2.7:8080"', 'csp_own_machine "127.0.0.1"'],
    ],
    [
      "the visitor's own machine, but not as an unencrypted host",
      "connect-src http://localhost:3000 ws://a.localhost",
      ['csp_own_machine "http://localhost:3000"', 'csp_own_machine "ws://a.localhost"'],
    ],
    [
      "all hosts of a domain in which everybody can have one",
      "script-src *.com https://*.UK/x/; base-uri *.dev",
      ['csp_wildcard "*.com"', 'csp_wildcard "https://*.UK/x/"', 'csp_wildcard "*.dev"'],
    ],
    [
      "the file of AngularJS that a host is known for, in any version",
      "script-src https://ajax.googleapis.com/ajax/libs/angularjs/1.4.0/angular.js cdn.jsdelivr.net/npm/angular@1.8.2",
      [
        'csp_bypass_host "https://ajax.googleapis.com/ajax/libs/angularjs/1.4.0/angular.js"',
        'csp_bypass_host "cdn.jsdelivr.net/npm/angular@1.8.2"',
      ],
    ],
    [
      "what comes unencrypted from who embeds the page, whatever is upgraded",
      "frame-ancestors http://a.example; upgrade-insecure-requests",
      ['csp_http_source "http://a.example"'],
    ],
    [
      "anybody's sites as those that may frame pages",
      "frame-ancestors * https: https://*:443 partner.example",
      ['csp_any_ancestor "*"', 'csp_any_ancestor "https:"', 'csp_any_ancestor "https://*:443"'],
    ],
    [
      "nonces, which here are the same for everybody",
      "script-src 'nonce-AbC'",
      ["csp_fixed_nonce \"'nonce-AbC'\""],
    ],
    ["'strict-dynamic' alone", "script-src 'strict-dynamic'", ['csp_strict_dynamic_alone "script-src"']],
    ["a forgotten semicolon", "script-src a img-src b", ['csp_missing_semicolon "img-src"']],
    [
      "directives of long ago",
      "Prefetch-Src a; referrer no-referrer",
      ['csp_deprecated_directive "Prefetch-Src"', 'csp_deprecated_directive "referrer"'],
    ],
    [
      "each time that one stands there",
      "script-src * * *:*",
      ['csp_wildcard "*"', 'csp_wildcard "*"', 'csp_wildcard "*:*"'],
    ],
    [
      "several things about one source",
      "script-src http://*",
      ['csp_wildcard "http://*"', 'csp_http_source "http://*"'],
    ],
    ["in the second policy too", "img-src a, script-src *", ['csp_wildcard "*"']],
  ];
  test.each(weak)("%s: that is worth a warning", (_, text, expected) => {
    expect(lines(text)).toEqual(expected);
    expect(lint(text).written.every(({ severity }) => severity === "warning")).toBe(true);
  });

  const without: [string, string, string[]][] = [
    ["a list of hosts", "default-src 'self' a.example", ["csp_no_strict_dynamic"]],
    ["no object-src", "script-src 'self'", ["csp_no_object_src"]],
    ["a value that is not about scripts", "img-src 'self' data:", []],
    ["plugins from anywhere", "default-src 'self' data: https:; script-src 'none'", ["csp_no_object_src"]],
    ["every plugin", "default-src *; script-src 'none'", ["csp_no_object_src"]],
    [
      "hashes without base-uri",
      "default-src 'none'; script-src 'strict-dynamic' 'sha256-AbC='",
      ["csp_no_base_uri"],
    ],
    ["nothing to add", "default-src 'none'; script-src 'self'; base-uri 'none'", []],
    ["what another policy has", "script-src 'self', object-src 'none'", []],
    ["no directive at all", "", []],
  ];
  test.each(without)("%s: what is missing is said apart from what is written", (_, text, expected) => {
    expect(missing(text)).toEqual(expected);
    expect(lines(text)).toEqual([]);
  });

  test("each message is one of full sentences, and a code has one severity", () => {
    for (const [, text] of [...weak, ...without]) {
      const { written, missing } = lint(text);
      for (const { code, message } of [...written, ...missing]) {
        expect(code).toMatch(/^csp_[a-z_]+$/);
        expect(message).toMatch(/^[A-Z`].*[^.][.?]$/);
        expect(message.length).toBeLessThan(300);
      }
    }
  });

  test("findings point inside the value, whatever it is", () => {
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

  // Who compares each word with each of the others does not come to an end.
  test("a value of any length is looked at", () => {
    const words = Array.from({ length: 8_000 }, (_, index) => `'${index}' `).join("");
    expect(lint(`script-src 'strict-dynamic' 'sha256-a' ${words}`).written).toEqual([]);
    expect(lint(`script-src ${words.repeat(100)}`).written).toEqual([]);
  });
});

describe("review", () => {
  test("says what is wrong and what is weak, in the order of the text", () => {
    const { findings } = review("script-src *; imgsrc a; base-uri https:", SERVICE_DIRECTIVES);
    expect(findings.map(({ code }) => code)).toEqual([
      "csp_wildcard",
      "csp_unknown_directive",
      "csp_plain_scheme",
    ]);
  });

  test("says nothing more of a place about which something is wrong", () => {
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
    ["a directive of long ago that the service does not know", "referrer a", ["csp_unknown_directive"]],
    [
      "a source that frame-ancestors does not take",
      "frame-ancestors 'x' a..b",
      Array(2).fill("csp_frame_ancestors"),
    ],
    ["a mistake in a host that protects little as well", "script-src http://*/*", ["csp_star_in_path"]],
    [
      "a forgotten semicolon where no value belongs",
      "upgrade-insecure-requests img-src",
      ["csp_needless_value"],
    ],
    ["a character that is not ASCII", "script-src bücher.example", ["csp_not_ascii"]],
  ];
  test.each(said)("%s is said once", (_, text, codes) => {
    expect(review(text, SERVICE_DIRECTIVES).findings.map(({ code }) => code)).toEqual(codes);
  });
});
