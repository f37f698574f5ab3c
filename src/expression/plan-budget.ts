import { rememberedText } from "../model/remembered.js";

/**
 * The work that comparing expressions may take in the plan of one zone, whatever the number of policies: of 1,000 there are
 * half a million pairs. Each zone has its own, as the order in which zones are planned is not always the same.
 */
interface PlanBudget {
  left: number;
  /** By what was asked: asked again, it takes nothing. */
  readonly answers: Map<string, unknown>;
  readonly remembered: Map<unknown, (text: string) => unknown>;
  /** The first of what was not compared. */
  missed: string | null;
}

/** Some hundred different policies with long patterns, in some seconds. */
const MOST_WORK = 60_000_000;

/** What a question takes that needs no search, for each of its characters. */
const CHAR_WORK = 100;

let activeBudget: PlanBudget | null = null;

/**
 * Plans with a budget of its own: once it is spent, what was not compared before is unknown. Questions and answers are the
 * same whatever was planned before. A plan within another plan gets at most what the outer one has left.
 *
 * @returns what came of it, and the first question that was not answered; null: all were
 */
export function withPlanBudget<T>(
  plan: () => T,
  work: number = MOST_WORK,
): { readonly value: T; readonly missed: string | null } {
  const before = activeBudget;
  const left = Math.min(work, before?.left ?? work);
  const own: PlanBudget = { left, answers: new Map(), remembered: new Map(), missed: null };
  activeBudget = own;
  try {
    const value = plan();
    return { value, missed: own.missed };
  } finally {
    activeBudget = before;
  }
}

/**
 * An answer, and its work off the budget of the plan.
 *
 * @param otherwise where that is spent
 */
export function charged<T>(
  question: string,
  answer: () => { readonly value: T; readonly work: number },
  otherwise: T,
): T {
  const plan = activeBudget;
  if (plan === null) return answer().value;
  if (plan.answers.has(question)) return plan.answers.get(question) as T; // each question has one type of answers
  if (plan.left < 0) {
    plan.missed ??= question;
    return otherwise;
  }
  const { value, work } = answer();
  plan.left -= work + question.length * CHAR_WORK;
  plan.answers.set(question, value);
  return value;
}

/** `rememberedText` for what rests on such answers: what one plan could not compare, another one may. */
export function rememberedInPlan<V>(compute: (text: string) => V): (text: string) => V {
  const always = rememberedText(compute);
  return (text) => {
    if (activeBudget === null) return always(text);
    const own = activeBudget.remembered.get(compute) ?? rememberedText(compute);
    activeBudget.remembered.set(compute, own);
    return own(text) as V; // it is made of `compute`
  };
}
