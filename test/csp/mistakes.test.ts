import { describe, expect, test } from "vitest";
import { check } from "../../src/csp/check.js";
import { SERVICE_DIRECTIVES } from "../../src/csp/directives.js";
import { allowsLoad, compile, prepare } from "../../src/csp/match/allows.js";

import { fc } from "../support/random.js";
import { anyValue } from "./values.js";

/** Formats the finding about one source of `img-src` as `code: message`. */
function findingsOf(source: string): string[] {
  return check(`img-src ${source}`).map(({ code, message }) => `${code}: ${message}`);
}

describe("mistakes in sources", () => {
  const fine: readonly [string, readonly string[]][] = [
    ["whole schemes", ["data:", "blob:", "https:", "wss:", "mediastream:", "filesystem:"]],
    ["schemes of apps", ["app:", "capacitor://localhost", "ms-teams:", "intent:", "tel:", "hap:", "help:"]],
    ["hosts named like a scheme", ["data.example", "https.example", "data:8080", "https:8443"]],
    ["hosts of a private network", ["intranet", "cdn", "all.example", "any/x.js", "localhost"]],
    ["all valid ports", ["a.example:65535", "a.example:*", "a.example:00080"]],
    ["stars that are wildcards", ["*", "*.a.example", "https://*:8443", "*:*", "https://*.a.example:*/x/"]],
    ["stars in paths or queries, where browsers take them literally", ["a.example/x?a=*", "a.example/x#*"]],
    [
      "valid hashes in any base64 spelling",
      [
        `'sha256-${"A".repeat(43)}='`,
        `'SHA256-${"-_".repeat(21)}A'`,
        `'sha384-${"A".repeat(64)}'`,
        `'sha-512-${"A".repeat(86)}=='`,
      ],
    ],
    ["nonces of any length", ["'nonce-a'", "'nonce-AbC+/=='"]],
  ];
  test.each(fine)("%s are no mistakes", (_, sources) => {
    expect(sources.flatMap(findingsOf)).toEqual([]);
  });

  const wrong: readonly [string, string, string][] = [
    ["a scheme without its colon", "data", "csp_missing_colon: Without the colon, browsers read `data` as"],
    ["a scheme in capital letters without its colon", "HTTPS", "Write `https:`."],
    ["a scheme without its colon before slashes", "https//cdn.example/x", "Write `https://cdn.example/x`."],
    ["a scheme without its colon before one slash", "wss/a.example", "Write `wss://a.example`."],
    ["a scheme without its colon before any port", "https:*", "Write `https:`."],
    ["a misspelt scheme", "htps://a.example", "`htps:` is not a web scheme"],
    ["a misspelt scheme alone", "Htpps:", "Did you mean `https:`?"],
    ["a scheme that starts with a digit", "ttp://a.example", "Did you mean `http:`?"],
    ["a scheme that browsers no longer support", "ftp://a.example", "browsers load nothing over ftp:."],
    ["a word meaning every host", "all", "csp_no_keyword: Browsers read `all` as a host name."],
    ["a word meaning a keyword", "Inline", "Write 'unsafe-inline' if you mean that."],
    ["a port that is too high", "a.example:65536", "because port 65536 does not exist."],
    ["a port that is far too high", `a.example:${"9".repeat(400)}`, "csp_bad_port: "],
    ["a star in a file name", "https://a.example/*", "Write `https://a.example`, which allows every path."],
    [
      "a star with a file extension",
      "a.example/js/*.js",
      "Write `a.example/js/`, which allows all below it.",
    ],
    ["a star after a folder", "a.example/x/*/y/*", "Write `a.example/x/`, which allows all below it."],
    [
      "a hash with too much padding",
      `'sha256-${"A".repeat(43)}=='`,
      `csp_bad_hash: \`'sha256-${"A".repeat(43)}=='\` matches nothing, because of too many \`=\``,
    ],
    [
      "a padded hash that needs no padding",
      `'sha384-${"A".repeat(64)}='`,
      `Write \`'sha384-${"A".repeat(64)}'\`.`,
    ],
    ["a hash with three padding characters", `'sha512-${"A".repeat(86)}==='`, "csp_unknown_keyword: "],
    ["a truncated hash", "'sha256-abc'", "csp_bad_hash: `'sha256-abc'` matches nothing: such a hash has 44"],
    [
      "a hash of another algorithm",
      `'sha512-${"A".repeat(43)}='`,
      "has 88 base64 characters after the dash, and this",
    ],
    ["a hash in hexadecimal", `'sha256-${"0a".repeat(32)}'`, "is hexadecimal. Write it in base64."],
    [
      "a nonce without a value",
      "'nonce-'",
      "csp_unknown_keyword: Browsers ignore `'nonce-'`: the text after",
    ],
    [
      "a nonce without a dash",
      "'nonce'",
      "csp_unknown_keyword: Browsers ignore `'nonce'`: its value is missing.",
    ],
    ["a hash that is not base64", "'sha256-{{hash}}'", "the text after the dash is not base64."],
    ["a misspelt keyword", "'unsafe-inlin'", "nonce or hash. Did you mean 'unsafe-inline'?"],
    ["a word in quotes", "'a'", "csp_unknown_keyword: Browsers ignore `'a'`: it is not a keyword"],
    ["a host in quotes", "'https://a.example'", "take no quotes. Write `https://a.example`."],
    ["a star in quotes", "'*'", "take no quotes. Write `*`."],
    ["a host in double quotes", '"a.example"', 'csp_ignored_source: Browsers ignore `"a.example"`: sources'],
    ["keywords without a space between them", "'self''unsafe-inline'", "no space follows 'self'. Add one."],
    ["a scheme with one slash", "https:/a.example", "write `https://a.example`."],
    ["a repeated scheme", "https://https://a.example", "write `https://a.example`."],
    ["a scheme with slashes and no host", "wss://", "it names no host. Write `wss:` for every host."],
    ["slashes without a scheme", "//a.example/x", "write `a.example/x`, without `//`."],
    ["a path without a host", "./x.js", "a path needs a host before it"],
    ["a star in the middle of a host", "a.*.example", "the star is in the wrong place."],
    ["an IPv6 address", "[::1]", "csp_ignored_source: Browsers ignore `[::1]`: it is not a scheme, host"],
    ["a host with two dots", "a..b", "csp_ignored_source: "],
    ["a comment sign", "#", "csp_comment: CSP has no comments."],
  ];
  test.each(wrong)("%s is a mistake", (_, source, expected) => {
    const all = findingsOf(source);
    expect(all).toHaveLength(1);
    expect(all[0]).toContain(expected);
    expect(all[0]).toMatch(/^csp_[a-z_]+: [A-Z`'].*[.?]$/);
  });

  test("sources that are said to match nothing match none of the usual loads", () => {
    const urls = ["https://a.example/js/x.js", "https://a.example/", "wss://a.example/", "https://data/x"];
    const loads = urls.map((url) => prepare({ page: "https://a.example/", kind: "connection", url }));
    const sources = wrong
      .map(([, source]) => source)
      .filter((source) => /match(?:es)? no|ignore/.test(findingsOf(source)[0] ?? ""));
    expect(sources.length).toBeGreaterThan(15);
    for (const source of sources) {
      const csp = compile(`connect-src ${source}`);
      expect(loads.some((load) => allowsLoad(csp, load))).toBe(false);
    }
  });

  test("checks any value", () => {
    fc.assert(
      fc.property(anyValue, fc.string({ unit: "grapheme-ascii" }), (value, source) => {
        for (const text of [value, `script-src ${source}`]) {
          for (const { message } of check(text, SERVICE_DIRECTIVES)) expect(message).toMatch(/[.?)]$/);
        }
      }),
    );
  });

  // A regular expression that backtracks would not finish.
  test.each(["'", "*", "/*", "https:", "//", "a.", "'self'", "sha256-", "#"])(
    "checks a source of 500,000 times %s",
    (part) => {
      expect(findingsOf(part.repeat(500_000))).toHaveLength(findingsOf(part.repeat(500)).length);
    },
  );
});
