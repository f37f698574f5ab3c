import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planAnnotations } from "../../src/render/annotations.js";
import { planCodeQuality } from "../../src/render/code-quality.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planSarif } from "../../src/render/sarif.js";
import type { About } from "../../src/render/words.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

type Change = PlanDocument["changes"][number];
type Field = Change["fields"][number];

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const change = (given: Partial<Change>): Change => ({
  ...{ zone: "shop.example.com", zone_id: "0".repeat(32), kind: "policy", key: "Shop", id: "1" },
  ...{ action: "update", origin: "drift", effect: "strengthens", drift_effect: "weakens" },
  ...{ drift_dimensions: [], dimensions: [], fields: [], source: null },
  ...given,
});

const field = (given: Partial<Field> & Pick<Field, "path">): Field => ({
  ...{ before: null, after: null, origin: "drift" },
  ...given,
});

const of = (changes: readonly Change[]): PlanDocument => ({
  ...plan,
  ...{ changes: [...changes], zones: plan.zones.slice(0, 1), unmanaged: [], guardrails: [], diagnostics: [] },
});

const text = (changes: readonly Change[], about: About = "drift") =>
  showPlan(of(changes), false, false, about);

const formats: readonly (readonly [string, (document: PlanDocument, about: About) => string])[] = [
  ["text", (document, about) => showPlan(document, false, false, about)],
  ["Markdown", (document, about) => planMarkdown(planView(document, about), 60_000)],
  ["HTML", (document, about) => planHtml(planView(document, about))],
  ["SARIF", (document, about) => planSarif(planView(document, about))],
  ["Code Quality", (document, about) => planCodeQuality(planView(document, about))],
  ["annotations", (document, about) => planAnnotations(planView(document, about))],
];

describe("an outside change is shown from the files to the live state", () => {
  const csp = {
    path: "value",
    before: "script-src 'self' evil.example",
    after: "script-src 'self'; img-src a.example",
  };
  const parts: Field["parts"] = [
    { part: "script-src", change: "changed", added: [], removed: ["evil.example"] },
    { part: "img-src", change: "added", added: ["a.example"], removed: [] },
  ];

  test.each<[string, Partial<Change>, readonly string[]]>([
    [
      "a value",
      { fields: [field({ path: "action", before: "log", after: "allow" })] },
      ["action: allow (blocks the rest) → log (reports only)"],
    ],
    [
      "members of directives",
      { fields: [field({ ...csp, parts })] },
      ["script-src: + evil.example", "img-src (removed): - a.example"],
    ],
    [
      "members of a set",
      {
        fields: [
          field({
            path: "fields",
            before: ["a"],
            after: ["b"],
            parts: [{ part: "", change: "changed", added: ["b"], removed: ["a"] }],
          }),
        ],
      },
      ["fields: + a - b"],
    ],
    [
      "an added object",
      { action: "delete", fields: [field({ path: "action", before: "log" })] },
      ['+ weakens (added outside)  policy "Shop" 1', "action: log (reports only)"],
    ],
    [
      "a deleted object",
      { action: "create", fields: [field({ path: "action", after: "log" })] },
      ['- weakens (deleted outside)  policy "Shop"', "- action: log (reports only)"],
    ],
    [
      "the old values of a deleted object that the files changed",
      {
        action: "create",
        fields: [field({ path: "action", after: "log", base: "allow", origin: "conflict" })],
      },
      ["- action: allow (blocks the rest)"],
    ],
    [
      "a new name",
      { was: "Theirs", fields: [field({ path: "description", before: "Theirs", after: "Shop" })] },
      ['~ weakens (changed outside)  policy "Theirs" (was "Shop")'],
    ],
    [
      "a secret by its reference",
      {
        fields: [
          field({
            path: "destination_conf",
            before: { $sensitive: "different" },
            after: { $secret: "env:LOGS" },
            written: { before: null, after: "${secret:LOGS}" },
          }),
        ],
      },
      ["destination_conf: ${secret:LOGS} → (sensitive, changed)"],
    ],
    [
      "an uncompared secret",
      {
        fields: [
          field({
            path: "destination_conf",
            before: { $sensitive: "not_compared" },
            after: { $secret: "env:LOGS" },
          }),
        ],
      },
      ["destination_conf: (sensitive) → (sensitive, not compared)"],
    ],
  ])("%s", (_, given, lines) => {
    const shown = text([change(given)])
      .split("\n")
      .map((line) => line.trim());
    for (const line of lines) expect(shown).toContain(line);
  });

  test("and a plan shows it in the other direction", () => {
    const back = text([change({ fields: [field({ ...csp, parts })] })], "plan");
    expect(back).toContain("script-src: - evil.example\n");
    expect(back).toContain("img-src (added): + a.example\n");
  });

  test.each(formats)("in %s", (_, shown) => {
    const before = "http.host eq evil.example";
    const moved = change({ fields: [field({ path: "x", before, after: "the files" })] });
    const told = shown(of([moved]), "drift").replaceAll(/<[^>]*>/g, " ");
    expect(told).toContain(before);
    expect(told.indexOf(before)).toBeGreaterThan(told.indexOf("the files"));
  });

  test("with its effect; an older plan has the effect of the reversal", () => {
    const dimension = { dimension: "scripts", effect: "weakens" as const, witness: null };
    const given = {
      dimensions: [{ ...dimension, why: "back" }],
      drift_dimensions: [{ ...dimension, why: "there" }],
    };
    expect(text([change(given)])).toContain("      ↓ there\n");
    expect(text([change(given)])).not.toContain("back\n");
    const { drift_dimensions: _, ...older } = change(given);
    expect(text([older])).toContain("      ↓ undoing the drift: back\n");
  });
});

describe("the advice to undo drift", () => {
  const two = of([change({ key: "One" }), change({ key: "Two" })]);

  test.each(formats.slice(0, 3))("is given once in %s", (_, shown) => {
    expect(shown(two, "drift").split("To undo drift, zoneward apply restores").length).toBe(2);
    expect(shown(two, "plan")).not.toContain("To undo drift");
    expect(shown(of([]), "drift")).not.toContain("To undo drift");
  });

  test.each(formats.slice(3))("is given for each finding in %s", (_, shown) => {
    expect(shown(two, "drift").split("Run adopt to keep it, apply to undo it.").length).toBe(3);
    expect(shown(two, "plan")).not.toContain("Run adopt to keep it, apply to undo it.");
  });
});

describe("a field changed in the files and outside", () => {
  const both = (given: Partial<Field> & Pick<Field, "path">) =>
    change({ origin: "conflict", fields: [field({ origin: "conflict", ...given })] });
  const threshold = both({ path: "score_threshold", base: 25, before: 60, after: 40 });

  test.each(["plan", "drift"] as const)("has three labelled states in %s", (about) => {
    expect(text([{ ...threshold, kind: "managed_ruleset", key: "managed_ruleset" }], about)).toContain(
      "      score_threshold:\n        base  25 (high: most strict)\n        live  60 (low: least strict)\n        file  40 (medium)\n",
    );
  });

  test("shows only the differing members of a CSP, directive by directive", () => {
    const shown = text([
      both({
        path: "value",
        base: "script-src 'self' old.example; img-src 'self'",
        before: "script-src 'self' old.example evil.example; font-src a.example",
        after: "script-src 'self' new.example; img-src 'self'",
      }),
    ]);
    expect(shown).toContain(
      `      value:
        script-src:
          base  old.example
          live  old.example evil.example
          file  new.example
        font-src:
          base  (not there)
          live  a.example
          file  (not there)
        img-src:
          base  'self'
          live  (not there)
          file  'self'
`,
    );
  });

  test("shows only the differing members of a set", () => {
    const job = both({
      path: "output_options.field_names",
      base: ["a", "b"],
      before: ["a", "c"],
      after: ["a"],
    });
    const fields = both({ path: "request_fields", base: ["a", "b"], before: ["a", "b", "c"], after: ["a"] });
    expect(text([{ ...job, kind: "logpush_job" }])).toContain('base  ["a","b"]');
    expect(text([{ ...fields, kind: "custom_log_fields", key: "custom_log_fields" }])).toContain(
      "      request_fields:\n        base  b\n        live  b c\n        file  (none of these)\n",
    );
  });

  test.each(formats)("is shown with three states in %s", (_, shown) => {
    const told = shown(of([both({ path: "x", base: "first", before: "theirs", after: "ours" })]), "drift");
    const words = told.replaceAll(/<[^>]*>/g, " ").split(/\W+/);
    for (const word of ["base", "first", "live", "theirs", "file", "ours"]) expect(words).toContain(word);
  });

  test("looks different for different states", () => {
    const states = ["caf\u00e9", "cafe\u0301", "caf\u00e8"] as const;
    const [base, before, after] = states;
    const lines =
      text([both({ path: "x", base, before, after })]).match(/^ +(?:base|live|file) {2}.*$/gm) ?? [];
    expect(new Set(lines.map((line) => line.trim().slice(6).normalize("NFKC"))).size).toBe(3);
    const long = (at: string) => `${"a".repeat(3_000)}${at}${"b".repeat(3_000)}`;
    const [x = "", y = "", z = ""] = ["1", "2", "3"].map(long);
    const cut =
      text([both({ path: "x", base: x, before: y, after: z })]).match(/^ +(?:base|live|file) {2}.*$/gm) ?? [];
    expect(new Set(cut.map((line) => line.trim().slice(6))).size).toBe(3);
    expect(cut.every((line) => line.length < 2_500)).toBe(true);
  });

  test("has two states if the plan lacks the base value", () => {
    expect(text([both({ path: "x", before: "theirs", after: "ours" })])).toContain("x: ours → theirs\n");
  });
});

describe("the address in the dashboard", () => {
  const dashboard = `https://dash.cloudflare.com/${"a".repeat(32)}/shop.example.com/security/settings`;

  test.each(formats)("is in %s", (_, shown) => {
    const undeclared = plan.unmanaged.slice(0, 1).map((each) => ({ ...each, dashboard: `${dashboard}-x` }));
    const told = shown({ ...of([change({ dashboard })]), unmanaged: undeclared }, "drift");
    expect(told).toContain(dashboard);
    expect(told).toContain(`${dashboard}-x`);
  });

  test.each([
    "https://evil.example/",
    "javascript:alert(1)",
    `${dashboard}"onclick="x`,
    `${dashboard})[x](https://evil.example`,
    `${dashboard}\u001b[2J`,
    "https://dash.cloudflare.com/../../evil",
    "https://dash.cloudflare.com.evil.example/?to=/:account/:zone/x",
    "https://dash.cloudflare.com/?to=/:account/:zone/x&redirect=https://evil.example",
  ])("is not shown if the plan contains %j instead", (hostile) => {
    const leading = (to: { readonly dashboard?: string }) => ({
      ...of([change(to)]),
      unmanaged: plan.unmanaged.slice(0, 1).map(({ dashboard: _, ...each }) => ({ ...each, ...to })),
    });
    for (const [, shown] of formats)
      for (const about of ["plan", "drift"] as const)
        expect(shown(leading({ dashboard: hostile }), about)).toBe(shown(leading({}), about));
  });

  test("is that of the first zone for a change in many zones", () => {
    const zones = ["shop.example.com", "pay.example.com", "brand-a.example.net"];
    const changes = zones.map((zone) =>
      change({ zone, dashboard: dashboard.replace("shop.example.com", zone) }),
    );
    const told = showPlan({ ...of(changes), zones: plan.zones }, false, false, "drift");
    expect(told.match(/in the dashboard: .*/g)).toEqual([
      `in the dashboard: ${dashboard} (also in 2 other zones)`,
    ]);
  });
});
