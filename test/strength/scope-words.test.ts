import { describe, expect, test } from "vitest";
import { CORE_RULESET } from "../../src/kinds/documented-rulesets.js";
import { wordsIn } from "../../src/kinds/managed-exceptions/skip.js";
import type { Skips } from "../../src/model/strength.js";
import { coverWords, on, onAny, requestsOf } from "../../src/strength/scope-words.js";
import { wayOf } from "../../src/strength/scopes.js";
import { compareSkips } from "../../src/strength/skips.js";

const path = "http.request.uri.path";

describe("texts of the files are distinguishable from the words of a sentence", () => {
  test.each([
    ["a path", `${path} eq "/checkout"`, "on /checkout"],
    ["the start of a path", `starts_with(${path}, "/checkout/")`, "on /checkout/*"],
    [
      "a path of a host",
      `http.host eq "shop.example.com" and ${path} eq "/cart"`,
      "on shop.example.com/cart",
    ],
    ["a host with a port", `http.host eq "shop.example.com:8443"`, "on shop.example.com:8443"],
    ["a star", `${path} eq "/checkout*"`, 'on "/checkout*"'],
    ["a start with a star", `starts_with(${path}, "/a*")`, 'on "/a*"*'],
    ["a comma", `${path} in {"/a, as before, 1 more" "/b"}`, 'on "/a, as before, 1 more", /b'],
    ["a quote", `${path} eq "/a\\", every page"`, String.raw`on "/a\", every page"`],
    [
      "a path of a host with a space",
      `http.host eq "shop.example.com" and ${path} eq "/every page"`,
      'on shop.example.com "/every page"',
    ],
    ["an impossible path", `${path} in {"every page" "/b"}`, "on /b"],
    ["a host that is a word", `http.host eq "every"`, 'on "every"'],
    [
      "a host in other letters with words",
      `http.host eq "ä.example,every"`,
      /^on "ä.example,every" \(not ASCII: /,
    ],
    ["only an impossible path", `${path} eq "every page"`, "on no page"],
    ["only an impossible host", `http.host eq "shop.example.com/checkout"`, "on no page"],
    ["all paths", `starts_with(${path}, "/")`, "on every page"],
    ["all requests in another spelling", "ssl or not ssl", "on every page"],
  ] as const)("%s", (_, where, words) => {
    expect(on(where, "page")).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
  });

  test("an object that applied nowhere is not described as having applied", () => {
    expect(onAny(`${path} eq "every page"`, "page")).toBe('on "every page"');
    expect(onAny("ssl or not ssl", "page")).toBe("on any page");
  });

  test("an invalid or shortened expression is quoted", () => {
    expect(requestsOf("ssl")).toBe("requests that match ssl");
    expect(requestsOf("every request")).toBe('requests that match "every request"');
    const long = `http.user_agent contains "${"x".repeat(80)} every request"`;
    expect(requestsOf(long)).toMatch(/^requests that match ".*"$/);
  });

  test.each([
    ["weaker", "true", `${path} eq "every request"`, "no longer on any request"],
    ["weaker", `starts_with(${path}, "/checkout")`, `${path} eq "/checkout*"`, 'now only on "/checkout*"'],
    ["weaker", "true", `starts_with(${path}, "/")`, "now only on /*"],
    ["mixed", 'http.host eq "a.example"', `starts_with(${path}, "/")`, "now on every request"],
  ] as const)("%s: %s → %s", (way, before, after, words) => {
    expect(coverWords(way, before, after, "request")).toBe(words);
  });
});

describe("the broadest places come first, and the narrowest are left out", () => {
  test.each([
    [
      "a start of paths",
      `${path} in {"/a" "/b" "/c"} or starts_with(${path}, "/api/")`,
      "on /api/*, /a, /b, 1 more",
    ],
    ["a shorter start", `starts_with(${path}, "/api/") or starts_with(${path}, "/a")`, "on /a*, /api/*"],
    ["a whole host", `${path} eq "/a" or http.host eq "shop.example.com"`, "on shop.example.com, /a"],
    ["possible places", `${path} in {"a" "b" "c" "/d"}`, "on /d"],
    ["everything", `${path} in {"/a" "/b" "/c"} or starts_with(${path}, "/")`, "on every page"],
  ])("%s", (_, where, words) => {
    expect(on(where, "page")).toBe(words);
  });

  test.each([
    ["of the broadest place", `${path} eq "/a" or starts_with(${path}, "/api/")`, { [path]: "/api/" }],
    ["of any request", `${path} eq "/a" and ssl or (ssl or not ssl)`, {}],
  ])("an example is %s", (_, where, request) => {
    const after: Skips = { as: "skips", where, past: {}, others: true, is: "all managed rulesets" };
    expect(compareSkips(null, after, null)?.witness).toEqual({ as: "request", request });
  });

  test("the scoring rule is named first, with its meaning", () => {
    const skip = {
      "Cloudflare Managed Ruleset": ["055476d3d5c3db48f6fadf6e0f587fb8"],
      "Cloudflare OWASP Core Ruleset": ["e6f4bdb6656ec89895f8e3706dac94e6", CORE_RULESET.scoringId],
    };
    expect(wordsIn(skip)).toEqual([
      "rule 6179ae15870a4bb7b2d480d4843b323c of Cloudflare OWASP Core Ruleset (its scoring rule: without it the ruleset stops nothing)",
      "rule 055476d3d5c3db48f6fadf6e0f587fb8 of Cloudflare Managed Ruleset",
      "rule e6f4bdb6656ec89895f8e3706dac94e6 of Cloudflare OWASP Core Ruleset",
    ]);
  });
});

describe("gained and lost places are found by coverage, not by spelling", () => {
  const shop = 'http.host eq "shop.example.com"';
  test.each([
    [
      "a part stays",
      `${path} eq "/pay"`,
      `${shop} and ${path} in {"/pay" "/cart"}`,
      "no longer everywhere on /pay, now on shop.example.com/cart",
    ],
    [
      "everything stays",
      `${path} in {"/a/b" "/c"}`,
      `starts_with(${path}, "/a/") or ${path} eq "/d"`,
      "no longer on /c, now on /a/*, /d",
    ],
    [
      "a part existed before",
      `starts_with(${path}, "/a/") or ${path} eq "/c"`,
      `${path} in {"/a/b" "/a" "/d"}`,
      "no longer everywhere on /a/*, /c, now on /a, /d",
    ],
    ["nothing stays", `${path} eq "/a"`, `${path} eq "/b"`, "no longer on /a, now on /b"],
    [
      "every page afterwards",
      `http.host eq "shop.example.com:8443" or ${path} eq "/"`,
      `starts_with(${path}, "/")`,
      "now on every page",
    ],
    [
      "only more",
      `${path} in {"/a/b" "/c"}`,
      `starts_with(${path}, "/a/") or ${path} eq "/c"`,
      "now on /a/*",
    ],
    ["only more, apart", `${path} eq "/a"`, `${path} in {"/a" "/b"}`, "now also on /b"],
    [
      "only less",
      `starts_with(${path}, "/a/") or ${path} in {"/a/b" "/c"}`,
      `starts_with(${path}, "/a/")`,
      "no longer on /c",
    ],
  ])("%s", (_, before, after, words) => {
    const way = wayOf(before, after);
    expect(way && coverWords(way, before, after, "page")).toBe(words);
  });
});
