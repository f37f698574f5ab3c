import { describe, expect, test } from "vitest";
import { suggestSources } from "../../src/csp/suggest.js";

test("considers the first 1,000 needed sources only", () => {
  const seen = Array.from({ length: 3_000 }, (_, index) => ({
    kind: "script" as const,
    url: `https://h${index}.example/x.js`,
    pages: ["https://shop.example.com/"],
    of: index,
  }));
  const { added, refused } = suggestSources("script-src 'self'", seen);
  expect([added.length, refused.length]).toEqual([1000, 2000]);
  expect(new Set(refused.map(({ why }) => why))).toEqual(new Set(["too_many"]));
  expect(added.flatMap(({ loads }) => loads).every((index) => index < 1000)).toBe(true);
});

describe("suggestSources", () => {
  const suggestedFor = (url: string, by: "host" | "path" | { hosts: number } = "host") =>
    suggestSources(
      "script-src 'none'; connect-src 'none'",
      [
        {
          kind: "script" as const,
          url,
          pages: ["https://shop.example.com/", "http://shop.example.com/"],
          of: url,
        },
      ],
      { by },
    );

  test.each([
    "https://*/a.js",
    "https://*.com/a.js",
    "https://*.example.com/a.js",
    "https://cdn.*/a.js",
    "https://a*.example/a.js",
    "https://%2A/a.js",
    "https://%2a.example/a.js",
    "https://\uff0a.example/a.js",
    "https://*:8443/a.js",
    "https:\\\\*\\a.js",
    "https://user:word@*/a.js",
    "https://*./a.js",
    "https://./a.js",
    "https://a..example/a.js",
    "https://'self'/a.js",
    "https://'unsafe-inline'/a.js",
    'https://"a"/a.js',
    "https://a;script-src/a.js",
    "https://a,script-src/a.js",
    "https://%3bscript-src/a.js",
    "https://{a}.example/a.js",
    "https://a(b)/a.js",
    "http://*/a.js",
    "http://*.example/a.js",
    "wss://*/a",
    "ws://*/a",
    `https://${"a".repeat(64)}.example/a.js`,
    `https://a.${"b".repeat(64)}/a.js`,
    `https://${"abcdefg.".repeat(31)}example/a.js`,
    `https://${"a.".repeat(2_000)}example/a.js`,
  ])("suggests nothing for %s", (url) => {
    for (const by of ["host", "path", { hosts: 2 }] as const) {
      const { value, added, refused } = suggestedFor(url, by);
      expect([value, added]).toEqual(["script-src 'none'; connect-src 'none'", []]);
      expect(refused).toEqual([{ of: url, why: "no_host" }]);
    }
  });

  test.each([
    ["https://cdn.example/a.js", "https://cdn.example"],
    ["https://intranet/a.js", "https://intranet"],
    ["https://CDN.example:8443/a.js", "https://cdn.example:8443"],
    ["https://b\u00fccher.example/a.js", "https://xn--bcher-kva.example"],
    ["https://a--b.example/a.js", "https://a--b.example"],
    ["https://user:word@cdn.example/a.js", "https://cdn.example"],
    [`https://${"a".repeat(63)}.example/a.js`, `https://${"a".repeat(63)}.example`],
    [`https://${"abcdefg.".repeat(30)}example./a.js`, `https://${"abcdefg.".repeat(30)}example.`],
  ])("suggests for %s: %s", (url, source) => {
    expect(suggestedFor(url).value).toBe(`script-src ${source}; connect-src 'none'`);
  });

  test("escapes characters in a path that would end a source", () => {
    const { value } = suggestedFor("https://cdn.example/a;script-src *,b 'unsafe-inline'\n.js", "path");
    expect(value).toBe(
      "script-src https://cdn.example/a%3Bscript-src%20*%2Cb%20'unsafe-inline'.js; connect-src 'none'",
    );
  });

  test.each([
    ["below a top-level domain", ["https://a.com/x.js", "https://b.com/x.js"]],
    ["below a top-level domain with a trailing dot", ["https://a.com./x.js", "https://b.com./x.js"]],
    ["below a country's public suffix", ["https://a.co.uk/x.js", "https://b.co.uk/x.js"]],
    [
      "below a country's public suffix with a trailing dot",
      ["https://a.co.uk./x.js", "https://b.co.uk./x.js"],
    ],
    [
      "below a hosting suffix with a trailing dot",
      ["https://a.github.io./x.js", "https://b.github.io./x.js"],
    ],
    ["for an invalid host beside a valid one", ["https://a.cdn.example/x.js", "https://*.cdn.example/x.js"]],
  ])("suggests no wildcard %s", (_, urls) => {
    expect(suggestedByWildcard(urls)).not.toContain("*");
  });

  test.each(["a.ck", "shop.np", "kobe.jp", "a.kobe.jp", "k12.ca.us", "a.sch.uk", "blogspot.de", "deno.dev"])(
    "suggests no wildcard below %s, where anyone can register a host",
    (name) => {
      expect(suggestedByWildcard([`https://a.${name}/x.js`, `https://b.${name}/x.js`])).not.toContain("*");
      expect(suggestedByWildcard([`https://a.${name}./x.js`, `https://b.${name}./x.js`])).not.toContain("*");
    },
  );

  test("suggests a wildcard below a name with one owner", () => {
    expect(suggestedByWildcard(["https://a.shop.co.uk/x.js", "https://b.shop.co.uk/x.js"])).toBe(
      "script-src https://*.shop.co.uk",
    );
  });

  function suggestedByWildcard(urls: readonly string[]): string {
    const seen = urls.map((url) => ({
      kind: "script" as const,
      url,
      pages: ["https://shop.example.com/"],
      of: url,
    }));
    return suggestSources("script-src 'none'", seen, { by: { hosts: 2 } }).value;
  }
});
