import { evaluator } from "../expression/evaluate/asking.js";
import { customRule } from "../kinds/custom-rules/index.js";
import { FIELD_LISTS } from "../kinds/logged-fields.js";
import { logWritersIn, pagesIn } from "../kinds/zone-state.js";
import type { Path } from "../model/item.js";
import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import { rememberedObject } from "../model/remembered.js";
import { budgeted, isSpent } from "../model/work-budget.js";
import type { ZoneState } from "../model/zone-state.js";
import type { LogWriter, WrittenTest } from "../model/zone-tests.js";
import { answerCustomRules, CUSTOM_OUTCOMES } from "./custom-rules.js";
import { answerLoad, type PageView, viewOf } from "./loads.js";
import { type Answer, type Question, readQuestion } from "./question.js";
import { answerLogged, answerRuleset } from "./rules.js";

/** One check of a test, and its result. */
export interface Check {
  /** The place of the check in the test. */
  readonly path: Path;
  /** The expectation, as a sentence. */
  readonly expectation: string;
  readonly answer: Answer;
}

/** A test and its checks. */
export interface TestRun {
  readonly test: WrittenTest;
  readonly name: string;
  readonly checks: readonly Check[];
}

/**
 * Runs the tests of a zone on a state of the zone, within the work of one zone. What does not fit is undecided.
 *
 * @param former the earlier state: log jobs that are gone since count as switched off
 */
export function runTests(
  zone: string,
  tests: readonly WrittenTest[],
  state: ZoneState,
  former: ZoneState | null = null,
): readonly TestRun[] {
  return budgeted(zone, () => runAll(zone, tests, state, former)).value;
}

/** What the checks of a test ask about. */
interface Asked {
  readonly question: Question;
  readonly state: ZoneState;
  readonly writers: readonly LogWriter[];
  /** Null: the policies of the zone are not known. */
  readonly pageView: (question: Question) => PageView | null;
}

function runAll(
  zone: string,
  tests: readonly WrittenTest[],
  state: ZoneState,
  former: ZoneState | null,
): readonly TestRun[] {
  const ask = evaluator();
  const pages = pagesIn(state);
  const pageView = rememberedObject((question: Question) => viewOf(pages, question));
  const formerWriters = (former && logWritersIn(former)) ?? [];
  const writers = [
    ...(logWritersIn(state) ?? []),
    ...formerWriters.map((each) => ({ ...each, isOff: true })),
  ];
  const questions = new Map<string, ReturnType<typeof readQuestion>>();
  // Many tests ask about the same page.
  const questionOf = (body: JsonObject) => {
    const key = JSON.stringify([body.page, body.request]);
    const read = questions.get(key) ?? readQuestion(body, zone, ask);
    questions.set(key, read);
    return read;
  };
  return tests.map((test): TestRun => {
    const { body } = test;
    const { question, mistakes } = questionOf(body);
    const name = typeof body.name === "string" ? body.name : (question?.subject ?? "test");
    const checks =
      question === null
        ? mistakes.map(({ path, detail }) => misasked(path, detail))
        : checksOf(body, { question, state, writers, pageView });
    return { test, name, checks: checks.length === 0 ? [misasked([], NO_CHECKS)] : checks };
  });
}

const NO_CHECKS =
  "The test has no checks. Add scripts, connections, managed_rulesets, custom_rules, log or does_not_log.";

function misasked(path: Path, why: string): Check {
  return { path, expectation: "", answer: { as: "misasked", why } };
}

function checksOf(body: JsonObject, asked: Asked): readonly Check[] {
  return [
    ...loadChecks(body, asked),
    ...rulesetChecks(body.managed_rulesets, asked),
    ...customRuleChecks(body[customRule.section], asked),
    ...logChecks(body, "log", asked),
    ...logChecks(body, "does_not_log", asked),
  ];
}

const LOADS = [
  { key: "scripts", kind: "script", called: "The script" },
  { key: "connections", kind: "connection", called: "The connection to" },
] as const;

const OUTCOMES = ["allowed", "blocked", "reported"] as const;

function loadChecks(body: JsonObject, { question, pageView }: Asked): readonly Check[] {
  const loads = LOADS.flatMap(({ key, kind, called }) =>
    OUTCOMES.flatMap((outcome) =>
      texts(body[key], outcome).map((url, index) => ({
        path: [key, outcome, index],
        kind,
        called,
        outcome,
        url,
      })),
    ),
  );
  if (loads.length === 0) return [];
  if (question.page === null) {
    const [key = ""] = loads[0]?.path ?? [];
    return [misasked([key], `${key} needs a page. Write page instead of request, or remove ${key}.`)];
  }
  return loads.map(({ path, kind, called, outcome, url }) => ({
    path,
    expectation: `${called} ${url} must be ${outcome} on ${question.subject}.`,
    answer: withinWork(() => {
      const view = pageView(question);
      return view === null ? NO_POLICIES : answerLoad(kind, url, outcome, view);
    }),
  }));
}

const NO_POLICIES: Answer = {
  as: "undecided",
  why: "The live policies are unknown. Declare policies, even if empty: the files do not declare them, or they could not be planned.",
};

function rulesetChecks(rulesets: Json | undefined, { question, state }: Asked): readonly Check[] {
  return (["applies", "does_not_apply"] as const).flatMap((key) =>
    texts(rulesets, key).map((named, index) => ({
      path: ["managed_rulesets", key, index],
      expectation: `${named} ${key === "applies" ? "must apply" : "must not apply"} to ${question.subject}.`,
      answer: withinWork(() => answerRuleset(named, key === "applies", state, question)),
    })),
  );
}

function customRuleChecks(expected: Json | undefined, { question, state }: Asked): readonly Check[] {
  return CUSTOM_OUTCOMES.filter((outcome) => outcome === expected).map((outcome) => ({
    path: [customRule.section],
    expectation: `Custom rules must ${CUSTOM_VERBS[outcome](question.subject)}.`,
    answer: withinWork(() => answerCustomRules(outcome, state, question)),
  }));
}

const CUSTOM_VERBS = {
  blocked: (request: string) => `block ${request}`,
  challenged: (request: string) => `challenge ${request}`,
  skipped: (request: string) => `let ${request} skip protection`,
  passed: (request: string) => `let ${request} pass`,
} as const;

function logChecks(
  body: JsonObject,
  key: "log" | "does_not_log",
  { question, state, writers }: Asked,
): readonly Check[] {
  return FIELD_LISTS.flatMap((list) =>
    texts(body[key], list).map((name, index) => ({
      path: [key, list, index],
      expectation: `${name} ${key === "log" ? "must be" : "must not be"} logged (${list}) for ${question.subject}.`,
      answer: withinWork(() => answerLogged(list, name, key === "log", state, writers, question)),
    })),
  );
}

function withinWork(answer: () => Answer): Answer {
  return isSpent() ? EXHAUSTED : answer();
}

const EXHAUSTED: Answer = {
  as: "undecided",
  why: "The tests of the zone exceed the work limit. Write fewer tests, or simpler expressions.",
};

function texts(map: Json | undefined, key: string): readonly string[] {
  return isObject(map) ? textsIn(map[key]) : [];
}
