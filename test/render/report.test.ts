import { expect, test } from "vitest";
import type { PlanDocument } from "../../src/index.js";
import type { ApplyReport, CallOutcome } from "../../src/model/report.js";
import { reportText } from "../../src/render/apply-text.js";
import { palette } from "../../src/render/palette.js";
import { planView } from "../../src/run/plan-formats.js";
import golden from "./golden/plan.json" with { type: "json" };

const plan = golden as unknown as PlanDocument; // the golden plan has this type
const brands = plan.changes.filter(({ zone }) => zone.startsWith("brand-"));

const WORDS = { heading: "Apply", outcome: "as declared", idle: "nothing to do", undo: "To roll back" };

/** The report of a plan whose calls ended like this. Later calls were not started. */
function told(document: PlanDocument, statuses: readonly CallOutcome["status"][]): string {
  const outcomes = document.calls.map(({ step, zone, method, path }, index): CallOutcome => {
    const status = statuses[index] ?? "not_started";
    return { step, zone, call: `${method} ${path}`, status, problem: null };
  });
  const of = (status: string) => outcomes.filter((each) => each.status === status).length;
  const report: ApplyReport = {
    summary: {
      done: of("done"),
      failed: of("failed"),
      not_started: of("not_started"),
      zones_converged: 0,
      zones_failed: 0,
    },
    outcomes,
    zones: [],
    journal: null,
    undoable: false,
    converged: false,
  };
  return reportText(report, planView(document, "plan"), palette(false), WORDS);
}

/** One policy in each zone, with two calls each. */
function twoCallsEach(n: number): PlanDocument {
  const changes = brands.filter(({ kind }) => kind === "policy").slice(0, n);
  const calls = changes.flatMap(({ zone }, index) =>
    [1, 2].map((nth) => ({
      step: 2 * index + nth,
      ...{ zone, method: "PUT" as const, path: "/zones/1/page_shield/policies/2", body: {} },
      ...{ changes: [index], after: [] },
    })),
  );
  return { ...plan, changes, calls };
}

test("the same change in several zones takes one line for each outcome", () => {
  const text = told(twoCallsEach(4), ["done", "done", "done", "done", "done", "failed", "done"]);
  expect(text).toBe(`  done     updated policy "All pages" (brand-a.example.net and 1 other zone)
  failed   update policy "All pages" (brand-c.example.net)
  in part  update policy "All pages" (brand-d.example.net)
Apply: 6 calls done, 1 failed, 1 not started; 0 zones as declared.
`);
});

test("changes that were not started are shown with their planned action", () => {
  expect(told(twoCallsEach(1), [])).toContain(
    'not started  update policy "All pages" (brand-a.example.net)\n',
  );
});

test("a call without a change has its own line", () => {
  const { calls, ...rest } = twoCallsEach(1);
  const bare = calls.map((each) => ({ ...each, changes: [] }));
  expect(told({ ...rest, calls: bare }, ["done", "failed"])).toContain(
    "  failed  2. PUT /zones/1/page_shield/policies/2 (brand-a.example.net)\n",
  );
});

test("a fleet can have more lines than a call can have arguments", () => {
  const { calls, ...rest } = twoCallsEach(1);
  const many = Array.from({ length: 200_000 }, (_, index) => ({ ...calls[0], step: index + 1, changes: [] }));
  const text = told({ ...rest, calls: many as unknown as PlanDocument["calls"] }, []); // copies of a valid call
  expect(text.split("\n")).toHaveLength(many.length + 2);
});
