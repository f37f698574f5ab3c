import type { JournalIntent, JournalOutcome } from "../model/journal.js";
import type { Step } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import type { SealedObject } from "../model/sealed.js";
import type { Course } from "./send.js";
import type { Sending } from "./sight.js";

/** What the journal says before a call is sent: its body as in the plan, never as it is sent. */
export function intentLine(
  { plan, firstStep }: Pick<Course, "plan" | "firstStep">,
  { step, path }: Pick<Sending, "step" | "path">,
  attempt: number,
): JournalIntent {
  return {
    type: "intent",
    zone: plan.zone,
    step: firstStep + step.n - 1,
    attempt,
    method: step.method,
    path,
    body: step.body as SealedObject | null, // a body is an object or nothing
    changes: step.changes,
    yields: step.yields.map(({ ref, item }) => ({ ...ref, state: item?.normal ?? null })),
  };
}

/** What it says once something is known of the call. */
export function outcomeLine(
  { plan, firstStep }: Pick<Course, "plan" | "firstStep">,
  { n }: Step,
  attempt: number,
  status: JournalOutcome["status"],
  id: string | null,
  why: Problem | null,
): JournalOutcome {
  const reason = why === null ? null : { code: why.code, summary: why.summary, detail: why.detail };
  return { type: "outcome", zone: plan.zone, step: firstStep + n - 1, attempt, status, id, problem: reason };
}
