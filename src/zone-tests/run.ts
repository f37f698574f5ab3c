import { asking } from "../expression/evaluate/asking.js";
import { FIELD_LISTS } from "../kinds/logged-fields.js";
import { logWritersIn, pagesIn } from "../kinds/zone-state.js";
import type { Path } from "../model/item.js";
import { isObject, type Json, type JsonObject, textsIn } from "../model/json.js";
import type { ZoneState } from "../model/zone-state.js";
import type { LogWriter, WrittenTest } from "../model/zone-tests.js";
import { answerLoad, type PageView, viewOf } from "./loads.js";
import { type Answer, type Question, readQuestion } from "./question.js";
import { answerLogged, answerRuleset } from "./rules.js";

/** Something that a test asks, and what came of it. */
export interface Asked {
  /** Where it stands in the test. */
  readonly path: Path;
  /** What has to be, as a sentence. */
  readonly wanted: string;
  readonly answer: Answer;
}

/** A test, and all that it asks. */
export interface TestRun {
  readonly test: WrittenTest;
  readonly name: string;
  readonly asked: readonly Asked[];
}

/**
 * Runs the tests of a zone on a state of it.
 *
 * @param former the state before it: what wrote logs then and is gone is as good as switched off
 */
export function runTests(
  zone: string,
  tests: readonly WrittenTest[],
  state: ZoneState,
  former: ZoneState | null = null,
): readonly TestRun[] {
  const ask = asking();
  const pages = pagesIn(state);
  const gone = former === null ? [] : (logWritersIn(former) ?? []).map((each) => ({ ...each, isOff: true }));
  const writers = [...(logWritersIn(state) ?? []), ...gone];
  const ofPages = new Map<string, ReturnType<typeof readQuestion>>();
  // Many tests ask of one page, and of no more than that.
  const questionOf = (body: JsonObject) => {
    const { page, request } = body;
    if (typeof page !== "string" || request !== undefined) return readQuestion(body, zone, ask);
    const read = ofPages.get(page) ?? readQuestion(body, zone, ask);
    ofPages.set(page, read);
    return read;
  };
  const views = new Map<Question, PageView | null>();
  const pageView = (question: Question) => {
    const view = views.get(question) ?? viewOf(pages, question);
    views.set(question, view);
    return view;
  };
  return tests.map((test): TestRun => {
    const { question, wrong } = questionOf(test.body);
    const name = typeof test.body.name === "string" ? test.body.name : (question?.subject ?? "test");
    const misasked = wrong.map(({ path, detail }) => ({ path, ...misaskedAs(detail) }));
    if (question === null) return { test, name, asked: misasked };
    const asked = asksOf(test.body, question, state, writers, pageView);
    if (asked.length > 0) return { test, name, asked };
    return {
      test,
      name,
      asked: [{ path: [], ...misaskedAs("It asks nothing. Say what is allowed, applies or is logged.") }],
    };
  });
}

function misaskedAs(why: string): Pick<Asked, "wanted" | "answer"> {
  return { wanted: "", answer: { as: "misasked", why } };
}

function asksOf(
  body: JsonObject,
  question: Question,
  state: ZoneState,
  writers: readonly LogWriter[],
  pageView: (question: Question) => PageView | null,
): readonly Asked[] {
  return [
    ...loadsOf(body, question, pageView),
    ...rulesetsOf(body.managed_rulesets, question, state),
    ...loggedOf(body, "log", question, state, writers),
    ...loggedOf(body, "does_not_log", question, state, writers),
  ];
}

const LOADS = [
  { key: "scripts", kind: "script", called: "The script" },
  { key: "connections", kind: "connection", called: "The connection to" },
] as const;

const WANTED = ["allowed", "blocked", "reported"] as const;

function loadsOf(
  body: JsonObject,
  question: Question,
  pageView: (question: Question) => PageView | null,
): readonly Asked[] {
  const all = LOADS.flatMap(({ key, kind, called }) =>
    WANTED.flatMap((wanted) =>
      texts(body[key], wanted).map((url, index) => ({
        path: [key, wanted, index],
        kind,
        called,
        wanted,
        url,
      })),
    ),
  );
  if (all.length === 0) return [];
  if (question.page === null) {
    const [key = ""] = all[0]?.path ?? [];
    return [
      {
        path: [key],
        ...misaskedAs(`What loads is asked of a page. Write page in place of request, or remove ${key}.`),
      },
    ];
  }
  const view = pageView(question);
  return all.map(({ path, kind, called, wanted, url }) => ({
    path,
    wanted: `${called} ${url} has to be ${wanted} on ${question.subject}.`,
    answer: view === null ? NO_POLICIES : answerLoad(kind, url, wanted, view),
  }));
}

const NO_POLICIES: Answer = {
  as: "undecided",
  why: "Which policies there are is not known: these files do not declare them, or they could not be planned. Declare the section, be it empty.",
};

function rulesetsOf(said: Json | undefined, question: Question, state: ZoneState): readonly Asked[] {
  return (["applies", "does_not_apply"] as const).flatMap((key) =>
    texts(said, key).map((named, index) => ({
      path: ["managed_rulesets", key, index],
      wanted: `${named} ${key === "applies" ? "has to apply" : "must not apply"} to ${question.subject}.`,
      answer: answerRuleset(named, key === "applies", state, question),
    })),
  );
}

function loggedOf(
  body: JsonObject,
  key: "log" | "does_not_log",
  question: Question,
  state: ZoneState,
  writers: readonly LogWriter[],
): readonly Asked[] {
  return FIELD_LISTS.flatMap((list) =>
    texts(body[key], list).map((name, index) => ({
      path: [key, list, index],
      wanted: `${name} ${key === "log" ? "has to be" : "must not be"} logged (${list}) of ${question.subject}.`,
      answer: answerLogged(list, name, key === "log", state, writers, question),
    })),
  );
}

function texts(said: Json | undefined, key: string): readonly string[] {
  return isObject(said) ? textsIn(said[key]) : [];
}
