import { describe, expect, test } from "vitest";
import { mayHide, type RateLimit, rateLimitShifts } from "../../src/strength/compare-rate-limits.js";
import { effectOf } from "../../src/strength/index.js";

const logins: RateLimit = {
  expression: 'http.request.uri.path eq "/login"',
  action: "managed_challenge",
  characteristics: ["ip.src"],
  period: 60,
  requests_per_period: 10,
  mitigation_timeout: 600,
};
const { requests_per_period: _, ...uncounted } = logins;
const scored: RateLimit = { ...uncounted, score_per_period: 10, score_response_header_name: "x-score" };

/** Declared by a later version. */
const NEWER = { period: 60, burst: 5 } as Partial<RateLimit>;

type Case = readonly [
  title: string,
  after: Partial<RateLimit>,
  effect: ReturnType<typeof effectOf>,
  why: string,
];

describe("a changed rate limit", () => {
  test.each<Case>([
    ["no change", {}, "neutral", ""],
    [
      "fewer requests",
      { requests_per_period: 5 },
      "strengthens",
      "10 requests in 60 s → 5 requests in 60 s: allows fewer requests",
    ],
    [
      "more requests",
      { requests_per_period: 11 },
      "weakens",
      "10 requests in 60 s → 11 requests in 60 s: allows more requests",
    ],
    [
      "a longer period",
      { period: 120 },
      "strengthens",
      "10 requests in 60 s → 10 requests in 120 s: allows fewer requests",
    ],
    [
      "a shorter period",
      { period: 10 },
      "weakens",
      "10 requests in 60 s → 10 requests in 10 s: allows more requests",
    ],
    [
      "the same rate over a longer period",
      { period: 120, requests_per_period: 20 },
      "weakens",
      "10 requests in 60 s → 20 requests in 120 s: allows more requests",
    ],
    [
      "the same rate over a shorter period",
      { period: 6, requests_per_period: 1 },
      "strengthens",
      "10 requests in 60 s → 1 request in 6 s: allows fewer requests",
    ],
    [
      "a lower count at a higher rate",
      { period: 10, requests_per_period: 5 },
      "unknown",
      "10 requests in 60 s → 5 requests in 10 s: each limits what the other lets pass",
    ],
    [
      "a lower count at a lower rate, which two periods exceed",
      { period: 45, requests_per_period: 7 },
      "unknown",
      "10 requests in 60 s → 7 requests in 45 s: each limits what the other lets pass",
    ],
    [
      "a higher count at a higher rate, which two periods do not reach",
      { period: 90, requests_per_period: 16 },
      "unknown",
      "10 requests in 60 s → 16 requests in 90 s: each limits what the other lets pass",
    ],
    [
      "a higher count at a lower rate",
      { period: 600, requests_per_period: 20 },
      "unknown",
      "10 requests in 60 s → 20 requests in 600 s: each limits what the other lets pass",
    ],
    ["a longer timeout", { mitigation_timeout: 3600 }, "strengthens", "mitigation timeout 600 s → 3600 s"],
    ["a shorter timeout", { mitigation_timeout: 0 }, "weakens", "mitigation timeout 600 s → 0 s"],
    ["fewer characteristics", { characteristics: [] }, "strengthens", "no longer counts by ip.src"],
    [
      "more characteristics",
      { characteristics: ["ip.src", "http.host"] },
      "weakens",
      "now counts by http.host",
    ],
    [
      "other characteristics",
      { characteristics: ["cf.unique_visitor_id"] },
      "unknown",
      "no longer counts by ip.src; now counts by cf.unique_visitor_id",
    ],
    [
      "the data center among the characteristics",
      { characteristics: ["cf.colo.id", "ip.src"] },
      "neutral",
      "",
    ],
    ["a stronger action", { action: "block" }, "strengthens", "managed_challenge → block"],
    ["a weaker action", { action: "log" }, "weakens", "managed_challenge → log"],
    ["another challenge", { action: "js_challenge" }, "neutral", ""],
    [
      "an unknown action",
      { action: "tarpit" },
      "unknown",
      "managed_challenge → tarpit: unknown how strong the action is",
    ],
    ["a wider expression", { expression: "true" }, "strengthens", "now on every request"],
    ["a narrower expression", { expression: `${logins.expression} and ssl` }, "weakens", "on fewer requests"],
    [
      "another counting expression",
      { counting_expression: "http.response.code eq 401" },
      "unknown",
      "unknown whether fewer requests are counted",
    ],
    [
      "a counting expression that means the same",
      { counting_expression: `(${logins.expression})` },
      "neutral",
      "",
    ],
    ["an empty counting expression", { counting_expression: "" }, "neutral", ""],
    [
      "only requests to the origin",
      { requests_to_origin: true },
      "unknown",
      "now counts only requests to the origin",
    ],
    ["all requests, as by default", { requests_to_origin: false }, "neutral", ""],
    ["a field that nothing compares", NEWER, "unknown", "the effect of burst is unknown"],
  ])("%s", (_title, change, effect, why) => {
    const shifts = rateLimitShifts(logins, { ...logins, ...change });
    expect(shifts.map((each) => each.why).join()).toBe(why);
    expect(effectOf(shifts)).toBe(effect);
  });

  test.each<readonly [string, RateLimit, RateLimit, ReturnType<typeof effectOf>]>([
    ["a lower score", scored, { ...scored, score_per_period: 5 }, "strengthens"],
    ["a score of another header", scored, { ...scored, score_response_header_name: "x-other" }, "unknown"],
    ["a score in place of requests", logins, scored, "unknown"],
    ["the end of a timeout of its own", logins, withoutTimeout(logins), "unknown"],
    ["a count that neither has", uncounted, { ...uncounted }, "neutral"],
    ["a field that nothing compares, as before", { ...logins, ...NEWER }, { ...logins, ...NEWER }, "neutral"],
    [
      "weaker in one field and stronger in another",
      logins,
      { ...logins, action: "block", requests_per_period: 20 },
      "mixed",
    ],
  ])("%s", (_title, before, after, effect) => {
    expect(effectOf(rateLimitShifts(before, after))).toBe(effect);
  });

  test("is a gain when it comes and a loss when it goes", () => {
    expect(rateLimitShifts(null, logins)).toEqual([
      { dimension: "expression", way: "stronger", why: "now limited: /login", witness: null },
    ]);
    expect(rateLimitShifts(logins, null, "shop.example.com")).toEqual([
      {
        dimension: "expression",
        way: "weaker",
        why: "no longer limited: /login",
        witness: { as: "request", request: { "http.request.uri.path": "/login" } },
      },
    ]);
  });

  test("is unknown with an unknown action", () => {
    const [shift] = rateLimitShifts(null, { ...logins, action: "skip" });
    expect(shift).toMatchObject({
      way: "unknown",
      why: "skip on /login: unknown how strong the action is",
    });
  });

  test("is unknown with a field that nothing compares", () => {
    expect(effectOf(rateLimitShifts(null, { ...logins, ...NEWER }))).toBe("unknown");
  });

  test("is unknown from an unknown period", () => {
    const after = { ...logins, period: 86400, requests_per_period: 5000 };
    const found = rateLimitShifts({ ...logins, period: 0 }, after);
    expect(effectOf(found)).toBe("unknown");
    expect(found.map(({ why }) => why)).toEqual(["an unknown period → 5000 requests in 86400 s"]);
  });

  test("is unknown with another score header, also where the names differ only in the middle", () => {
    const { requests_per_period: _, ...rest } = logins;
    const scored = (mark: string) => ({
      ...rest,
      score_per_period: 5,
      score_response_header_name: `${"a".repeat(60)}${mark}${"a".repeat(60)}`,
    });
    expect(effectOf(rateLimitShifts(scored("x"), scored("y")))).toBe("unknown");
  });

  test("is neutral for no request", () => {
    expect(rateLimitShifts(null, { ...logins, expression: "false" })).toEqual([]);
    expect(rateLimitShifts(null, null)).toEqual([]);
  });
});

describe("a rate limit before another", () => {
  const block: RateLimit = { ...logins, action: "block" };
  test.each<readonly [string, RateLimit, Partial<RateLimit>, boolean]>([
    ["challenges where the other blocks", logins, { action: "block" }, true],
    ["challenges too", logins, {}, false],
    ["blocks", block, {}, false],
    ["blocks for a shorter time", { ...block, mitigation_timeout: 10 }, { action: "block" }, true],
    ["blocks for a shorter time than the other challenges", { ...block, mitigation_timeout: 10 }, {}, true],
    [
      "challenges for a shorter time than the other logs",
      logins,
      { action: "log", mitigation_timeout: 3600 },
      false,
    ],
    ["blocks for an unknown time", withoutTimeout(block), { action: "block" }, true],
    ["blocks for a longer time", { ...block, mitigation_timeout: 3600 }, { action: "block" }, false],
    ["only logs", { ...logins, action: "log" }, { action: "block" }, false],
    ["has an unknown action", { ...logins, action: "tarpit" }, {}, true],
    ["stands before an unknown action", block, { action: "tarpit" }, true],
    ["has other requests", logins, { action: "block", expression: 'http.request.uri.path eq "/x"' }, false],
  ])("%s", (_title, limit, other, hides) => {
    expect(mayHide(limit, { ...logins, ...other })).toBe(hides);
  });
});

function withoutTimeout({ mitigation_timeout: _, ...rest }: RateLimit): RateLimit {
  return rest;
}
