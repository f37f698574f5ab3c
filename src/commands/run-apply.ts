import type { Client } from "../api/client.js";
import { ZoneReads } from "../api/reads.js";
import { applyZone, type Hands, type ZoneApplied } from "../apply/index.js";
import { kinds } from "../kinds/index.js";
import type { ZonePlan } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import type { ApplyReport, CallOutcome, ZoneOutcomeReport } from "../model/report.js";
import type { Service } from "../model/wanted.js";
import { difference } from "../plan/compare.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { partOf, partsOf, type ZonePart } from "../plan/zone-part.js";
import { type LocatedZone, naming, planZone } from "./plan-zones.js";
import type { PlanRun, Progress } from "./run-plan.js";

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
 * Carries out what was planned, some zones at a time. With a saved plan, only zones for which it says the same as
 * the fresh one.
 */
export async function runApply(
  planned: Planned,
  saved: PlanDocument | null,
  client: Client,
  stop: AbortSignal,
  progress: Progress,
): Promise<ApplyReport> {
  const tasks = tasksOf(planned, saved === null ? null : partsOf(saved));
  const applied: ZoneApplied[] = new Array(tasks.length);
  let next = 0;
  let done = 0;
  progress(0, tasks.length, "applying");
  const work = async (): Promise<void> => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (task === undefined) return;
      applied[index] = await carryOut(task, planned.desired.service, client, stop);
      progress(++done, tasks.length, "applying");
    }
  };
  await Promise.all(Array.from({ length: client.concurrency }, work));
  return reportOf(applied);
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

async function carryOut(
  task: Task,
  service: Service,
  client: Client,
  stop: AbortSignal,
): Promise<ZoneApplied> {
  const { located, plan, firstStep, refusal } = task;
  const zone = located.declared.name;
  if (plan === null) return { outcomes: [], zone: { zone, converged: false, problems: refusal } };
  if (refusal.length > 0)
    return { outcomes: notStarted(plan, firstStep), zone: { zone, converged: false, problems: refusal } };
  return applyZone(plan, firstStep, handsFor(located, plan, service, client, stop));
}

function handsFor(
  located: LocatedZone,
  plan: ZonePlan,
  service: Service,
  client: Client,
  stop: AbortSignal,
): Hands {
  const permissions = new Map(kinds.map((kind) => [kind.name, kind.permissions.write]));
  return {
    send: async (step, path, body) => {
      const answer = await client.send(step.method, path, body);
      if (answer.ok) return answer;
      const kind = plan.changes[step.changes[0] ?? -1]?.ref.kind ?? "";
      return {
        ok: false,
        problems: answer.problems.map((each) => naming(each, permissions.get(kind) ?? "")),
      };
    },
    replan: () => planZone(located.declared, plan.zoneId, new ZoneReads(client), service),
    stopping: () => stop.aborted,
  };
}

function notStarted(plan: ZonePlan, firstStep: number): readonly CallOutcome[] {
  return partOf(plan).calls.map(({ method, path }, index) => ({
    step: firstStep + index,
    zone: plan.zone,
    call: `${method} ${path}`,
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
