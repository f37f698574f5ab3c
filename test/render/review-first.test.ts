import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planAnnotations } from "../../src/render/annotations.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planSarif } from "../../src/render/sarif.js";
import { planView, showPlan } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const CODES = [
  "guardrails_changed",
  "service_changed",
  "until_extended",
  "base_not_read",
  "base_without_files",
];

describe.each(CODES)("the first thing that a reviewer sees: %s", (code) => {
  const message = "Seen before all else.";
  const others = [
    { severity: "warning", code: "another", message: "Another warning." },
    { severity: "error", code: "wrong", message: "Another error." },
  ] as const;
  const document: PlanDocument = {
    ...plan,
    diagnostics: [...others, { severity: "warning", code, message }],
  };

  test.each([
    ["text", showPlan(document, false, false), "8 weaken"],
    ["Markdown", planMarkdown(planView(document, "plan"), 60_000), "### Plan:"],
    ["HTML", planHtml(planView(document, "plan")), 'id="zones"'],
    ["SARIF", results(planSarif(planView(document, "plan"))), "guardrail/weakens"],
    ["commands to the runner", warnings(planAnnotations(planView(document, "plan"))), "Weakens protection"],
  ])("in %s", (_, page, next) => {
    const places = [page.indexOf(message), page.indexOf(next)];
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page.split(message)).toHaveLength(2);
  });

  test("in Markdown with its own title", () => {
    expect(planMarkdown(planView(document, "plan"), 60_000)).toMatch(
      /^> \[!WARNING\]\n> \*\*[A-Z][a-z ]+\*\*/,
    );
  });
});

describe("messages that a reviewer sees first", () => {
  const messageOf = (code: string) => `Seen as number ${CODES.indexOf(code)}.`;
  const diagnostics = CODES.toReversed().map(
    (code) => ({ severity: "warning", code, message: messageOf(code) }) as const,
  );
  const document: PlanDocument = { ...plan, diagnostics };

  test.each([
    ["text", showPlan(document, false, false)],
    ["Markdown", planMarkdown(planView(document, "plan"), 60_000)],
    ["HTML", planHtml(planView(document, "plan"))],
    ["SARIF", results(planSarif(planView(document, "plan")))],
    ["commands to the runner", planAnnotations(planView(document, "plan"))],
  ])("are in the same order in %s, in any order of the plan", (_, page) => {
    const places = CODES.map((code) => page.indexOf(messageOf(code)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe("the title of a first message", () => {
  const message = "Guardrails changed. Now there are none.";
  const document: PlanDocument = {
    ...plan,
    diagnostics: [{ severity: "warning", code: "guardrails_changed", message }],
  };

  test("appears once in text", () => {
    expect(showPlan(document, false, false)).toMatch(
      /^! Guardrails changed: Now there are none\.\n\napply would be refused by .*; 8 weaken/,
    );
  });

  test("appears once in Markdown", () => {
    expect(planMarkdown(planView(document, "plan"), 60_000)).toMatch(
      /^> \[!WARNING\]\n> \*\*Guardrails changed\*\*: Now there are none\.\n/,
    );
  });
});

describe("a live object that is no longer declared", () => {
  const released = (code: string, message: string, zone?: string) =>
    ({ severity: "warning", code, message, ...(zone === undefined ? {} : { zone }) }) as const;
  const [first, second] = plan.zones;
  const text = showPlan(
    {
      ...plan,
      ...{ changes: [], unmanaged: [], guardrails: [] },
      zones: plan.zones.slice(0, 2),
      diagnostics: [
        released("no_longer_managed", "No longer managed. gone.example: the files no longer have the zone."),
        released("not_deleted", "No longer declared, not deleted. Nobody can tell.", second?.zone),
        released(
          "no_longer_managed",
          `No longer managed. ${first?.zone}: the files no longer have settings.`,
          first?.zone,
        ),
        released("another", "Not said here.", first?.zone),
      ],
    },
    false,
    false,
  );

  test("is reported in its zone, or at the end if the zone was removed", () => {
    expect(text.split("\nPlan:")[0]).toBe(
      [
        `${first?.zone} ${first?.zone_id}`,
        "  ! No longer managed: the files no longer have settings.",
        "",
        `${second?.zone} ${second?.zone_id}`,
        "  ! No longer declared, not deleted: Nobody can tell.",
        "",
        "! No longer managed: gone.example: the files no longer have the zone.",
        "",
      ].join("\n"),
    );
  });
});

function results(sarif: string): string {
  return JSON.stringify(JSON.parse(sarif).runs[0].results);
}

function warnings(commands: string): string {
  return commands
    .split("\n")
    .filter((line) => line.startsWith("::warning"))
    .join("\n");
}
