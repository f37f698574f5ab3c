import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { showPlan } from "../../src/run/plan-formats.js";
import { harmIn, hostileTexts } from "../support/hostile.js";

type Change = PlanDocument["changes"][number];
type Impact = NonNullable<Change["impact"]>;
type Moved = NonNullable<Impact["scripts"]>;
type Sums = NonNullable<PlanDocument["summary"]["impact"]>;

const NOTHING: Moved = { newly_blocked: [], newly_reported: [], newly_allowed: [], undecided: [] };
const NO_SUMS = {
  tried: 0,
  newly_blocked: 0,
  newly_reported: 0,
  newly_allowed: 0,
  undecided: 0,
  malicious_allowed: 0,
};

function change(given: Partial<Change>): Change {
  return {
    zone: "shop.example",
    zone_id: "1",
    kind: "policy",
    key: "Checkout",
    id: "2",
    action: "update",
    origin: "unknown",
    effect: "neutral",
    dimensions: [],
    fields: [],
    source: { file: "zoneward.yaml", line: 7, column: 9 },
    ...given,
  };
}

interface Given {
  readonly impact?: Sums | null;
  readonly guardrails?: PlanDocument["guardrails"];
  readonly failed?: readonly string[];
}

function document(changes: readonly Change[], { impact = null, guardrails = [], failed = [] }: Given = {}) {
  const effects = { strengthens: 0, weakens: 0, mixed: 0, neutral: 0, unknown: 0 };
  for (const { effect } of changes) effects[effect] += 1;
  const origins = { declared: 0, drift: 0, conflict: 0, mixed: 0, unknown: 0 };
  const counts = { create: 0, update: changes.length, delete: 0, unchanged: 0, unmanaged: 0, not_listed: 0 };
  const plan: PlanDocument = {
    format_version: "1",
    summary: { zones: 1 + failed.length, ...counts, calls: 0, requests: 1, effects, origins, impact },
    inputs: { config: [], zones: [] },
    changes: [...changes],
    calls: [],
    zones: [
      { zone: "shop.example", zone_id: "1", status: "planned", requests: 1 },
      ...failed.map((zone) => ({ zone, zone_id: null, status: "failed" as const, requests: 1 })),
    ],
    unmanaged: [],
    guardrails: [...guardrails],
    seen: [],
    digest: "",
    diagnostics: [],
  };
  return plan;
}

function shown(...given: Parameters<typeof document>): string {
  return showPlan(document(...given), false, false);
}

/** The lines below the zone's name. */
function body(one: Partial<Change>): string {
  return /^shop\.example 1\n([\s\S]*?)\nPlan:/m.exec(shown([change(one)]))?.[1] ?? "";
}

const sums = (scripts: Partial<Sums["scripts"]>, connections: Partial<Sums["scripts"]> = {}): Sums => ({
  scripts: { ...NO_SUMS, ...scripts },
  connections: { ...NO_SUMS, ...connections },
  unread: [],
});

const BLOCKS_MALICIOUS = {
  scripts: {
    newly_blocked: [
      {
        id: "1",
        url: "https://evil.example/x.js",
        malicious: true,
        page: "https://shop.example/",
        own: false,
      },
    ],
    newly_reported: [],
    newly_allowed: [],
    undecided: [],
  },
};

describe("a plan's first line says", () => {
  const verdict = (...given: Parameters<typeof document>) => shown(...given).split("\n")[0];
  const weak = change({ effect: "weakens" });

  test.each<[string, readonly Change[], Given, string]>([
    ["the effect of one change", [weak], {}, "1 weakens"],
    [
      "the effects of several changes, the worst first",
      (["strengthens", "neutral", "mixed", "weakens", "unknown", "weakens", "strengthens"] as const).map(
        (effect) => change({ effect }),
      ),
      {},
      "2 weaken, 1 unknown, 1 mixed, 2 strengthen, 1 neutral",
    ],
    [
      "the blocked scripts and their total",
      [weak],
      { impact: sums({ tried: 41, newly_blocked: 3 }) },
      "1 weakens; would block 3 of 41 scripts in use",
    ],
    [
      "the blocked connections too",
      [weak],
      { impact: sums({ tried: 41, newly_blocked: 3 }, { tried: 1, newly_blocked: 1 }) },
      "1 weakens; would block 3 of 41 scripts in use and 1 of 1 connection in use",
    ],
    [
      "the reported and allowed loads",
      [weak],
      {
        impact: sums(
          { tried: 41, newly_blocked: 3, newly_reported: 1 },
          { tried: 9, newly_reported: 2, newly_allowed: 4 },
        ),
      },
      "1 weakens; would block 3 of 41 scripts in use, report 1 script and 2 connections, allow 4 connections",
    ],
    [
      "no impact",
      [weak],
      { impact: sums({ tried: 41 }, { tried: 2 }) },
      "1 weakens; no impact on 41 scripts in use and 2 connections in use",
    ],
    [
      "first, the malicious loads that would be allowed",
      [weak],
      { impact: sums({ tried: 41, newly_allowed: 4, malicious_allowed: 2 }) },
      "1 weakens; would allow 4 of 41 scripts in use (2 malicious)",
    ],
    [
      "blocked malicious loads apart from other loads",
      [change({ effect: "weakens", impact: BLOCKS_MALICIOUS })],
      { impact: sums({ tried: 20, newly_blocked: 2 }) },
      "1 weakens; would block 1 of 20 scripts in use, block 1 malicious script",
    ],
    [
      "only malicious loads blocked",
      [change({ effect: "strengthens", impact: BLOCKS_MALICIOUS })],
      { impact: sums({ tried: 20, newly_blocked: 1 }) },
      "1 strengthens; would block 1 malicious script",
    ],
    [
      "undecided loads",
      [weak],
      { impact: sums({ tried: 41, undecided: 2 }) },
      "1 weakens; no impact on 41 scripts in use; 2 scripts undecided",
    ],
    [
      "nothing detected",
      [weak],
      { impact: sums({}) },
      "1 weakens; no impact: no script or connection seen on these pages",
    ],
    [
      "the zone whose evidence could not be read",
      [weak],
      { impact: { ...sums({}), unread: ["shop.example"] } },
      "1 weakens; evidence for shop.example was not read in full",
    ],
    [
      "the number of zones whose evidence could not be read",
      [weak],
      { impact: { ...sums({ tried: 3 }), unread: ["a", "b", "c", "d"] } },
      "1 weakens; no impact on 3 scripts in use; evidence for 4 zones was not read in full",
    ],
    [
      "the refusing guardrails",
      [weak],
      {
        guardrails: [
          { name: "weakens", zone: "shop.example", message: "m", allowed: false },
          { name: "weakens", zone: "blog.example", message: "m", allowed: false },
          { name: "max_changes", message: "m", allowed: false },
          { name: "deletes", message: "m", allowed: true },
        ],
      },
      "apply would be refused by guardrails weakens, max_changes; 1 weakens",
    ],
    [
      "the failed zones",
      [weak],
      { failed: ["blog.example"] },
      "1 of 2 zones could not be planned; 1 weakens",
    ],
    [
      "no impact without changes",
      [],
      {},
      "Plan: no changes, 0 unchanged in 1 zone. Planning used 1 request.",
    ],
  ])("%s", (_, changes, given, expected) => {
    expect(verdict(changes, given)).toBe(expected);
  });
});

describe("a change", () => {
  test("starts with its effect, in one column for the whole plan", () => {
    const lines = shown([
      change({ effect: "weakens", key: "One" }),
      change({ effect: "strengthens", key: "Two", action: "create" }),
      change({ effect: "mixed", kind: "settings", key: "settings", source: null }),
    ]).split("\n");
    expect(lines.slice(3, 6)).toEqual([
      '  ~ weakens      policy "One"  zoneward.yaml:7',
      "  ~ mixed        settings",
      '  + strengthens  policy "Two"  zoneward.yaml:7',
    ]);
  });

  test("shows the reasons with examples, then the differences", () => {
    const page = "https://shop.example/checkout";
    const text = body({
      effect: "mixed",
      dimensions: [
        {
          dimension: "csp",
          effect: "weakens",
          why: "from blocking to reporting; script-src also allows cdn.example, https://static.example.net/shop/app.js and *.example",
          witness: { as: "load", kind: "script", page, url: "https://evil.example/a.js" },
        },
        {
          dimension: "threshold",
          effect: "strengthens",
          why: "score threshold 60 → 40: fewer rules must match before the action runs",
          witness: null,
        },
        {
          dimension: "calls",
          effect: "mixed",
          why: "it goes elsewhere",
          witness: { as: "load", kind: "connection", page, url: "wss://evil.example/" },
        },
        {
          dimension: "pages",
          effect: "weakens",
          why: "no longer on any request",
          witness: { as: "request", request: {} },
        },
        {
          dimension: "others",
          effect: "unknown",
          why: "its pages are others",
          witness: { as: "request", request: { "http.host": "shop.example", "cf.score": 5 } },
        },
      ],
      fields: [{ path: "action", before: "allow", after: "log", origin: "unknown" }],
    });
    expect(text).toBe(`  ~ mixed  policy "Checkout"  zoneward.yaml:7
      ↓ from blocking to reporting; script-src also allows cdn.example, https://static.example.net/shop/app.js
        and *.example
        e.g. https://evil.example/a.js on https://shop.example/checkout is no longer caught
      ↑ score threshold 60 → 40: fewer rules must match before the action runs
      ↕ it goes elsewhere
        e.g. a connection to wss://evil.example/ on https://shop.example/checkout is no longer caught
      ↓ no longer on any request
      ? its pages are others
        e.g. a request with http.host "shop.example", cf.score 5 is no longer caught
      action: allow (blocks the rest) → log (reports only)
`);
  });

  test("that deletes an object shows its fields", () => {
    const before = {
      description: "Checkout",
      action: "allow",
      enabled: true,
      expression: 'http.host eq "a.example"',
      value: "script-src 'self'; connect-src 'self'",
    };
    const fields = Object.entries(before).map(([path, value]) => ({
      path,
      before: value,
      after: null,
      origin: "unknown" as const,
    }));
    expect(
      body({ action: "delete", effect: "weakens", fields }),
    ).toBe(`  - weakens  policy "Checkout" 2  zoneward.yaml:7
      - action: allow (blocks the rest), enabled: true
      - expression: http.host eq "a.example"
      - value: script-src 'self'; connect-src 'self'
`);
  });

  test("that deletes the managed ruleset shows how strict it was", () => {
    const fields = [
      { path: "score_threshold", before: 60, after: null, origin: "unknown" as const },
      { path: "action", before: "log", after: null, origin: "unknown" as const },
      { path: "disabled_rules", before: [], after: null, origin: "unknown" as const },
      { path: "options.how", before: "so", after: null, origin: "unknown" as const },
      { path: "payload_logging", before: null, after: null, origin: "unknown" as const },
    ];
    const lines = body({ kind: "managed_ruleset", key: "managed_ruleset", action: "delete", fields }).split(
      "\n",
    );
    expect(lines.slice(1)).toEqual([
      "      - score_threshold: 60 (low: least strict), action: log (reports only)",
      "",
    ]);
  });
});

describe("the impact of a change", () => {
  const entry = (n: number, more: Partial<Moved["newly_blocked"][number]> = {}) => ({
    id: String(n),
    url: `https://cdn.example/${n}.js`,
    malicious: false,
    page: "https://shop.example/",
    own: false,
    ...more,
  });
  const impactOf = (impact: Impact) => body({ impact }).split("\n").slice(1).join("\n");

  test("is counted, split and shown, the most important first", () => {
    const own = entry(3, { own: true, page: null });
    const text = impactOf({
      scripts: {
        ...NOTHING,
        newly_blocked: [entry(1, { malicious: true }), entry(2), own],
        newly_allowed: [entry(4), entry(5, { malicious: null }), entry(6, { malicious: true })],
      },
      connections: {
        ...NOTHING,
        newly_reported: [entry(7, { malicious: true })],
        undecided: [
          { ...entry(8), may_be: ["newly_blocked", "newly_reported"] },
          { ...entry(9, { malicious: true }), may_be: ["newly_allowed"] },
        ],
      },
    });
    expect(text).toBe(
      `      newly blocked: 3 scripts (1 malicious)
        Cloudflare's own  https://cdn.example/3.js
                          https://cdn.example/2.js on https://shop.example/
        malicious         https://cdn.example/1.js on https://shop.example/
      newly reported: 1 connection (malicious)
        malicious  https://cdn.example/7.js on https://shop.example/
      newly allowed: 3 scripts (1 malicious)
        malicious   https://cdn.example/6.js on https://shop.example/
        not judged  https://cdn.example/5.js on https://shop.example/
                    https://cdn.example/4.js on https://shop.example/
      undecided: 2 connections (1 malicious)
        malicious, may be newly allowed         https://cdn.example/9.js on https://shop.example/
        may be newly blocked or newly reported  https://cdn.example/8.js on https://shop.example/
`,
    );
  });

  test("shows five loads and counts the rest", () => {
    const newly_blocked = Array.from({ length: 41 }, (_, n) => entry(n));
    const lines = impactOf({ scripts: { ...NOTHING, newly_blocked } }).split("\n");
    expect(lines[0]).toBe("      newly blocked: 41 scripts");
    expect(lines.slice(6)).toEqual(["        and 36 more: --format json has all", ""]);
  });

  test.each<[string, Impact]>([
    ["of both kinds", { scripts: NOTHING, connections: NOTHING }],
    ["with only one readable", { scripts: NOTHING }],
  ])("is not shown if nothing is affected: %s", (_, impact) => {
    expect(impactOf(impact)).toBe("");
  });

  test("cannot be forged by a URL", () => {
    const url = "https://a.example/ on https://harmless.example/";
    const text = impactOf({ scripts: { ...NOTHING, newly_blocked: [entry(1, { url })] } });
    expect(text).toContain(`"${url}" on https://shop.example/`);
  });
});

describe("a review is harmless with text in any place", () => {
  test.each(hostileTexts)("%s", (_, text) => {
    const detection = { id: text, url: text, malicious: null, page: text, own: false };
    const impact = {
      scripts: { ...NOTHING, newly_blocked: [detection, { ...detection, malicious: true }] },
      connections: { ...NOTHING, undecided: [{ ...detection, may_be: ["newly_allowed" as const] }] },
    };
    const witnesses = [
      { as: "load", kind: "script", page: text, url: text },
      { as: "request", request: { [text]: text, a: { [text]: [text] } } },
    ] as const;
    const dimensions = witnesses.map((witness) => ({
      dimension: text,
      effect: "weakens" as const,
      why: text,
      witness,
    }));
    const fields = ["a", text].map((path) => ({
      path,
      before: text,
      after: null,
      origin: "unknown" as const,
    }));
    const guardrails = [{ name: text, message: text, allowed: false }];
    const given = { impact: { ...sums({}), unread: [text] }, guardrails, failed: [text] };
    const plans = [
      { action: "update", color: false },
      { action: "delete", color: true },
    ] as const;
    for (const { action, color } of plans) {
      const plan = document([change({ action, effect: "weakens", dimensions, fields, impact })], given);
      expect(harmIn(showPlan(plan, color, false), "people", color)).toEqual([]);
    }
  });
});
