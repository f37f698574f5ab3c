import type { Json } from "../model/json.js";
import type { Step, ZonePlan } from "../model/plan.js";
import { type Problem, problem, type Result } from "../model/problem.js";
import type { CallOutcome, ZoneOutcomeReport } from "../model/report.js";
import { brief, difference, nameOf } from "../plan/compare.js";
import { partOf, pathOf } from "../plan/zone-part.js";

/** What applying needs from outside. */
export interface Hands {
  send(step: Step, path: string, body: Json | null): Promise<Result<Json | null>>;
  /** The zone's plan from reads made now. */
  replan(): Promise<Result<ZonePlan>>;
  /** Set when the user asks to stop: the call in flight ends, no other starts. */
  readonly stopping: () => boolean;
}

export interface ZoneApplied {
  readonly outcomes: readonly CallOutcome[];
  readonly zone: ZoneOutcomeReport;
}

/**
 * Carries out one zone's plan: looks whether live is still what the plan saw, sends the calls one after the other
 * up to the first that fails, and reads the zone again: it must need no more changes.
 *
 * @param firstStep what the zone's first call is numbered in the plan document
 */
export async function applyZone(plan: ZonePlan, firstStep: number, hands: Hands): Promise<ZoneApplied> {
  const { zone, steps } = plan;
  if (steps.length === 0) return { outcomes: [], zone: { zone, converged: true, problems: [] } };
  const stale = await staleness(plan, hands);
  const outcomes =
    stale === null
      ? await sendAll(plan, firstStep, hands)
      : steps.map((step) => outcomeOf(plan, step, firstStep, "not_started", null));
  const problems = stale ?? outcomes.flatMap((each) => (each.problem === null ? [] : [each.problem]));
  if (problems.length > 0 || outcomes.some((each) => each.status !== "done")) {
    return { outcomes, zone: { zone, converged: false, problems } };
  }
  const left = await unconverged(plan, hands);
  return { outcomes, zone: { zone, converged: left.length === 0, problems: left } };
}

/** Null: the live state is what the plan saw. */
async function staleness(plan: ZonePlan, hands: Hands): Promise<readonly Problem[] | null> {
  const fresh = await hands.replan();
  if (!fresh.ok) return fresh.problems;
  const moved = difference(partOf(plan), partOf(fresh.value));
  return moved === null ? null : [moved];
}

async function sendAll(plan: ZonePlan, firstStep: number, hands: Hands): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  let going = true;
  for (const step of plan.steps) {
    going &&= !hands.stopping();
    const outcome: CallOutcome = going
      ? await sendOne(plan, step, firstStep, hands)
      : outcomeOf(plan, step, firstStep, "not_started", null);
    going &&= outcome.status === "done";
    outcomes.push(outcome);
  }
  return outcomes;
}

async function sendOne(plan: ZonePlan, step: Step, firstStep: number, hands: Hands): Promise<CallOutcome> {
  const answer = await hands.send(step, pathOf(step.path), bodyOf(step));
  const [reason] = answer.ok ? [] : answer.problems;
  return outcomeOf(plan, step, firstStep, answer.ok ? "done" : "failed", reason ?? null);
}

function bodyOf({ body }: Step): Json | null {
  return body as Json | null; // no kind's steps hold references yet: their bodies are plain JSON
}

function outcomeOf(
  { zone }: ZonePlan,
  step: Step,
  firstStep: number,
  status: CallOutcome["status"],
  reason: Problem | null,
): CallOutcome {
  const call = `${step.method} ${pathOf(step.path)}`;
  return { step: firstStep + step.n - 1, zone, call, status, problem: reason };
}

/** What the zone still needs after its last call: the service took it and did not keep it, or somebody else moved it. */
async function unconverged(plan: ZonePlan, hands: Hands): Promise<readonly Problem[]> {
  const fresh = await hands.replan();
  if (!fresh.ok) return fresh.problems;
  return fresh.value.changes.map(({ ref, fields, at }) => {
    const differences = fields.map(
      ({ path, before, after }) => `${path} is ${brief(before)}, not ${brief(after)}`,
    );
    const detail = `After the last call, ${nameOf(ref)} of ${plan.zone} is not as declared: ${differences.join("; ")}. The service accepted the calls and did not store this, or somebody else changed it.`;
    return { ...problem("not_converged", "The zone is not as declared after the apply", detail), at };
  });
}
