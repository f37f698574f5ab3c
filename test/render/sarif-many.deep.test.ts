import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import { planFindings } from "../../src/render/findings.js";
import { planSarif } from "../../src/render/sarif.js";
import { planView } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };
import { expectValid, runOf } from "./sarif-file.js";

const plan = golden as unknown as PlanDocument; // JSON modules have no literal types

describe("a plan of twenty thousand zones that four guardrails refuse as SARIF", () => {
  const zones = Array.from({ length: 20_000 }, (_, n) => `zone-${n}.example`);
  const [change] = plan.changes;
  const place = (line: number) => ({ file: "zoneward.yaml", line, column: 1 });
  const changes = zones.flatMap((zone, n) =>
    [null, place(n + 1), place(99_999)].map((source) => ({ ...change, zone, source })),
  ) as PlanDocument["changes"]; // copies of a valid change
  const guardrails = ["weakens", "deletes", "max_changes", "max_deletes"].flatMap((name) =>
    zones.map((zone) => ({ name, zone, message: "No.", allowed: false })),
  );
  const big: PlanDocument = { ...plan, changes, guardrails };
  const sarif = planSarif(planView(big, "plan"));
  const { results } = runOf(sarif);

  test("has the most important results, as many as code scanning shows", () => {
    expectValid(sarif);
    expect(results).toHaveLength(5_000);
    expect(results.slice(0, 3).map(({ ruleId }) => ruleId)).toEqual([
      "problem/guardrails_changed",
      "problem/service_changed",
      "guardrail/weakens",
    ]);
    expect(results.filter(({ ruleId }) => ruleId === "guardrail/weakens")).toHaveLength(4_997);
  });

  test("counts the other results at the end", () => {
    const all = planFindings(planView(big, "plan")).length;
    expect(all).toBeGreaterThan(80_000);
    expect(results.at(-1)).toMatchObject({ ruleId: "rest/left_out", level: "error" });
    expect(results.at(-1)?.message.text).toMatch(
      new RegExp(`^${all - 4_999} more findings \\(75004 errors\\):`),
    );
  });

  test("links each guardrail to the first line of its zone", () => {
    const lines = results
      .filter(({ ruleId }) => ruleId === "guardrail/weakens")
      .map((each) => each.locations[0]?.physicalLocation.region.startLine);
    expect(lines).toEqual(lines.map((_, n) => n + 1));
  });
});
