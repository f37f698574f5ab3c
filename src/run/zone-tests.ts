import type { Desired } from "../config/index.js";
import { declaredIn, type OpenZone } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import { isManagedIn } from "../kinds/kind.js";
import { declaredState } from "../kinds/zone-state.js";
import { pointerOf } from "../model/item.js";
import type { Breach, ZonePlan } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import { lifting, says } from "../model/sentence.js";
import type { TestResult, ZoneState, ZoneStates } from "../model/zone-tests.js";
import { type Asked, runTests, type TestRun } from "../zone-tests/run.js";

/** The tests of a zone, run on what its files declare. */
export interface TestedZone {
  readonly zone: string;
  readonly tests: readonly TestResult[];
  /** What of all of them does not pass. */
  readonly problems: readonly Problem[];
}

/** Runs the tests of all zones on what the files declare. What others have in the zones is not known here. */
export function testDeclared({ zones }: Desired): readonly TestedZone[] {
  return zones.flatMap((declared) => {
    const zone = declared.open();
    if (zone.tests === undefined) return [];
    const tests = runTests(zone.name, zone.tests, stateDeclared(zone)).map((run) =>
      resultOf(run, (asked) => problemOf(run, asked, zone.name, "")),
    );
    return [{ zone: zone.name, tests, problems: tests.flatMap(({ problems }) => problems) }];
  });
}

function resultOf(run: TestRun, problemIn: (asked: Asked) => Problem | null): TestResult {
  const problems = run.asked.flatMap((asked) => problemIn(asked) ?? []);
  return { name: run.name, at: () => run.test.at([]), problems };
}

/** What the files declare in a zone, as tests and loads ask about it. */
export function stateDeclared({ sections }: OpenZone): ZoneState {
  const managed = kinds.filter((kind) => isManagedIn(kind, sections));
  return declaredState(
    managed.map((kind) => ({
      kind,
      bodies: declaredIn(kind, sections)
        .map(({ body }) => body)
        .filter(({ ensure }) => ensure !== "absent"),
    })),
  );
}

/**
 * A plan with what the tests of its zone say of the state after it, other people's objects included. What does not pass keeps
 * apply from going on, unless that is lifted.
 */
export function testPlan(plan: ZonePlan, zone: OpenZone, states: ZoneStates, isLifted: boolean): ZonePlan {
  const written = zone.tests ?? [];
  const before = runTests(zone.name, written, states.before);
  const severity = isLifted ? "warning" : "error";
  const tests = runTests(zone.name, written, states.after).map((run, index) =>
    resultOf(run, (asked) => {
      const now = before[index]?.asked.find(({ path }) => pointerOf(path) === pointerOf(asked.path));
      const found = problemOf(run, asked, zone.name, sinceWhen(now, run));
      return found === null ? null : { ...found, severity };
    }),
  );
  const failing = tests.filter(({ problems }) => problems.length > 0);
  if (failing.length === 0) return { ...plan, tests };
  return {
    ...plan,
    tests,
    problems: [...plan.problems, ...failing.flatMap(({ problems }) => problems)],
    breaches: [...plan.breaches, breachOf(zone.name, failing.length, tests.length)],
  };
}

/** The tests of a zone that pass in one state and not in another one, each with what it says there. */
export function testsLost(
  zone: Pick<OpenZone, "name" | "tests">,
  from: ZoneState,
  to: ZoneState,
): readonly { readonly name: string; readonly why: string }[] {
  const written = zone.tests ?? [];
  const before = runTests(zone.name, written, from);
  return runTests(zone.name, written, to).flatMap((run, index) => {
    const isOpenOk = run.test.body.undecided === "ok";
    const lost = run.asked.find((asked, nth) => {
      const then = before[index]?.asked[nth];
      return then !== undefined && doesPass(then, isOpenOk) && !doesPass(asked, isOpenOk);
    });
    if (lost === undefined || lost.answer.as === "passes") return [];
    const why = [lost.wanted, lost.answer.why].filter((each) => each !== "").join(" ");
    return [{ name: run.name, why }];
  });
}

function breachOf(zone: string, failing: number, all: number): Breach {
  const message = `${failing} of ${all} tests of ${zone} would not pass after this plan.`;
  const advice = says`Mend what they name, or the tests; or, if it has to be, ${lifting("failing_tests")}.`;
  return { guardrail: "failing_tests", message, advice, changes: [] };
}

/** Whether it is the plan that makes it fail. */
function sinceWhen(now: Asked | undefined, { test }: TestRun): string {
  if (now === undefined || now.answer.as === "misasked") return "";
  if (doesPass(now, test.body.undecided === "ok")) return " It passes now, and would not after this plan.";
  return " It does not pass now either.";
}

function doesPass({ answer }: Asked, isOpenOk: boolean): boolean {
  return answer.as === "passes" || (answer.as === "undecided" && isOpenOk);
}

/** Null: it passes. */
function problemOf({ test, name }: TestRun, asked: Asked, zone: string, since: string): Problem | null {
  const { answer, wanted, path } = asked;
  if (answer.as === "passes" || doesPass(asked, test.body.undecided === "ok")) return null;
  const named = test.body.name === undefined || wanted === "" ? "" : `${name}: `;
  const detail = [wanted, answer.why].filter((each) => each !== "").join(" ");
  const wayOut = answer.as === "undecided" ? " If that may stay open, write undecided: ok in the test." : "";
  return {
    ...SAID[answer.as],
    severity: "error",
    detail: `${named}${detail}${wayOut}${since}`,
    at: test.at(path),
    zone,
  };
}

const SAID = {
  fails: { code: "test_failed", summary: "A test fails" },
  undecided: { code: "test_undecided", summary: "A test is undecided" },
  misasked: { code: "bad_test", summary: "Not a test" },
} as const;
