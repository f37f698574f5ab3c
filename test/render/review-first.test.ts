import { describe, expect, test } from "vitest";
import { planView } from "../../src/commands/show.js";
import type { PlanDocument } from "../../src/index.js";
import { planAnnotations } from "../../src/render/annotations.js";
import { planHtml } from "../../src/render/plan-html.js";
import { planMarkdown } from "../../src/render/plan-markdown.js";
import { planSarif } from "../../src/render/sarif.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const CODES = ["guardrails_changed", "service_changed", "base_not_read", "base_without_files"];

describe.each(CODES)("a reviewer sees before all else: %s", (code) => {
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
    ["Markdown", planMarkdown(document, planView("plan"), 60_000), "### Plan:"],
    ["HTML", planHtml(document, planView("plan")), 'id="zones"'],
    ["SARIF", results(planSarif(document)), "guardrail/weakens"],
    ["commands to the runner", warnings(planAnnotations(document)), "Weakens protection"],
  ])("in %s", (_, page, next) => {
    const places = [page.indexOf(message), page.indexOf(next)];
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page.split(message)).toHaveLength(2);
  });

  test("in Markdown with a title of its own", () => {
    expect(planMarkdown(document, planView("plan"), 60_000)).toMatch(
      /^> \[!WARNING\]\n> \*\*[A-Z][a-z ]+\*\*/,
    );
  });
});

describe("what a reviewer sees before all else", () => {
  const messageOf = (code: string) => `Seen as number ${CODES.indexOf(code)}.`;
  const diagnostics = CODES.toReversed().map(
    (code) => ({ severity: "warning", code, message: messageOf(code) }) as const,
  );
  const document: PlanDocument = { ...plan, diagnostics };

  test.each([
    ["Markdown", planMarkdown(document, planView("plan"), 60_000)],
    ["HTML", planHtml(document, planView("plan"))],
    ["SARIF", results(planSarif(document))],
    ["commands to the runner", planAnnotations(document)],
  ])("is in the same order in %s, whatever it is in the plan", (_, page) => {
    const places = CODES.map((code) => page.indexOf(messageOf(code)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
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
