import type { Desired } from "../config/index.js";
import { type DeclaredZone, declaredIn, type OpenZone } from "../config/zone.js";
import { managedKinds } from "../kinds/index.js";
import { declaredState } from "../kinds/zone-state.js";
import { quoted } from "../model/cut.js";
import { pointerOf } from "../model/item.js";
import { equal } from "../model/json.js";
import type { Breach, PlanMeaning, ZonePlan } from "../model/plan.js";
import { type Problem, warning } from "../model/problem.js";
import { lifting, says } from "../model/sentence.js";
import { budgetedFiles } from "../model/work-budget.js";
import type { ZoneState } from "../model/zone-state.js";
import type { TestResult, WrittenTest } from "../model/zone-tests.js";
import { type Check, runTests, type TestRun } from "../zone-tests/run.js";

type States = NonNullable<PlanMeaning["states"]>;

export interface TestedZone {
  readonly zone: string;
  readonly tests: readonly TestResult[];
  /** The problems of all failing tests. */
  readonly problems: readonly Problem[];
}

/** Runs the tests of all zones on the declared state alone. Undeclared objects are unknown here. */
export function testDeclared({ zones }: Desired): readonly TestedZone[] {
  return budgetedFiles(() => zones.flatMap(testZone));
}

function testZone(declared: DeclaredZone): readonly TestedZone[] {
  const zone = declared.open();
  if (zone.tests === undefined) return [];
  const tests = runTests(zone.name, zone.tests, stateDeclared(zone)).map((run) =>
    resultOf(
      run,
      run.checks.flatMap((asked) => problemOf(run, asked, zone.name, "") ?? []),
    ),
  );
  return [{ zone: zone.name, tests, problems: tests.flatMap(({ problems }) => problems) }];
}

function resultOf(run: TestRun, problems: readonly Problem[]): TestResult {
  return { name: run.name, at: () => run.test.at([]), problems };
}

/** The declared state of a zone, for tests and loads. */
export function stateDeclared({ sections }: OpenZone): ZoneState {
  return declaredState(
    managedKinds(sections).map((kind) => ({
      kind,
      declared: declaredIn(kind, sections).filter(({ body }) => body.ensure !== "absent"),
    })),
    "defaults",
  );
}

/**
 * Adds the results of the zone's tests on the state after the plan, undeclared objects included. A failing test refuses the
 * apply, unless the guardrail is lifted. In a part of a plan, a test that fails now in the same way and passes after the
 * whole plan is a warning.
 */
export function testPlan(
  plan: ZonePlan,
  zone: OpenZone,
  { before, after }: States,
  isLifted: boolean,
): ZonePlan {
  const written = zone.tests ?? [];
  const runsBefore = runTests(zone.name, written, before);
  const whole = plan.whole?.meaning.states;
  const runsOfWhole = whole === undefined ? [] : runTests(zone.name, written, whole.after, whole.before);
  const results = runTests(zone.name, written, after, before).map((run, index) => {
    const found = run.checks.flatMap((asked): readonly Found[] => {
      const [now, then] = [runsBefore, runsOfWhole].map((runs) => askedAt(runs[index], asked));
      const isAsNow = now?.answer.as === "fails" && equal(now.answer, asked.answer);
      const isMended = isAsNow && then !== undefined && doesPass(then, run);
      const problem = problemOf(run, asked, zone.name, isMended ? MENDED_LATER : sinceWhen(now, run));
      const severity = isMended || isLifted ? "warning" : "error";
      return problem === null ? [] : [{ problem: { ...problem, severity }, isMended }];
    });
    return { run, found };
  });
  const tests = results.map(({ run, found }) =>
    resultOf(
      run,
      found.map(({ problem }) => problem),
    ),
  );
  const failing = results.filter(({ found }) => found.some(({ isMended }) => !isMended)).length;
  const broken = failing === 0 ? [] : [breachOf(zone.name, failing, tests.length)];
  return {
    ...plan,
    meaning: { ...plan.meaning, tests, breaches: [...plan.meaning.breaches, ...broken] },
    problems: [...plan.problems, ...tests.flatMap(({ problems }) => problems)],
  };
}

/** A failing check, and whether the rest of a partly applied plan fixes it. */
interface Found {
  readonly problem: Problem;
  readonly isMended: boolean;
}

const MENDED_LATER = " It fails now in the same way, and the plan fixes that.";

/** The same check of the same test on another state. */
function askedAt(run: TestRun | undefined, { path }: Check): Check | undefined {
  return run?.checks.find((asked) => pointerOf(asked.path) === pointerOf(path));
}

/** The tests of a zone with a worse result after than before, with the reasons. */
export function testsLost(
  zone: Pick<OpenZone, "name" | "tests">,
  { before, after }: Pick<States, "before" | "after">,
): readonly { readonly name: string; readonly why: string }[] {
  const written = zone.tests ?? [];
  const runsBefore = runTests(zone.name, written, before);
  return runTests(zone.name, written, after, before).flatMap((run, index) => {
    const lost = run.checks.find((asked, nth) => {
      const then = runsBefore[index]?.checks[nth];
      return then !== undefined && standing(asked, run) > standing(then, run);
    });
    if (lost === undefined || lost.answer.as === "passes") return [];
    const why = [lost.expectation, lost.answer.why].filter((each) => each !== "").join(" ");
    return [{ name: run.name, why }];
  });
}

/** Warns when a change removes a test that it would make fail. */
export function testsTakenOut(
  zone: OpenZone,
  before: readonly WrittenTest[],
  states: States,
): Problem | null {
  const kept = zone.tests ?? [];
  const gone = before.filter(({ body }) => !kept.some((each) => equal(each.body, body)));
  const { inBase = states.before, after } = states;
  const lost = testsLost({ name: zone.name, tests: gone }, { before: inBase, after });
  if (lost.length === 0) return null;
  const named = lost.slice(0, MOST_NAMED).map(({ name, why }) => `${quoted(name)}: ${why}`);
  const more = lost.length > MOST_NAMED ? ` And ${lost.length - MOST_NAMED} more.` : "";
  const detail = `${zone.name}: the files no longer have tests that pass now and would fail after this plan. ${named.join(" ")}${more}`;
  return warning("tests_taken_out", "Failing tests were removed or changed", detail);
}

const MOST_NAMED = 3;

function breachOf(zone: string, failing: number, all: number): Breach {
  const message = `${failing} of ${all} tests of ${zone} would fail after this plan.`;
  const advice = says`Fix the configuration or the tests. If it is intended, ${lifting("failing_tests")}.`;
  return { guardrail: "failing_tests", message, advice, changes: [] };
}

/** Says whether the plan makes the check fail. */
function sinceWhen(now: Check | undefined, run: TestRun): string {
  if (now === undefined || now.answer.as === "misasked") return "";
  if (doesPass(now, run)) return " It passes now, and would fail after this plan.";
  return " It fails now too.";
}

function doesPass({ answer }: Check, { test }: TestRun): boolean {
  return answer.as === "passes" || (answer.as === "undecided" && test.body.undecided === "ok");
}

/** The higher, the worse. */
function standing(asked: Check, run: TestRun): number {
  return doesPass(asked, run) ? 0 : asked.answer.as === "undecided" ? 1 : 2;
}

/** Null: it passes. */
function problemOf(run: TestRun, asked: Check, zone: string, since: string): Problem | null {
  const { test, name } = run;
  const { answer, expectation: wanted, path } = asked;
  if (answer.as === "passes" || doesPass(asked, run)) return null;
  const named = test.body.name === undefined || wanted === "" ? "" : `${name}: `;
  const detail = [wanted, answer.why].filter((each) => each !== "").join(" ");
  const wayOut = answer.as === "undecided" ? " To accept that, write undecided: ok in the test." : "";
  return {
    ...PROBLEMS[answer.as],
    severity: "error",
    detail: `${named}${detail}${wayOut}${since}`,
    at: test.at(path),
    zone,
  };
}

const PROBLEMS = {
  fails: { code: "test_failed", summary: "Test fails" },
  undecided: { code: "test_undecided", summary: "Test is undecided" },
  misasked: { code: "bad_test", summary: "Invalid test" },
} as const;
