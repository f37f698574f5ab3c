import equal from "fast-deep-equal";
import { isId } from "../model/id.js";
import { isList, isObject, type Json } from "../model/json.js";
import type { Step, ZonePlan } from "../model/plan.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import type { CallOutcome, ZoneOutcomeReport } from "../model/report.js";
import { isLate } from "../model/sealed.js";
import { brief } from "../plan/changes-between.js";
import { difference, nameOf } from "../plan/compare.js";
import { partOf, pathOf } from "../plan/zone-part.js";
import { bodyOf, pathWith } from "./body.js";

/** What applying needs from outside. */
export interface Hands {
  send(step: Step, path: string, body: Json | null): Promise<Result<Json | null>>;
  /** What is at the path now. */
  read(path: string): Promise<Result<Json>>;
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
  const course: Course = { plan, firstStep, hands, made: new Map() };
  const stale = await staleness(plan, hands);
  const outcomes =
    stale === null
      ? await sendAll(course)
      : steps.map((step) => outcomeOf(course, step, "not_started", null));
  const problems = stale ?? outcomes.flatMap((each) => (each.problem === null ? [] : [each.problem]));
  if (problems.length > 0 || outcomes.some((each) => each.status !== "done")) {
    return { outcomes, zone: { zone, converged: false, problems } };
  }
  const left = await unconverged(plan, hands);
  const unseen = notReadBack(plan);
  return { outcomes, zone: { zone, converged: left.length === 0, problems: [...left, ...unseen] } };
}

/** The service has taken it, and that is all that is known. */
function notReadBack({ zone, changes, unlisted }: ZonePlan): readonly Problem[] {
  return changes
    .filter(({ ref }) => unlisted.includes(ref.kind))
    .map(({ ref, at }) => {
      const detail = `The service accepted ${nameOf(ref)} of ${zone}, and cannot list such objects: whether it is as declared is not known. The next plan shows it as new again; take it out of the file once it is there.`;
      const reason = problem("not_read_back", "Not read back", detail);
      return { ...reason, severity: "warning", at };
    });
}

/** One zone's apply, and what it has made so far. */
interface Course {
  readonly plan: ZonePlan;
  readonly firstStep: number;
  readonly hands: Hands;
  /** Ids of new objects, by the step that made them. */
  readonly made: Map<number, string>;
}

/** Null: the live state is what the plan saw. */
async function staleness(plan: ZonePlan, hands: Hands): Promise<readonly Problem[] | null> {
  const fresh = await hands.replan();
  if (!fresh.ok) return fresh.problems;
  const moved = difference(partOf(plan), partOf(fresh.value)) ?? movedUnseen(plan, fresh.value);
  return moved === null ? null : [moved];
}

/** What the plan does not show of an object that it changes, because it is not declared or is sensitive. */
function movedUnseen({ zone, touched }: ZonePlan, fresh: ZonePlan): Problem | null {
  const moved = touched.flatMap(({ ref, raw }) => {
    const now = fresh.touched.find((each) => each.ref.kind === ref.kind && each.ref.id === ref.id)?.raw ?? {};
    const names = [...new Set([...Object.keys(raw), ...Object.keys(now)])];
    const fields = names.filter((name) => !equal(raw[name], now[name]));
    return fields.length === 0 ? [] : [`${nameOf(ref)} (${fields.join(", ")})`];
  });
  if (moved.length === 0) return null;
  const detail = `Since the plan was made, ${zone} has changed: ${moved.join("; ")}. Nothing is written to this zone. Plan again.`;
  return problem("stale_live", "The live state moved", detail);
}

async function sendAll(course: Course): Promise<readonly CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  let going = true;
  for (const step of course.plan.steps) {
    going &&= !course.hands.stopping();
    const outcome: CallOutcome = going
      ? await sendOne(course, step)
      : outcomeOf(course, step, "not_started", null);
    going &&= outcome.status === "done";
    outcomes.push(outcome);
  }
  return outcomes;
}

async function sendOne(course: Course, step: Step): Promise<CallOutcome> {
  const { plan, hands, made } = course;
  const moved = await movedBefore(step, hands);
  if (moved !== null) {
    const at = plan.changes[step.changes[0] ?? -1]?.at ?? null;
    return outcomeOf(course, step, "not_started", { ...moved, at: moved.at ?? at });
  }
  const answer = await hands.send(step, pathWith(step.path, made), bodyOf(step, plan.secrets));
  const kept = answer.ok ? keepId(course, step, answer.value) : answer;
  return outcomeOf(course, step, kept.ok ? "done" : "failed", kept.ok ? null : (kept.problems[0] ?? null));
}

/** The last look before a list is replaced whole: whoever changed it since would lose what they did. */
async function movedBefore({ expects }: Step, hands: Hands): Promise<Problem | null> {
  if (expects === null) return null;
  const now = await hands.read(expects.read);
  if (!now.ok) return now.problems[0] ?? null;
  const { value } = now;
  const found = isObject(value) ? value : {};
  const moved = Object.keys(expects.fields).filter(
    (name) => !equal(somethingOf(expects.fields[name]), somethingOf(found[name])),
  );
  if (moved.length === 0) return null;
  const detail = `Just before it would have been replaced, GET ${expects.read} gave another ${moved.join(" and ")} than the plan saw. It was not replaced. Plan again.`;
  return problem("stale_live", "The live state moved", detail);
}

/** An empty list may be left out of an answer. */
function somethingOf(value: Json | undefined): Json {
  return isList(value) && value.length === 0 ? null : (value ?? null);
}

/** Keeps the id of what a step has made, where later ones need it. */
function keepId({ plan, made }: Course, step: Step, answer: Json | null): Result<null> {
  const isNeeded = plan.steps.some(({ path }) =>
    path.some((part) => isLate(part) && part.$result === step.n),
  );
  if (!isNeeded) return ok(null);
  const id = isObject(answer) ? answer.id : null;
  if (typeof id === "string" && isId(id)) {
    made.set(step.n, id);
    return ok(null);
  }
  const detail = `${step.method} ${pathOf(step.path)} was accepted, and the answer does not have the id of what it made, which the next call needs. Plan again to go on.`;
  return failed(problem("unexpected_answer", "The answer has no id", detail));
}

function outcomeOf(
  { plan, firstStep, made }: Course,
  step: Step,
  status: CallOutcome["status"],
  reason: Problem | null,
): CallOutcome {
  const known = step.path.map((part) => (isLate(part) ? (made.get(part.$result) ?? part) : part));
  const call = `${step.method} ${pathOf(known, firstStep - 1)}`;
  return { step: firstStep + step.n - 1, zone: plan.zone, call, status, problem: reason };
}

/** What the zone still needs after its last call: the service took it and did not keep it, or somebody else moved it. */
async function unconverged(plan: ZonePlan, hands: Hands): Promise<readonly Problem[]> {
  const fresh = await hands.replan();
  if (!fresh.ok) return fresh.problems;
  const { changes, unlisted } = fresh.value;
  // What the service does not list cannot be read back, and looks as if it was still to be created.
  const left = changes.filter(({ ref, action }) => !(action === "create" && unlisted.includes(ref.kind)));
  return left.map(({ ref, fields, at }) => {
    const differences = fields.map(({ path, before, after }) =>
      after === null ? `${path} is ${brief(before)}` : `${path} is ${brief(before)}, not ${brief(after)}`,
    );
    const detail = `After the last call, ${nameOf(ref)} of ${plan.zone} is not as declared: ${differences.join("; ")}. The service accepted the calls and did not store this, or somebody else changed it.`;
    return { ...problem("not_converged", "The zone is not as declared after the apply", detail), at };
  });
}
