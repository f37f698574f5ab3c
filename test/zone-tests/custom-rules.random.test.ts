import { expect, test } from "vitest";
import { evaluate } from "../../src/expression/evaluate/evaluate.js";
import type { JsonObject } from "../../src/model/json.js";
import type { ZoneState } from "../../src/model/zone-state.js";
import { runTests } from "../../src/zone-tests/run.js";
import { fc, runs, untilMet } from "../support/random.js";

const ZONE = "shop.example.com";
const CORE = "4814384a9e5d4991b9815dcfc25d2f1f";
const MANAGED = "http_request_firewall_managed";

type Facts = Readonly<Record<string, unknown>>;

/** Every value that the conditions below tell apart. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  "ip.src.country": ["DE", "FR", "GB"],
  "cf.client.bot": [true, false],
};

const condition = fc.constantFrom(
  "true",
  "cf.client.bot",
  "not cf.client.bot",
  'http.request.uri.path eq "/a"',
  'ip.src.country eq "DE"',
  'ip.src.country in {"DE" "FR"}',
);
const expression = fc.oneof(
  condition,
  fc.tuple(condition, fc.constantFrom("and", "or"), condition).map((parts) => parts.join(" ")),
);
const action = fc.constantFrom<JsonObject>(
  { action: "block" },
  { action: "managed_challenge" },
  { action: "log" },
  { action: "skip", action_parameters: { ruleset: "current" } },
  { action: "skip", action_parameters: { phases: ["http_ratelimit"] } },
  { action: "skip", action_parameters: { phases: [MANAGED] } },
  { action: "skip", action_parameters: { phase: "current", products: ["bic"] } },
);
const rule = fc
  .record({ action, expression, enabled: fc.integer({ min: 0, max: 5 }).map((n) => n > 0) })
  .map(({ action: does, ...rest }): JsonObject => ({ description: "R", ...rest, ...does }));
const known = fc.record(
  {
    "ip.src.country": fc.constantFrom("DE", "FR", "GB"),
    "cf.client.bot": fc.boolean(),
  },
  { requiredKeys: [] },
);
const cases = fc.record({
  rules: fc.array(rule, { maxLength: 6 }),
  known,
  path: fc.constantFrom("/a", "/b"),
});

/** All requests that a test may mean. */
function completions(facts: Facts): readonly Facts[] {
  return Object.entries(VALUES).reduce<readonly Facts[]>(
    (all, [field, values]) =>
      field in facts ? all : all.flatMap((each) => values.map((value) => ({ ...each, [field]: value }))),
    [facts],
  );
}

/** Runs a list for one request, rule by rule. */
function meet(rules: readonly JsonObject[], facts: Facts, solves: boolean) {
  let [outcome, skipsManaged] = ["passed", false];
  for (const { enabled, expression: where, action: does, action_parameters: skip } of rules) {
    if (enabled !== true || evaluate(String(where), facts) !== true) continue;
    if (does === "block") return { outcome: "blocked", skipsManaged };
    if (does === "managed_challenge") {
      outcome = "challenged";
      if (!solves) break;
    }
    if (does !== "skip") continue;
    if (outcome === "passed") outcome = "skipped";
    const text = JSON.stringify(skip);
    skipsManaged ||= text.includes(MANAGED);
    if (text.includes("current")) break;
  }
  return { outcome, skipsManaged };
}

function answersTo(rules: readonly JsonObject[], path: string, facts: Facts, asks: JsonObject): string {
  const execute = { action: "execute", action_parameters: { id: CORE }, expression: "true", enabled: true };
  const state: ZoneState = {
    objects: new Map(),
    rules: new Map<string, readonly JsonObject[]>([
      ["http_request_firewall_custom", rules],
      [MANAGED, [execute]],
    ]),
  };
  const body = { request: { path, fields: facts as JsonObject }, ...asks };
  const at = () => ({ file: "", line: 1, column: 1, endLine: 1, endColumn: 1 }) as never;
  const [run] = runTests(ZONE, [{ body, at }], state);
  return run?.checks[0]?.answer.as ?? "none";
}

/** Checks an answer against all requests that the test may mean. */
function check(answer: string, all: readonly boolean[]): void {
  if (answer === "passes") expect(all).not.toContain(false);
  if (answer === "fails") expect(all).not.toContain(true);
}

test("a decided test of custom rules holds for every request that it may mean", async () => {
  await untilMet(
    { passes: 20, fails: 20, undecided: 20 },
    (met) =>
      fc.property(cases, ({ rules, known: facts, path }) => {
        const all = completions({ ...facts, "http.request.uri.path": path });
        const answers = ["blocked", "challenged", "skipped", "passed"].map((outcome) => {
          const answer = answersTo(rules, path, facts, { custom_rules: outcome });
          check(
            answer,
            all.map((each) => meet(rules, each, false).outcome === outcome),
          );
          met(answer);
          return answer;
        });
        if (all.length === 1) expect(answers.toSorted()).toEqual(["fails", "fails", "fails", "passes"]);
      }),
    runs(4_000),
  );
});

test("a decided test of a managed ruleset knows which requests a custom rule lets skip it", async () => {
  await untilMet(
    { passes: 20, fails: 20, undecided: 20 },
    (met) =>
      fc.property(cases, ({ rules, known: facts, path }) => {
        const all = completions({ ...facts, "http.request.uri.path": path }).flatMap((each) =>
          [true, false].map((solves) => meet(rules, each, solves).skipsManaged),
        );
        const answer = answersTo(rules, path, facts, { managed_rulesets: { does_not_apply: [CORE] } });
        check(answer, all);
        met(answer);
        const isClear = all.length === 2 && rules.every(({ action: does }) => does !== "managed_challenge");
        if (isClear) expect(answer).not.toBe("undecided");
      }),
    runs(4_000),
  );
});
