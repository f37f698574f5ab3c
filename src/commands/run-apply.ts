import equal from "fast-deep-equal";
import { isApiProblem } from "../api/problems.js";
import { applyZone, type Hands, type ZoneApplied } from "../apply/index.js";
import { kinds } from "../kinds/index.js";
import type { ZonePlan } from "../model/plan.js";
import { ok, type Problem, problem } from "../model/problem.js";
import type { Progress } from "../model/progress.js";
import type { ApplyReport, CallOutcome, ZoneOutcomeReport } from "../model/report.js";
import { difference } from "../plan/compare.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { partOf, partsOf, pathOf, type ZonePart } from "../plan/zone-part.js";
import { type LocatedZone, naming, placed, planZone, type Surroundings } from "./plan-zones.js";
import type { PlanRun } from "./run-plan.js";

type Planned = Extract<PlanRun, { readonly ok: true }>;

/** A zone whose plan is to be carried out, or why it is not. */
interface Task {
  readonly located: LocatedZone;
  readonly plan: ZonePlan | null;
  readonly firstStep: number;
  readonly refusal: readonly Problem[];
}

/** Guardrails that stand against carrying the plan out. */
export function standingGuardrails(document: PlanDocument): PlanDocument["guardrails"] {
  return document.guardrails.filter((each) => !each.allowed);
}

/**
 * Carries out what was planned, zone by zone in the order of the plan. With a saved plan, only zones for which it
 * says the same as the fresh one.
 */
export async function runApply(
  planned: Planned,
  saved: PlanDocument | null,
  stop: AbortSignal,
  progress: Progress,
): Promise<ApplyReport> {
  const tasks = tasksOf(planned, saved === null ? null : partsOf(saved));
  const applied: ZoneApplied[] = [];
  for (const task of tasks) {
    progress(applied.length, tasks.length, "applying");
    applied.push(await carryOut(task, planned.around, stop));
  }
  progress(tasks.length, tasks.length, "applying");
  return reportOf([...applied, ...(saved === null ? [] : missing(planned.document, saved))]);
}

/** Zones that the saved plan writes to and this run, of the same selection, does not have. */
function missing(fresh: PlanDocument, saved: PlanDocument): readonly ZoneApplied[] {
  if (!equal(fresh.inputs.zones, saved.inputs.zones)) return [];
  const here = new Set(fresh.zones.map((each) => each.zone));
  const gone = new Set(saved.calls.map((call) => call.zone).filter((zone) => !here.has(zone)));
  return [...gone].map((zone) => {
    const detail = `The saved plan has calls for ${zone}, and the files do not have the zone now. Nothing is written to it. Plan again.`;
    const reason = problem("stale_files", "The files moved", detail);
    return { outcomes: [], zone: { zone, converged: false, problems: [reason] } };
  });
}

function tasksOf({ outcomes, zones }: Planned, parts: ReadonlyMap<string, ZonePart> | null): readonly Task[] {
  const tasks: Task[] = [];
  let firstStep = 1;
  for (const [index, outcome] of outcomes.entries()) {
    const located = zones[index];
    if (located === undefined) throw new Error("every zone has an outcome");
    if (!outcome.ok) tasks.push({ located, plan: null, firstStep, refusal: outcome.failure.problems });
    else {
      const moved = parts === null ? null : movedSince(parts, outcome.plan);
      tasks.push({ located, plan: outcome.plan, firstStep, refusal: moved === null ? [] : [moved] });
      firstStep += outcome.plan.steps.length;
    }
  }
  return tasks;
}

function movedSince(parts: ReadonlyMap<string, ZonePart>, fresh: ZonePlan): Problem | null {
  // Nothing left to do: the plan was carried out before, or somebody else did the same.
  if (fresh.steps.length === 0) return null;
  const part = parts.get(fresh.zone);
  if (part !== undefined && part.digest !== null) return difference(part, partOf(fresh));
  const detail = `The saved plan does not have ${fresh.zone}, and now there are changes for it. Nothing is written to this zone. Plan again.`;
  return problem("stale_files", "The files moved", detail);
}

async function carryOut(task: Task, around: Surroundings, stop: AbortSignal): Promise<ZoneApplied> {
  const { located, plan, firstStep, refusal } = task;
  const zone = located.declared.name;
  if (plan === null) return { outcomes: [], zone: { zone, converged: false, problems: refusal } };
  if (refusal.length > 0)
    return { outcomes: notStarted(plan, firstStep), zone: { zone, converged: false, problems: refusal } };
  const applied = await applyZone(plan, firstStep, handsFor(located, plan, around, stop));
  const { problems } = placed(applied.zone.problems, located.declared);
  return { ...applied, zone: { ...applied.zone, problems } };
}

function handsFor(located: LocatedZone, plan: ZonePlan, around: Surroundings, stop: AbortSignal): Hands {
  const { client } = around;
  const { place } = located;
  if (!place.ok) throw new Error("a zone that was planned has an id");
  const permissions = new Map(kinds.map((kind) => [kind.name, kind.permissions.write]));
  return {
    send: async (step, path, body) => {
      const answer = await client.send(step.method, path, body);
      if (answer.ok) return answer;
      // Somebody else deleted it first: what was to be gone is gone.
      if (step.method === "DELETE" && answer.problems.every((each) => each.code === "not_found"))
        return ok(null);
      const change = plan.changes[step.changes[0] ?? -1];
      const explained = (each: Problem): Problem => ({
        ...doubtful(naming(each, permissions.get(change?.ref.kind ?? "") ?? "")),
        at: change?.at ?? null,
      });
      return { ok: false, problems: answer.problems.map(explained) };
    },
    read: (path) => client.get(path),
    replan: () => planZone(located.declared, place.value, around),
    stopping: () => stop.aborted,
  };
}

/** A write without a clear answer may have been carried out all the same. */
function doubtful(reason: Problem): Problem {
  if (!isApiProblem(reason) || reason.http.sent === false) return reason;
  const { status } = reason.http;
  if (status !== null && status >= 300 && status < 500) return reason;
  return {
    ...reason,
    detail: `${reason.detail} Whether the call took effect is not known: plan again to see.`,
  };
}

function notStarted({ zone, steps }: ZonePlan, firstStep: number): readonly CallOutcome[] {
  return steps.map(({ n, method, path }) => ({
    step: firstStep + n - 1,
    zone,
    call: `${method} ${pathOf(path, firstStep - 1)}`,
    status: "not_started",
    problem: null,
  }));
}

function reportOf(applied: readonly ZoneApplied[]): ApplyReport {
  const outcomes = applied.flatMap((each) => each.outcomes);
  const zones: readonly ZoneOutcomeReport[] = applied.map((each) => each.zone);
  const having = (status: CallOutcome["status"]) => outcomes.filter((each) => each.status === status).length;
  const converged = zones.filter((each) => each.converged).length;
  return {
    summary: {
      done: having("done"),
      failed: having("failed"),
      not_started: having("not_started"),
      zones_converged: converged,
      zones_failed: zones.length - converged,
    },
    outcomes,
    zones,
    converged: converged === zones.length,
  };
}
