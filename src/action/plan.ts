import path from "node:path";
import { EXIT } from "../cli/command.js";
import { commitNamed, mergeBase, openRepository } from "../git/repository.js";
import type { Repository } from "../git/run.js";
import { equal } from "../model/json.js";
import { ok, problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { writePlan } from "../run/saved-plan.js";
import { type Inputs, idleFor, liftedFor } from "./inputs.js";
import { nothingDone, type Outcome, type StepContext } from "./outcome.js";
import { type Flags, problemsIn, runCommand } from "./run-command.js";
import type { PullRequest, WorkflowRun } from "./workflow-run.js";

/** Plans, and leaves the plan in a file for whoever applies it. */
export async function plan(around: StepContext): Promise<Outcome> {
  const { inputs, run } = around;
  return planInto(inputs.planFile ?? path.join(run.temporary, defaultName(inputs.label)), "plan", around);
}

function defaultName(label: string): string {
  return label === "default" ? "zoneward-plan.json" : `zoneward-plan-${label}.json`;
}

/** What was changed outside the files. */
export function drift(around: StepContext): Promise<Outcome> {
  return planInto(around.inputs.planFile, "drift", around);
}

/** Planned again where something is lifted for the very plan that came out: as often as live moves in between. */
const MAX_ROUNDS = 3;

/** @param file where the plan is written; null: nowhere */
export async function planInto(
  file: string | null,
  command: "plan" | "drift",
  around: StepContext,
): Promise<Outcome> {
  const { inputs, run, terminal } = around;
  const base = await baseFor(inputs, run, terminal.cwd);
  let lifted: readonly string[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const flags = { ...flagsOf(around), base, allow: lifted };
    const { code, value, document } = await runCommand(command, [], flags, terminal);
    const problems = problemsIn(value) ?? [];
    if (document === null) return nothingDone(command, code, problems);
    const meant = liftedFor(document.digest, inputs.allow);
    if (equal(meant, lifted)) {
      const outcome = { ...nothingDone(command, code, []), document };
      return keptIn(file, document, outcome, around);
    }
    lifted = meant;
  }
  const detail = `A guardrail is lifted for one plan, and what is live moved each of ${MAX_ROUNDS} times while that plan was made. Run it again.`;
  return nothingDone(command, EXIT.error, [problem("moving", "What is live moves", detail)]);
}

/** A plan that nobody can apply later is no failure of the plan, and one of the step. */
async function keptIn(
  file: string | null,
  document: PlanDocument,
  outcome: Outcome,
  { inputs, terminal }: StepContext,
): Promise<Outcome> {
  const written = file === null ? ok(null) : await writePlan(file, document, terminal);
  const idle = idleFor(document.digest, inputs.allow);
  const remarks = [...outcome.remarks, ...(written.ok ? [] : written.problems), ...idle];
  if (!written.ok) return { ...outcome, remarks, code: EXIT.error };
  return { ...outcome, remarks, planFile: file === null ? null : path.resolve(terminal.cwd, file) };
}

/** What plan and apply are both told. */
export function flagsOf({ inputs }: StepContext): Flags {
  return {
    config: inputs.config,
    zone: inputs.zones,
    guardrails: inputs.guardrails,
    "fail-on": inputs.failOn,
    "max-age": inputs.maxAge,
  };
}

/**
 * The files before the change, as `--base` takes them: what the workflow says; for a pull request, without a word, what it
 * is to be merged into. Null: there are none to name.
 */
async function baseFor(
  { base }: Pick<Inputs, "base">,
  { event, pull }: WorkflowRun,
  cwd: string,
): Promise<string | null> {
  if (base !== null) return base;
  if (event !== "pull_request" || pull === null) return null;
  const repository = openRepository(cwd);
  const commit = repository.ok ? await mergedInto(pull, repository.value) : null;
  // Where the checkout does not have it, this names what is missing, and is no commit: what is not known is not passed over.
  return `git:${commit ?? `${pull.base}...HEAD`}`;
}

/** What is checked out is mostly a merge that GitHub made: its first parent is the branch as it was merged into. */
async function mergedInto({ head, base }: PullRequest, repository: Repository): Promise<string | null> {
  const second = await commitNamed(repository, "HEAD^2");
  const found =
    second.ok && second.value === head
      ? await commitNamed(repository, "HEAD^1")
      : await mergeBase(repository, base, "HEAD");
  return found.ok ? found.value : null;
}

/** Checks the files offline. */
export async function validate({ inputs, terminal }: StepContext): Promise<Outcome> {
  const { code, value } = await runCommand("validate", [], { config: inputs.config }, terminal);
  return nothingDone("validate", code, problemsIn(value) ?? []);
}
