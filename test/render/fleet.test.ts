import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { type Problem, problem } from "../../src/model/problem.js";
import type { PlannedChange } from "../../src/plan/generated/plan-document.js";
import { planAnnotations } from "../../src/render/annotations.js";
import { planFindings, problemFindings } from "../../src/render/findings.js";
import { foldProblems } from "../../src/render/fold.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planSarif } from "../../src/render/sarif.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

/** One template changed: the same change, guardrail, warning and call in each of 300 zones, and 19 unreadable zones. */
const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const ID = (n: number) => n.toString(16).padStart(32, "0");
const names = Array.from({ length: 300 }, (_, n) => `zone-${n}.example`);
const brand = plan.changes.find(({ zone }) => zone === "brand-a.example.net");
const call = plan.calls.find(({ zone }) => zone === "brand-a.example.net");
if (brand === undefined || call === undefined) throw new Error("the golden plan has a template's zones");

const failure = (n: number) => ({
  severity: "error" as const,
  code: "not_permitted",
  zone: `closed-${n}.example`,
  message: `Permission denied. GET /zones/${ID(n)}/page_shield returned HTTP 403 (request id ${ID(n).slice(16)}-FRA). Give the token "Page Shield Read".`,
});
const failures = Array.from({ length: 19 }, (_, n) => failure(n));

const fleet: PlanDocument = {
  ...plan,
  summary: { ...plan.summary, zones: 319, not_listed: 0 },
  changes: names.map((zone, n) => ({ ...brand, zone, zone_id: ID(n), id: ID(1_000 + n) })),
  calls: names.map((zone, n) => ({
    ...call,
    ...{ zone, step: n + 1, changes: [n], after: [] },
    path: `/zones/${ID(n)}/page_shield/policies/${ID(1_000 + n)}`,
  })),
  zones: [
    ...names.map((zone, n) => ({ zone, zone_id: ID(n), status: "planned" as const, requests: 3 })),
    ...failures.map((problem) => ({
      ...{ zone: problem.zone, zone_id: null, status: "failed" as const, requests: 1 },
      problem,
    })),
  ],
  unmanaged: [],
  guardrails: names.map((zone, n) => ({
    ...{ name: "weakens", zone, allowed: false, changes: [n] },
    message: `${zone} would be less protected: "All pages". To lift it for one run, pass --allow weakens.`,
  })),
  diagnostics: [
    ...names.map((zone) => ({
      ...{ severity: "warning" as const, code: "odd", zone },
      message: `Odd. ${zone} is odd.`,
    })),
    ...failures,
  ],
};

const times = (text: string, what: string) => text.split(what).length - 1;

describe("a template's change in 300 zones", () => {
  test("takes at most 60 lines of text, without repetition", () => {
    const text = showPlan(fleet, false, false);
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
    expect(text).toContain(
      "300 zones: zone-0.example, zone-1.example, zone-2.example and 297 more\n  ~ weakens",
    );
    expect(times(text, 'All pages"  templates')).toBe(1);
    expect(times(text, "--allow weakens")).toBe(1);
    expect(text).toContain("guardrail weakens: Each of 300 zones would be less protected");
  });

  test("takes at most 100 kB of HTML, without repetition", () => {
    const text = planHtml(planView(fleet, "plan"));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_000);
    expect(times(text, "<article")).toBe(1);
    expect(times(text, "--allow weakens")).toBe(1);
    expect(times(text, "HTTP 403")).toBe(1);
    expect(times(text, "is odd.")).toBe(1);
    for (const name of names) expect(text).toContain(name);
  });

  test("takes at most ten SARIF results, with the zones as related places", () => {
    const { runs } = JSON.parse(planSarif(planView(fleet, "plan"))) as {
      runs: { results: { ruleId: string; relatedLocations?: unknown[]; locations: unknown[] }[] }[];
    };
    const results = runs.flatMap((run) => run.results);
    expect(results.length).toBeLessThanOrEqual(10);
    expect(results.map(({ ruleId, relatedLocations }) => [ruleId, relatedLocations?.length])).toEqual([
      ["guardrail/weakens", 300],
      ["problem/not_permitted", 19],
      ["change/weakens", 300],
      ["problem/odd", 300],
    ]);
  });

  test("is shown once in Markdown and in annotations", () => {
    const markdown = planMarkdown(planView(fleet, "plan"), 60_000);
    for (const what of ["--allow weakens", "HTTP 403", "call in each of 300 zones"])
      expect([what, times(markdown, what)]).toEqual([what, 1]);
    const lines = planAnnotations(planView(fleet, "plan")).trimEnd().split("\n");
    expect(lines).toHaveLength(4);
  });
});

describe("the impact of a change in many zones", () => {
  const none = { newly_blocked: [], newly_reported: [], newly_allowed: [], undecided: [] };
  const load = (zone: string) => ({
    ...{
      url: "https://cdn.example/app.js",
      host: zone,
      page: `https://${zone}/`,
      malicious: null,
      id: ID(7),
      own: false,
    },
  });
  const loading = fleet.changes.slice(0, 4).map(
    (change, n): PlannedChange => ({
      ...change,
      impact:
        n === 2
          ? { scripts: { ...none, newly_blocked: [load(change.zone)] } }
          : { scripts: none, unseen: "nothing_seen" as const },
    }),
  );
  const view = planView({ ...fleet, changes: loading, guardrails: [], diagnostics: [] }, "plan");

  test("is a finding only for zones whose pages load the script", () => {
    const blocked = planFindings(view).filter(({ rule }) => rule === "impact/newly_blocked");
    expect(blocked).toMatchObject([{ zones: ["zone-2.example"] }]);
    expect(blocked[0]?.text).toContain("would block https://cdn.example/app.js on https://zone-2.example/.");
  });

  test("counts the zones with unknown impact in every format", () => {
    for (const text of [showPlan(view.document, false, false), planMarkdown(view, 60_000), planHtml(view)])
      expect(text).toContain("in 3 zones: nothing detected here yet: this list may be incomplete");
  });
});

describe("problems", () => {
  const told = (zones: readonly string[], n = 19) =>
    foldProblems(
      Array.from({ length: n }, (_, index) =>
        problem(
          "not_permitted",
          "Permission denied",
          failure(index).message.replace("/page_shield", `/page_shield of closed-${index}.example`),
        ),
      ),
      zones,
    );

  test("with the same text in several zones are merged and name the first zones", () => {
    const [only, ...others] = told(failures.map(({ zone }) => zone));
    expect(others).toEqual([]);
    expect(only?.detail).toMatch(
      /HTTP 403\. Give the token "Page Shield Read"\. In 19 zones: closed-0\.example, closed-1\.example, closed-2\.example and 16 more\.$/,
    );
  });

  test("that begin with the zone's name stay sentences when merged", () => {
    const off = ["a.example", "b.example"].map((zone) => ({
      ...problem("odd", "Odd", `${zone} is odd.`),
      zone,
    }));
    expect(foldProblems(off).map(({ detail }) => detail)).toEqual([
      "The zone is odd. In 2 zones: a.example, b.example.",
    ]);
  });

  test("that are equal at one place are merged with their number", () => {
    const odd = problem("odd", "Odd", "This is odd.");
    const other = problem("odd", "Odd", "This is odder.");
    expect(foldProblems([odd, other, odd, odd], ["a.example"])).toEqual([
      { ...odd, detail: "This is odd. The same was found 3 times." },
      other,
    ]);
  });

  test("of one zone without a place are merged if they have the same text", () => {
    const absent = { ...problem("odd", "Odd", "Nothing answers."), zone: "a.example" };
    const place = { file: "a.yaml", line: 1, column: 1, pointer: "/zones/a.example/policies", text: "x:" };
    expect(foldProblems([absent, absent, { ...absent, at: place }, { ...absent, at: place }])).toEqual([
      absent,
      { ...absent, at: place },
      { ...absent, at: place },
    ]);
  });

  test("of one of several zones name it, unless the text or the place does", () => {
    const at = (pointer: string) => ({ file: "a.yaml", line: 4, column: 5, pointer, text: "x:" });
    const odd = { ...problem("odd", "Odd", "This is odd."), zone: "a.example", at: at("/templates/t") };
    const detailsOf = (one: Problem, zones: readonly string[]) =>
      foldProblems([one], zones).map(({ detail }) => detail);
    const zones = ["a.example", "b.example"];
    expect(detailsOf(odd, zones)).toEqual(["This is odd. In a.example."]);
    expect(detailsOf(odd, ["a.example"])).toEqual(["This is odd."]);
    expect(detailsOf({ ...odd, at: at("/zones/a.example/policies/0") }, zones)).toEqual(["This is odd."]);
    expect(detailsOf({ ...odd, at: at("/zones/a.example.com") }, zones)).toEqual([
      "This is odd. In a.example.",
    ]);
    expect(detailsOf({ ...odd, detail: "It is in a.example." }, zones)).toEqual(["It is in a.example."]);
  });

  test("of whole zones are merged if they are equal, at any place in the files", () => {
    const denied = (n: number) => ({
      ...problem("not_permitted", "Permission denied", `HTTP 403 (request id ${ID(n).slice(16)}-FRA). Ask.`),
      at: { file: "a.yaml", line: 10 + n, column: 3, pointer: `/zones/closed-${n}.example`, text: "x:" },
    });
    const two = [denied(0), denied(1)].map((each) => ({ ...each, summary: "Something else" }));
    const [first, other, ...more] = foldProblems([denied(0), denied(1), denied(2), ...two], []);
    expect(first).toMatchObject({
      detail: "HTTP 403. Ask. In 3 zones: closed-0.example, closed-1.example, closed-2.example.",
      at: { line: 10 },
    });
    expect(other?.detail).toBe("HTTP 403. Ask. In 2 zones: closed-0.example, closed-1.example.");
    expect(more).toEqual([]);
  });

  test("that fail zones are merged into one finding; warnings stay one for each line", () => {
    const source = (line: number) => ({ source: { file: "a.yaml", line, column: 3 } });
    const placed = [
      ...failures.map((each, n) => ({ ...each, ...source(n + 1) })),
      ...names.slice(0, 3).map((zone, n) => ({
        severity: "warning" as const,
        code: "odd",
        zone,
        message: "Odd.",
        ...source(n),
      })),
    ];
    const found = planFindings(
      planView({ ...fleet, changes: [], guardrails: [], diagnostics: placed }, "plan"),
    );
    expect(found.map(({ rule, zones, place }) => [rule, zones.length, place?.line])).toEqual([
      ["problem/not_permitted", 19, 1],
      ["problem/odd", 1, 0],
      ["problem/odd", 1, 1],
      ["problem/odd", 1, 2],
    ]);
  });

  test("of a command are merged into one finding with its zones; warnings stay one for each line", () => {
    const found = (severity: "error" | "warning", n: number, line: number) => ({
      ...problem("odd", "Odd", `https://pay.closed-${n}.example/ is odd.`),
      severity,
      zone: `closed-${n}.example`,
      at: { file: "a.yaml", line, column: 3, pointer: "/templates/shop/tests/0", text: "x:" },
    });
    const all = [0, 1, 2].flatMap((n) => [found("error", n, 5), found("warning", n, 7 + Math.min(n, 1))]);
    expect(
      problemFindings(all).map(({ level, text, zones, place }) => [level, text, zones.length, place?.line]),
    ).toEqual([
      ["error", "https://pay.${zone}/ is odd.", 3, 5],
      ["warning", "https://pay.closed-0.example/ is odd.", 0, 7],
      ["warning", "https://pay.${zone}/ is odd.", 2, 8],
    ]);
  });

  test("of an unknown zone or of a single zone stay unchanged", () => {
    expect(told([])).toHaveLength(19);
    expect(told(["closed-3.example"])).toEqual(told([]));
  });
});

describe("the result of an apply", () => {
  test("is in the past tense in every format", () => {
    const view = planView({ ...fleet, guardrails: [] }, "applied");
    for (const text of [
      showPlan({ ...fleet, guardrails: [] }, false, false, "applied"),
      planMarkdown(view, 60_000),
      planHtml(view),
      planSarif(view),
      planAnnotations(view),
    ])
      expect(text).not.toMatch(/would|\bto (?:create|update|delete|make)\b/);
  });
});

describe("the page of a fleet", () => {
  const blocked = (n: number) => ({
    id: ID(n),
    url: `https://cdn-${n}.example/a.js`,
    page: null,
    malicious: false,
    own: false,
  });
  const none = { newly_reported: [], newly_allowed: [], undecided: [] };
  const losing: PlanDocument = {
    ...fleet,
    changes: fleet.changes.map((change, n) => ({
      ...change,
      impact: { scripts: { ...none, newly_blocked: [blocked(n)] } },
    })),
  };
  /** The visible content with nothing opened. */
  const inSight = (page: string) => {
    let text = page.replaceAll(/<summary>(.*?)<\/summary>/g, "");
    for (let before = ""; before !== text; )
      [before, text] = [text, text.replace(/<details[^>]*>(?:(?!<details)[\s\S])*?<\/details>/g, "")];
    return text;
  };

  test("shows the first live URLs that would be blocked, and folds the others", () => {
    const page = planHtml(planView(losing, "plan"));
    expect(times(inSight(page), "/a.js</th>")).toBe(5);
    expect(page).toContain("newly blocked:</strong> 300 scripts");
    expect(page).toContain("<summary>295 more</summary>");
  });

  test("shows these URLs even if the changes are folded", () => {
    const changes = losing.changes.map((change, n) => ({ ...change, key: `Policy ${n}` }));
    const page = inSight(planHtml(planView({ ...losing, changes }, "plan")));
    expect(page).not.toContain("<article");
    expect(times(page, "newly blocked:</strong> 1 script: <code>https://cdn-")).toBe(300);
  });

  test("links a guardrail to its changes", () => {
    const page = planHtml(planView(fleet, "plan"));
    expect(page).toMatch(/refused by<\/strong>.*<a href="#c0">policy All pages<\/a>/);
    expect(page).toContain('id="c0"');
  });

  test("links a guardrail without particular changes to its zone", () => {
    const guardrails = fleet.guardrails.slice(0, 1).map(({ changes: _, ...each }) => each);
    const page = planHtml(planView({ ...fleet, guardrails }, "plan"));
    const [, block = ""] = /refused by<\/strong>.*<a href="#(\w+)">zone-0\.example<\/a>/.exec(page) ?? [];
    expect(page).toContain(`<section class="zone" id="${block}">`);
  });

  test("names each zone, and the zone of an example", () => {
    const page = planHtml(planView(fleet, "plan"));
    for (const name of [...names, ...failures.map(({ zone }) => zone)])
      expect(page).toMatch(new RegExp(`[ >]${name}[,<]`));
    expect(page).toContain("e.g. in zone-0.example: ");
  });
});
