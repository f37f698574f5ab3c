import { describe, expect, test } from "vitest";
import { canonical, canonicalSource } from "../../src/csp/canonical.js";
import { parse } from "../../src/csp/syntax.js";

describe("canonicalSource", () => {
  const cases: [string, string, string][] = [
    [
      "scheme and host become lower case, the path is kept",
      "HTTPS://CDN.Example/App.js",
      "https://cdn.example/App.js",
    ],
    ["a host with port and path", "cdn.EXAMPLE:443/Path", "cdn.example:443/Path"],
    ["a host with any port", "CDN.example:*", "cdn.example:*"],
    ["a wildcard host", "*.Example.COM", "*.example.com"],
    ["a host with a trailing dot", "CDN.Example.", "cdn.example."],
    ["a host with an underscore", "My_CDN.example", "my_cdn.example"],
    ["any host of a scheme", "WSS://*:8443", "wss://*:8443"],
    ["a scheme", "Https:", "https:"],
    ["a keyword", "'SELF'", "'self'"],
    ["a long keyword becomes lower case", "'Unsafe-Inline'", "'unsafe-inline'"],
    ["a nonce keeps its value", "'NONCE-Abc'", "'nonce-Abc'"],
    ["a hash keeps its value", "'SHA256-AbC='", "'sha256-AbC='"],
    ["a hash in URL spelling keeps its value", "'Sha512-A_b-C'", "'sha512-A_b-C'"],
    ["the path of a URL keeps its query", "CDN.example/A?B#C", "cdn.example/A?B#C"],
    ["a query without a path makes the source invalid", "CDN.example?B", "CDN.example?B"],
    ["an unknown keyword is kept", "'Very-Safe'", "'Very-Safe'"],
    ["an unknown hash is kept", "'MD5-Abc'", "'MD5-Abc'"],
    ["a keyword in double quotes is kept", '"SELF"', '"SELF"'],
    ["an IPv6 address is kept as an invalid source", "[::FFFF]", "[::FFFF]"],
    ["a scheme with a path is kept as an invalid source", "Data:/X", "Data:/X"],
    ["a non-ASCII host is kept", "BÜCHER.example", "BÜCHER.example"],
    ["a non-ASCII path keeps its host unchanged", "CDN.example/ü", "CDN.example/ü"],
    ["the Kelvin sign is not read as k", "\u212a.example", "\u212a.example"],
    ["an empty source stays empty", "", ""],
  ];
  test.each(cases)("%s", (_, text, expected) => {
    expect(canonicalSource(text)).toBe(expected);
  });
});

describe("canonical", () => {
  const cases: [string, string, [string, string[]][][]][] = [
    [
      "directives and sources are sorted",
      "img-src b a; font-src c",
      [
        [
          ["font-src", ["c"]],
          ["img-src", ["a", "b"]],
        ],
      ],
    ],
    ["repeated sources are removed", "img-src A a", [[["img-src", ["a"]]]]],
    ["'none' is the empty list", "img-src 'None'", [[["img-src", []]]]],
    ["a directive without sources is the empty list", "img-src", [[["img-src", []]]]],
    ["'none' beside other sources is dropped", "img-src 'none' a", [[["img-src", ["a"]]]]],
    ["the first of two equal directives wins", "img-src a; IMG-SRC b", [[["img-src", ["a"]]]]],
    [
      "a value of upgrade-insecure-requests is dropped",
      "upgrade-insecure-requests 1",
      [[["upgrade-insecure-requests", []]]],
    ],
    ["a value that is not a source list stays whole", "report-to  B A", [[["report-to", ["B A"]]]]],
    ["policies keep their order", "img-src b, img-src a", [[["img-src", ["b"]]], [["img-src", ["a"]]]]],
    ["a directive may have any name", "__proto__ a", [[["__proto__", ["a"]]]]],
  ];
  test.each(cases)("%s", (_, text, expected) => {
    expect(canonical(parse(text))).toEqual(expected);
  });
});
