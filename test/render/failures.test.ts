import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

type About = "plan" | "drift";

/** A plan without changes, with planned and failed zones. */
function unchanged(planned: number, failed: number): PlanDocument {
  const zoneOf = (status: "planned" | "failed", n: number) => ({
    ...{ zone: `${status}-${n}.example`, zone_id: null, requests: 1 },
    status,
  });
  return {
    ...plan,
    ...{ changes: [], calls: [], unmanaged: [], guardrails: [], diagnostics: [] },
    summary: {
      ...plan.summary,
      ...{ create: 0, update: 0, delete: 0, unchanged: planned, zones: planned + failed },
    },
    zones: [
      ...Array.from({ length: planned }, (_, n) => zoneOf("planned", n)),
      ...Array.from({ length: failed }, (_, n) => zoneOf("failed", n)),
    ],
  };
}

describe("a plan without changes and with failed zones", () => {
  test.each<[about: About, planned: number, failed: number, headline: string]>([
    ["plan", 1, 1, "1 of 2 zones could not be planned; no changes in the other"],
    ["plan", 3, 2, "2 of 5 zones could not be planned; no changes in the other 3 zones"],
    ["plan", 0, 1, "1 zone could not be planned"],
    ["plan", 0, 3, "3 zones could not be planned"],
    ["drift", 1, 1, "1 of 2 zones could not be checked; no drift in declared objects in the other"],
    ["drift", 0, 3, "3 zones could not be checked"],
  ])(
    "of kind %s with %i unchanged and %i failed zones has the headline: %s",
    (about, planned, failed, headline) => {
      const document = unchanged(planned, failed);
      const markdown = planMarkdown(planView(document, about), 60_000);
      expect(markdown.split("\n")[0]).toBe(`### ${about === "plan" ? "Plan" : "Drift"}: ${headline}`);
      expect(planMarkdown(planView(document, about), 1_000).split("\n")[0]).toContain(`: ${headline}`);
      expect(planHtml(planView(document, about))).toContain(`<h1>${headline}</h1>`);
      const [first = "", second] = showPlan(document, false, false, about).split("\n");
      if (planned > 0) expect(first).toBe(headline);
      else
        expect([first, second]).toEqual([
          failed === 1 ? "failed-0.example" : "3 zones: failed-0.example, failed-1.example, failed-2.example",
          `  could not be ${about === "plan" ? "planned" : "checked"}: see the errors`,
        ]);
      for (const each of [markdown, planHtml(planView(document, about))])
        expect(each).not.toMatch(/(?:: |<h1>)(?:no changes|nothing changed|No change)/);
    },
  );

  test("has an all-clear headline without failed zones", () => {
    expect(planMarkdown(planView(unchanged(2, 0), "plan"), 60_000)).toMatch(/^### Plan: no changes\n/);
    expect(planMarkdown(planView(unchanged(2, 0), "drift"), 60_000)).toMatch(
      /^### Drift: no drift in declared objects\n/,
    );
    expect(planHtml(planView(unchanged(2, 0), "plan"))).toContain("<h1>No change in 2 zones</h1>");
    expect(showPlan(unchanged(2, 0), false, false)).toMatch(/^Plan: no changes, 2 unchanged in 2 zones\./);
  });

  test("names failed zones even in the shortest headline", () => {
    expect(planMarkdown(planView(plan, "plan"), 1_000).split("\n")).toContainEqual(
      expect.stringMatching(/^### Plan: 1 of 9 zones could not be planned; 8 weaken, .*$/),
    );
  });
});

describe("drift without a base", () => {
  const { base: _, ...without } = plan;
  const shown = (document: PlanDocument, about: About) => [
    showPlan(document, false, false, about),
    planMarkdown(planView(document, about), 60_000),
    planHtml(planView(document, about)),
  ];
  const words = /Without `?--base`?, changes to the files that are not applied yet count as drift\./;

  test("says that unapplied changes count as drift", () => {
    for (const each of shown(without, "drift")) expect(each).toMatch(words);
  });

  test("omits this for plans, without drift, and with a base", () => {
    const unread = { severity: "warning", code: "base_not_read", message: "It cannot be read." } as const;
    for (const each of [
      ...shown(without, "plan"),
      ...shown(plan, "drift"),
      ...shown({ ...without, changes: [] }, "drift"),
      ...shown({ ...without, diagnostics: [unread] }, "drift"),
    ])
      expect(each).not.toMatch(words);
  });
});
