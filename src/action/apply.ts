import { randomUUID } from "node:crypto";
import path from "node:path";
import { type Problem, problem } from "../model/problem.js";
import type { ApplyReport } from "../model/report.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { liftedGuardrails, runAlone, standingProblems, stoppedAtOnce } from "../run/apply.js";
import { fileProblems } from "../run/base.js";
import { withClient } from "../run/client.js";
import { EXIT } from "../run/exit-codes.js";
import { type Planned, runPlan } from "../run/plan.js";
import { savedPlan, withSaved } from "../run/saved-plan.js";
import { reviewedBase } from "./base.js";
import { callsText } from "./comment-markdown.js";
import { idleForPlan, liftedForPlan } from "./inputs.js";
import { inputsOf } from "./option-names.js";
import { type Applied, nothingDone, type StepContext, type StepOutcome } from "./outcome.js";
import { BEFORE_WRITING, inputFor, planInto, progressOn, unlessInterrupted } from "./plan.js";
import { say } from "./report.js";

/** Applies the reviewed plan, from a file or by its digest. No other plan is ever applied. */
export async function apply(step: StepContext): Promise<StepOutcome> {
  const { planFile, planDigest } = step.inputs;
  if (planFile !== null) return applyFile(planFile, step);
  if (planDigest !== null) return applyDigest(planDigest, step);
  const detail =
    "apply needs the reviewed plan. Give its file as plan-file, or its digest as plan-digest. Nothing was read or written.";
  return nothingDone("apply", EXIT.error, [problem("no_reviewed_plan", "Reviewed plan missing", detail)]);
}

async function applyFile(file: string, step: StepContext): Promise<StepOutcome> {
  const { inputs, cwd } = step;
  const approved = inputs.planDigest === null ? null : { digest: inputs.planDigest, option: "plan-digest" };
  const saved = await savedPlan(file, cwd, inputs.maxAge, approved);
  if (!saved.ok) return nothingDone("apply", EXIT.error, saved.problems);
  const base = await reviewedBase(saved.value, step);
  if (!base.ok) return nothingDone("apply", EXIT.error, base.problems);
  return carryOut(saved.value, path.resolve(cwd, file), base.value, step);
}

/** An approved digest stands for one plan. Planning again gives the same digest as long as nothing has moved. */
async function applyDigest(digest: string, step: StepContext): Promise<StepOutcome> {
  const { inputs, run } = step;
  const file = path.join(run.temporary, `zoneward-plan-${randomUUID()}.json`);
  const planned = await planInto(file, "plan", step);
  const { document } = planned;
  if (document === null || planned.code === EXIT.error)
    return { ...planned, command: "apply", planFile: null };
  if (document.digest === digest && planned.planFile !== null)
    return carryOut(document, planned.planFile, inputs.base, step);
  const detail = `The plan is ${document.digest} now, and ${digest} was approved. The live state, the files or a secret changed since. Review this plan. To see what changed, give the reviewed plan as plan-file. Nothing was written.`;
  const refusal = problem("other_plan", "Not the approved plan", detail);
  return { ...planned, command: "apply", code: EXIT.error, problems: [refusal], planFile: null };
}

/**
 * Reports the plan as it is now, and nothing from the approved plan's file, whose content cannot be trusted.
 *
 * @param base the files before the change; null: the approved plan's base
 */
async function carryOut(
  approved: PlanDocument,
  planFile: string,
  base: string | null,
  step: StepContext,
): Promise<StepOutcome> {
  const { inputs } = step;
  const allow = liftedForPlan(approved, inputs.allow);
  const input = withSaved(inputFor(step, base, allow), approved);
  const ran = await withClient({ environment: input.environment }, async (client) => {
    const planned = await unlessInterrupted(runPlan(input, client, progressOn(step)), step);
    if (planned === null) return nothingDone("apply", EXIT.interrupted, [BEFORE_WRITING]);
    if (!planned.ok) return nothingDone("apply", EXIT.error, planned.problems);
    const document = planned.documentIn(inputsOf(planned.document.digest));
    return carryOutPlanned(planned, { command: "apply", document, saved: approved, again: AGAIN }, step);
  });
  const outcome = ran.ok
    ? ran.value
    : nothingDone("apply", EXIT.error, [...ran.problems, ...(await fileProblems(input))]);
  return { ...outcome, remarks: idleForPlan(approved, inputs.allow), planFile };
}

const AGAIN = "Run the job again with the same plan file: only the remaining calls are made.";

interface Carrying {
  readonly command: "apply" | "rollback";
  /** The plan as shown. Nothing is sent while one of its guardrails refuses. */
  readonly document: PlanDocument;
  /** The approved plan from a file; null: the digest was compared with the approved one. */
  readonly saved: PlanDocument | null;
  /** How to continue after an interruption. */
  readonly again: string;
}

/** Applies a plan, and reports. */
export async function carryOutPlanned(
  planned: Planned,
  { command, document, saved, again }: Carrying,
  step: StepContext,
): Promise<StepOutcome> {
  const [errors, warnings] = [
    planned.problems.filter(isError),
    planned.problems.filter((each) => !isError(each)),
  ];
  say([...warnings, ...liftedGuardrails(document, inputsOf(document.digest))], step, "log");
  const standing = standingProblems(document);
  const refused = (problems: readonly Problem[], code: number): StepOutcome => ({
    ...nothingDone(command, code, problems),
    document,
  });
  if (standing.length > 0)
    return refused([...errors, ...standing], errors.length > 0 ? EXIT.error : EXIT.refused);
  const { runner, cwd } = step;
  const stop = step.signals.caught(() => runner.log(stoppedAtOnce(again)));
  stop.addEventListener("abort", () => runner.log(STOPPING));
  const ran = await runAlone(planned, saved, cwd, {
    stop,
    progress: progressOn(step),
    onJournal: (file) => runner.log(`Journal: ${file}`),
  });
  if (!ran.ok) return refused(ran.problems, EXIT.error);
  const applied = appliedOf(ran.value, cwd);
  const zoneProblems = ran.value.zones.flatMap(({ problems }) => problems);
  // A call may have failed because the run was cancelled.
  const isCancelled = stop.aborted && !ran.value.converged;
  const problems = isCancelled ? [...zoneProblems, interrupted(applied, again)] : zoneProblems;
  say(problems, step, "log");
  const code = isCancelled ? EXIT.interrupted : ran.value.converged ? EXIT.done : EXIT.error;
  return { ...refused(problems, code), applied };
}

const STOPPING = "Stopping after the calls in flight. A second signal stops at once.";

function isError({ severity }: Problem): boolean {
  return severity === "error";
}

function interrupted(applied: Applied, again: string): Problem {
  const detail = `The run was cancelled: ${callsText(applied)}. The journal has the calls that were made. ${again}`;
  return problem("interrupted", "Interrupted", detail);
}

function appliedOf({ summary, journal, converged }: ApplyReport, cwd: string): Applied {
  return {
    done: summary.done,
    failed: summary.failed,
    notStarted: summary.not_started,
    converged,
    zonesConverged: summary.zones_converged,
    zonesFailed: summary.zones_failed,
    journal: journal === null ? null : path.resolve(cwd, journal),
  };
}
