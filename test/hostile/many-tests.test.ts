import { expect, test } from "vitest";
import { kindNamed } from "../../src/kinds/index.js";
import { declaredState } from "../../src/kinds/zone-state.js";
import { budgeted } from "../../src/model/work-budget.js";
import { runTests } from "../../src/zone-tests/run.js";

const ZONE = "shop.example.com";

test("tests beyond the work limit look at no policies", () => {
  const kind = kindNamed("policy");
  if (kind === undefined) throw new Error("policies are a kind");
  const declared = Array.from({ length: 1_500 }, (_, n) => ({
    path: ["policies", n],
    body: {
      description: `P${n}`,
      action: "log",
      expression: `http.request.uri.path matches "^/${n}[^/]+/x$"`,
      value: "script-src 'self'",
    },
  }));
  const state = declaredState([{ kind, declared }], "defaults");
  const tests = Array.from({ length: 2_500 }, (_, n) => ({
    body: { page: `https://${ZONE}/${n}/x`, scripts: { allowed: ["/a.js"] } },
    at: () => ({ file: "zoneward.yaml", line: 1, column: 1, pointer: "", text: "" }),
  }));
  const before = process.cpuUsage();
  const { value: runs } = budgeted(ZONE, () => runTests(ZONE, tests, state), -1);
  const { user } = process.cpuUsage(before);
  expect(runs.flatMap(({ checks }) => checks.map(({ answer }) => answer.as))).toEqual(
    tests.map(() => "undecided"),
  );
  expect(user / 1e6).toBeLessThan(2);
});
