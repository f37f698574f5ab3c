import { quoted } from "./cut.js";
import { type Problem, warning } from "./problem.js";
import { ByText } from "./remembered.js";

/**
 * The work that comparing may take for one zone. 1,000 policies make half a million pairs, and anybody who opens a pull
 * request can write them. Zones share no budget, because their order may differ from run to run.
 */
interface Budget {
  remaining: number;
  /** By the parts of a question. */
  readonly answers: Map<string, Map<string, Map<string, unknown>>>;
  /** The question that spent the budget. Null: some is left. */
  spentBy: Question | null;
}

/** A question about two texts. */
type Question = readonly [topic: string, first: string, second: string];

/** An answer, and the work of finding it. A unit of work is a look at a byte, or a step of a pattern. */
interface Answer<T> {
  readonly value: T;
  readonly work: number;
}

/** Some hundred different policies with long patterns: some seconds. */
const MOST_WORK = 60_000_000;

/** The work for all zones of the files together, where only files are checked: up to a minute. */
const MOST_WORK_OF_FILES = 20 * MOST_WORK;

let active: Budget | null = null;

/** The work left for all zones of the files together. */
let workLeft = Number.POSITIVE_INFINITY;

/**
 * Compares within the budget of a zone. Once the budget is spent, every question stays unknown. Work is counted, not
 * timed, so the same input has the same answers on every machine. A call within another one uses the budget of the
 * outer call.
 *
 * @returns the value, and a warning if the budget is spent; the warning of an inner call comes with the outer one
 */
export function budgeted<T>(
  zone: string,
  compute: () => T,
  work: number = MOST_WORK,
): { readonly value: T; readonly problems: readonly Problem[] } {
  if (active !== null) return { value: compute(), problems: [] };
  const limit = Math.min(work, workLeft);
  const budget = newBudget(limit);
  active = budget;
  try {
    const value = compute();
    return { value, problems: budget.spentBy === null ? [] : [notCompared(zone, budget.spentBy)] };
  } finally {
    active = null;
    workLeft -= limit - budget.remaining;
  }
}

function newBudget(remaining: number): Budget {
  return { remaining, answers: new Map(), spentBy: null };
}

/** Compares one zone after the other within a budget for all of them. Their order has to be that of the files. */
export function budgetedFiles<T>(compute: () => T): T {
  workLeft = MOST_WORK_OF_FILES;
  try {
    return compute();
  } finally {
    workLeft = Number.POSITIVE_INFINITY;
  }
}

function notCompared(zone: string, [, first, second]: Question): Problem {
  const detail = `Comparing the expressions, CSP values and loads of ${zone} exceeds the work limit. The limit was reached with ${quoted(first)} and ${quoted(second)}. Effects and impact that depend on later pairs are unknown, warnings about them may be missing, and the order of the calls may open a gap. Use fewer or simpler expressions and CSP values.`;
  const summary = "Some expressions or CSP values were not compared";
  return warning("not_compared", summary, detail);
}

/** Whether the budget is spent, so that every question stays unknown. */
export function isSpent(): boolean {
  return active !== null && active.remaining < 0;
}

/**
 * An answer whose work the budget of the zone pays for.
 *
 * @param otherwise the answer once the budget is spent
 */
export function charged<T>(question: () => Question, answer: () => Answer<T>, otherwise: T): T {
  if (active === null) return answer().value;
  if (isSpent()) return otherwise;
  const { value, work } = answer();
  active.remaining -= work;
  if (isSpent()) active.spentBy ??= question();
  return value;
}

/** Like charged(), for questions that may repeat: in one zone, a known answer costs little. */
export function chargedOnce<T>(question: Question, answer: () => Answer<T>, otherwise: T): T {
  if (active === null) return answerTo(question, answer).value;
  // The lookup alone takes long for long texts.
  if (isSpent()) return otherwise;
  const [topic, first, second] = question;
  const answers = within(within(active.answers, topic), first);
  const once = () => {
    if (answers.has(second)) return { value: answers.get(second) as T, work: LOOK_WORK }; // of the same question
    const { value, work } = answerTo(question, answer);
    answers.set(second, value);
    return { value, work: QUESTION_WORK + work };
  };
  return charged(() => question, once, otherwise);
}

/** The zones of a fleet ask the same questions. */
const known = new ByText<Answer<unknown>>();

/**
 * The answer, with the work of the questions inside it. It has a budget of its own, so that it does not depend on what is
 * left to the zone that asks first.
 */
function answerTo<T>(question: Question, answer: () => Answer<T>): Answer<T> {
  const compute = () => {
    const asking = active;
    const budget = newBudget(MOST_WORK);
    active = budget;
    try {
      const { value, work } = answer();
      return { value, work: work + MOST_WORK - budget.remaining };
    } finally {
      active = asking;
    }
  };
  return known.get(JSON.stringify(question), compute) as Answer<T>; // of the same question
}

/** 1,000 policies ask for known answers millions of times. */
const LOOK_WORK = 20;

/** Even the simplest question takes some tenths of a millisecond. */
const QUESTION_WORK = 5_000;

function within<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const existing = maps.get(key);
  if (existing !== undefined) return existing;
  const created = new Map<string, V>();
  maps.set(key, created);
  return created;
}
