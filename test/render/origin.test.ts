import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

type Change = PlanDocument["changes"][number];

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const text = (changes: readonly Change[], about: "plan" | "drift" = "plan") =>
  showPlan(
    {
      ...plan,
      ...{ changes: [...changes], zones: plan.zones.slice(0, 2) },
      ...{ guardrails: [], unmanaged: [], diagnostics: [] },
    },
    false,
    false,
    about,
  );

const change = (given: Partial<Change>): Change => {
  const { impact: _, drift_effect: __, ...rest } = plan.changes[0] as Change; // the golden plan has changes
  return { ...rest, origin: "declared", dimensions: [], ...given };
};

describe("the origin of a change", () => {
  test.each<[Partial<Change>, string | null]>([
    [{ origin: "declared" }, null],
    [{ origin: "unknown" }, null],
    [{ origin: "drift" }, "! drift: changed outside the files; this plan reverts it"],
    [
      { origin: "drift", drift_effect: "weakens" },
      "! drift: changed outside the files; the outside change weakens protection; this plan reverts it",
    ],
    [
      { origin: "conflict", drift_effect: "strengthens" },
      "! conflict: changed since the base, in the files and outside them; the outside change strengthens protection",
    ],
    [
      { origin: "mixed", drift_effect: "neutral" },
      "! includes drift: some fields were changed outside the files; the outside change has no effect on protection",
    ],
  ])("%j is shown as %s", (given, line) => {
    const lines = text([change(given)]).split("\n");
    expect(lines.find((each) => each.trim().startsWith("! "))?.trim() ?? null).toBe(line);
  });

  test("is shown for the fields of a mixed change only", () => {
    expect(text([change({ origin: "mixed" })])).toContain("  action (drift): log");
    expect(text([change({ origin: "mixed" })])).toContain("  value:\n");
    expect(text([change({ origin: "conflict" })])).toContain("  action: log");
  });

  test("is the line in the base for an object removed from the files", () => {
    const removed = { file: "zoneward.yaml", line: 17, column: 3 };
    expect(text([change({ action: "delete", removed })])).toContain(
      "  no longer in zoneward.yaml:17 (base)\n",
    );
  });

  const TAKEN = { taken_over: true, origin: "conflict" } as const;
  const REMOVED = { removed: { file: "zoneward.yaml", line: 17, column: 3 } };
  test.each<[Partial<Change>, said: string, caption: string]>([
    [
      TAKEN,
      "changed since the base, by an apply or outside the files; live already as declared",
      "From the base to the files (already live)",
    ],
    [
      { ...TAKEN, action: "create" },
      "created since the base, by an apply or outside the files; live already as declared",
      "From the base to the files (already live)",
    ],
    [
      { ...TAKEN, ...REMOVED },
      "changed since the base, by an apply or outside the files; no longer declared",
      "From the base to the live state (which stays)",
    ],
  ])("is the base for a change without a call: %j", (given, said, caption) => {
    expect(text([change(given)])).toContain(`! ${said}`);
    const html = planHtml(planView({ ...plan, changes: [change(given)] }, "plan"));
    expect(html).toContain(said);
    expect(html).toContain(`<caption>${caption}</caption>`);
  });

  test("is part of the verdict", () => {
    expect(text(plan.changes).split("\n")[0]).toContain("; 1 in conflict, 1 drifted, 1 partly drifted; ");
  });
});

describe("drift", () => {
  const [shop, pay] = ["shop.example.com", "pay.example.com"].map((zone) => ({
    zone,
    origin: "drift" as const,
  }));
  const shown = text(
    [
      change({ ...shop, key: "Neutral", drift_effect: "neutral" }),
      change({ ...shop, key: "Stronger", drift_effect: "strengthens", action: "delete" }),
      change({ ...pay, key: "Odd", drift_effect: "unknown" }),
      change({ ...pay, key: "Weaker", drift_effect: "weakens", action: "create" }),
    ],
    "drift",
  );

  test("is shown with weakened objects and zones first", () => {
    const names = ["Weaker", "Odd", "Stronger", "Neutral"];
    expect(shown.match(/Weaker|Odd|Stronger|Neutral/g)).toEqual(names);
    expect(shown.indexOf("pay.example.com 0")).toBeLessThan(shown.indexOf("shop.example.com 0"));
  });

  test.each([
    ["- weakens (deleted outside)", "Weaker"],
    ["~ unknown (changed outside)", "Odd"],
    ["+ strengthens (added outside)", "Stronger"],
    ["~ neutral (changed outside)", "Neutral"],
  ])("starts with the outside change: %s", (lead, name) => {
    const line = shown.split("\n").find((each) => each.includes(`"${name}"`)) ?? "";
    expect(line.trim().startsWith(`${lead}  `)).toBe(true);
  });

  test("has its own verdict and summary", () => {
    expect(shown.split("\n")[0]).toMatch(
      /^4 changes outside the files: 1 weakens, 1 unknown, 1 strengthens, 1 neutral; undoing the drift would /,
    );
    expect(shown).toContain("16 changed, 1 deleted, 1 added, 2 undeclared, 23 unchanged in ");
    expect(shown).not.toContain("! drift");
  });

  test("is reported as absent if there is none", () => {
    const summary = { ...plan.summary, create: 0, update: 0, delete: 0, not_listed: 0 };
    const none = { ...plan, summary, changes: [], unmanaged: [], zones: plan.zones.slice(0, 8) };
    expect(showPlan(none, false, false, "drift")).toMatch(
      /\nDrift: no drift, 23 unchanged in 9 zones\. .*$/m,
    );
  });

  test("is not reported as absent if there are undeclared live objects", () => {
    const summary = { ...plan.summary, create: 0, update: 0, delete: 0 };
    const none = {
      ...plan,
      summary,
      changes: [],
      guardrails: [],
      diagnostics: [],
      zones: plan.zones.slice(0, 8),
    };
    const shown = [
      showPlan(none, false, false, "drift"),
      planMarkdown(planView(none, "drift"), 60_000),
      planMarkdown(planView(none, "drift"), 1_000),
      planHtml(planView(none, "drift")),
    ];
    for (const each of shown) {
      expect(each).toContain("2 undeclared live objects");
      expect(each).not.toContain("no drift,");
    }
    expect(shown[0]).toMatch(/\nDrift: no drift in declared objects, 23 unchanged/);
  });
});
