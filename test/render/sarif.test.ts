import { describe, expect, test } from "vitest";
import type { PlanDocument, Problem } from "../../src/index.js";
import { planSarif, problemsSarif } from "../../src/render/sarif.js";
import { planView } from "../../src/run/plan-formats.js";
import { HOSTILE, harmIn } from "../support/hostile.js";
import { hostilePlan } from "../support/hostile-plan.js";
import golden from "./golden/plan.json" with { type: "json" };
import { expectValid, runOf } from "./sarif-file.js";

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

const problem = (text: string, line = 3) => ({
  code: "unknown_key",
  severity: "error" as const,
  summary: "A key that nothing knows",
  detail: text,
  at: { file: "zones/ä b.yaml", line, column: 5, pointer: "/zones/x", text: "" },
});

const texts = Object.entries(HOSTILE).filter(([, text]) => text.length < 1_000);

describe("a plan as SARIF", () => {
  const { results, tool } = runOf(planSarif(planView(plan, "plan")));

  test("conforms to the published schema", () => {
    expectValid(planSarif(planView(plan, "plan")));
    expectValid(planSarif(planView({ ...plan, changes: [], diagnostics: [], guardrails: [] }, "plan")));
  });

  test("starts with changes to the review, then the refusing guardrails", () => {
    expect(results.slice(0, 5).map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ["problem/guardrails_changed", "warning"],
      ["problem/service_changed", "warning"],
      ["guardrail/weakens", "error"],
      ["guardrail/allows_malicious", "error"],
      ["problem/not_permitted", "error"],
    ]);
  });

  test("has one result for the changes at a line in any number of zones, and one more for drift", () => {
    const count = (rule: string) => results.filter(({ ruleId }) => ruleId === rule).length;
    expect(
      ["change/weakens", "change/unknown", "change/mixed", "change/strengthens", "change/neutral"].map(count),
    ).toEqual([3, 1, 1, 1, 2]);
    expect(["origin/drift", "origin/conflict", "origin/mixed", "origin/declared"].map(count)).toEqual([
      1, 1, 1, 0,
    ]);
  });

  test("has harmless changes as notes, after all others", () => {
    expect(results.slice(-4).map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ["change/strengthens", "note"],
      ...Array(2).fill(["change/neutral", "note"]),
      ["undeclared/strengthens", "note"],
    ]);
    expect(results.filter(({ level }) => level === "note")).toHaveLength(4);
  });

  test("has the place of the line that causes a result", () => {
    const [first] = results.filter(({ ruleId }) => ruleId === "change/weakens");
    expect(first?.locations[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: "zones/shop.yaml" },
      region: { startLine: 17, startColumn: 9 },
    });
    expect(first?.message.text).toBe(
      'policy "Checkout scripts" would be updated. This weakens protection: ↓ script-src gains https://cdn.example.net: more scripts may load; ↑ the policy covers more requests. (shop.example.com)',
    );
  });

  test("has an existing rule for each result", () => {
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  });

  test("has fingerprints that are unique and independent of line numbers", () => {
    const prints = (document: PlanDocument) =>
      runOf(planSarif(planView(document, "plan"))).results.map(
        (each) => each.partialFingerprints["zonewardFinding/v1"],
      );
    const moved = JSON.parse(JSON.stringify(plan), (key, value) => (key === "line" ? value + 100 : value));
    expect(prints(moved)).toEqual(prints(plan));
    expect(new Set(prints(plan)).size).toBe(prints(plan).length);
  });

  test.each(texts)("is valid and harmless with any text: %s", (_, text) => {
    const sarif = planSarif(planView(hostilePlan(plan, text), "plan"));
    expectValid(sarif);
    expect(harmIn(sarif, "programs")).toEqual([]);
    expect(runOf(sarif).results).toHaveLength(results.length);
  });
});

describe("drift as SARIF", () => {
  const effects = ["neutral", "strengthens", "weakens", "mixed", "unknown"] as const;
  const changes = effects.map((drift_effect, n) => ({
    ...plan.changes[0],
    ...{ drift_effect, key: `Policy ${n}`, effect: "strengthens", origin: n === 2 ? "conflict" : "drift" },
  })) as PlanDocument["changes"]; // copies of a valid change
  const sarif = planSarif(planView({ ...plan, changes }, "drift"));
  const { results } = runOf(sarif);
  const outside = results.filter(({ ruleId }) => !/^(?:problem|guardrail)\//.test(ruleId));

  test("conforms to the published schema", () => {
    expectValid(sarif);
  });

  test("has one result for each change and each undeclared object, ranked by the outside change", () => {
    expect(outside.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ["drift/weakens", "warning"],
      ["drift/unknown", "warning"],
      ["drift/mixed", "warning"],
      ["undeclared/weakens", "warning"],
      ["drift/strengthens", "note"],
      ["drift/neutral", "note"],
      ["undeclared/strengthens", "note"],
    ]);
    const rules = results.map(({ ruleId }) => ruleId);
    expect(rules.indexOf("drift/weakens")).toBeLessThan(rules.indexOf("guardrail/weakens"));
  });

  test("describes the outside change, not its reversal", () => {
    expect(sarif).not.toContain("would be updated");
    expect(sarif).not.toContain("Undoing the drift: ");
    expect(outside[0]?.message.text).toMatch(
      /^policy "Policy 2" was changed outside the files\. This weakens protection: ↓ from blocking to reporting; .*\. value: script-src: \+ https:\/\/a\.example - https:\/\/cdn\.example\.net; .*action: allow \(blocks the rest\) → log \(reports only\); .* Run adopt to keep it, apply to undo it\. The files change it too\. In the dashboard: https:\/\/dash\./,
    );
    expect(outside[4]?.message.text).toMatch(
      /^policy "Policy 1" was changed outside the files\. This strengthens protection: ↓ from blocking/,
    );
  });
});

describe("findings at the limit of code scanning", () => {
  const problems = (n: number) => Array.from({ length: n }, (_, line) => problem("x", line + 1));

  test("are all included", () => {
    const { results } = runOf(problemsSarif(problems(5_000)));
    expect(results.filter(({ ruleId }) => ruleId === "problem/unknown_key")).toHaveLength(5_000);
  });

  test("are still as many with one more finding", () => {
    const { results } = runOf(problemsSarif(problems(5_001)));
    expect(results).toHaveLength(5_000);
    expect(results.at(-1)?.message.text).toMatch(/^2 more findings \(2 errors\):/);
  });
});

describe("problems as SARIF", () => {
  test("conform to the published schema, with and without places", () => {
    expectValid(problemsSarif([problem("x"), { ...problem("y"), at: null, severity: "warning" }]));
    expectValid(problemsSarif([]));
  });

  test("have the path of the file as a URI", () => {
    const uris = runOf(
      problemsSarif(
        ["zones/ä b.yaml", "a:b.yaml", "/etc/%41#?.yaml", "zones\\shop.yaml", "a\ud800b"].map((file) => ({
          ...problem("x"),
          at: { ...problem("x").at, file },
        })),
      ),
    ).results.map((each) => each.locations[0]?.physicalLocation.artifactLocation.uri);
    expect(uris).toEqual([
      "zones/%C3%A4%20b.yaml",
      "a%3Ab.yaml",
      "file:///etc/%2541%23%3F.yaml",
      "zones/shop.yaml",
      "a%EF%BF%BDb",
    ]);
  });

  test("have a place even if the problem has none, because code scanning refuses the file otherwise", () => {
    const placeless = { ...problem("x"), at: null };
    const places = (...problems: readonly Problem[]) =>
      runOf(problemsSarif(problems)).results.map((each) => each.locations[0]?.physicalLocation);
    expect(places(placeless)).toEqual([
      { artifactLocation: { uri: "zoneward.yaml" }, region: { startLine: 1, startColumn: 1 } },
    ]);
    expect(places(problem("x"), placeless)[1]?.artifactLocation.uri).toBe("zones/%C3%A4%20b.yaml");
    for (const { locations } of runOf(planSarif(planView(plan, "plan"))).results)
      expect(locations).toHaveLength(1);
  });

  test("have no links and no placeholders in their messages", () => {
    const [result] = runOf(problemsSarif([problem("[click](https://evil.example/) {0}")])).results;
    expect(result?.message.text).toBe("A key that nothing knows: \\[click\\](https://evil.example/) {{0}}");
  });

  test("have fingerprints independent of line numbers", () => {
    const print = (line: number) =>
      runOf(problemsSarif([problem("x", line)])).results[0]?.partialFingerprints;
    expect(print(3)).toEqual(print(30));
  });
});
