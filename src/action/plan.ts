import path from "node:path";
import { equal } from "../model/json.js";
import { asWarning, failed, hasErrors, ok, problem } from "../model/problem.js";
import type { Progress } from "../model/report.js";
import { count } from "../render/safe-text.js";
import { fileProblems } from "../run/base.js";
import { withClient } from "../run/client.js";
import { EXIT, exitCodeOf } from "../run/exit-codes.js";
import { type PlanInput, readChecked } from "../run/files.js";
import { type Planned, type PlanRun, refusalsOf, runPlan, withExpiry } from "../run/plan.js";
import { writePlan } from "../run/saved-plan.js";
import { baseFor } from "./base.js";
import { idleForPlan, liftedForPlan } from "./inputs.js";
import { inputsOf } from "./option-names.js";
import { nothingDone, type StepContext, type StepOutcome } from "./outcome.js";
import { say } from "./report.js";
import { environmentOfRun } from "./runner.js";

/** Checks the files offline. */
export async function validate(step: StepContext): Promise<StepOutcome> {
  const input = { ...inputFor(step, null, []), guardrails: undefined };
  const { desired, problems: ofFiles, tested } = await readChecked(input);
  const problems = [...ofFiles, ...tested.flatMap((each) => each.problems)];
  const isValid = desired !== null && !hasErrors(problems);
  return nothingDone("validate", isValid ? EXIT.done : EXIT.error, problems);
}

/** Plans, and saves the plan for a later apply. */
export async function plan(step: StepContext): Promise<StepOutcome> {
  const { inputs, run } = step;
  return planInto(inputs.planFile ?? path.join(run.temporary, defaultName(inputs.label)), "plan", step);
}

function defaultName(label: string): string {
  return label === "default" ? "zoneward-plan.json" : `zoneward-plan-${label}.json`;
}

/** Plans what would undo changes made outside the files. */
export function drift(step: StepContext): Promise<StepOutcome> {
  return planInto(step.inputs.planFile, "drift", step);
}

/** An allowance is known to fit only once the plan is made, so planning repeats; live state may move each time. */
const MAX_ROUNDS = 3;

/** @param file where to save the plan; null: nowhere */
export async function planInto(
  file: string | null,
  about: "plan" | "drift",
  step: StepContext,
): Promise<StepOutcome> {
  const { inputs, run } = step;
  const base = await baseFor(inputs, run, step.cwd);
  let lifted: readonly string[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const planned = await unlessInterrupted(
      planOnce(
        { ...inputFor(step, base, lifted), about, changedOver: changedOver(about, step), who: whoFor(step) },
        step,
      ),
      step,
    );
    if (planned === null) return nothingDone(about, EXIT.interrupted, [BEFORE_WRITING]);
    if (!planned.ok) return nothingDone(about, EXIT.error, planned.problems);
    const lifting = liftedForPlan(planned.document, inputs.allow);
    if (equal(lifting, lifted)) {
      const outcome = await withPlanFile(file, about, planned, step);
      return about === "drift" ? withReadiness(outcome, step) : outcome;
    }
    lifted = lifting;
  }
  const detail = `A guardrail is lifted for one plan, and the live state changed during each of ${MAX_ROUNDS} attempts to plan. Run it again.`;
  return nothingDone(about, EXIT.error, [problem("moving", "Live state keeps changing", detail)]);
}

/** With logs of reports, drift also tells whether policies that only report could block. */
async function withReadiness(outcome: StepOutcome, step: StepContext): Promise<StepOutcome> {
  if (step.inputs.events.length === 0) return outcome;
  const { readiness } = await import("../run/readiness.js");
  const input = { ...inputFor(step, null, []), named: [], leastDays: null };
  const ran = await withClient({ environment: input.environment }, (client) =>
    readiness(input, client, progressOn(step)),
  );
  const read = ran.ok ? ran.value : ran;
  // A failure here must not hide the drift.
  if (!read.ok) return { ...outcome, remarks: [...outcome.remarks, ...read.problems.map(asWarning)] };
  return { ...outcome, ready: read.value };
}

/** Names of people appear only in private repositories. */
export function whoFor({ inputs: { command, who }, run }: StepContext): PlanInput["who"] {
  if (who === "false" || command === "apply") return undefined;
  return who === "true" && run.isPrivate ? "names" : "role";
}

/** Above this, a pull request plans only the zones that it changes, unless the workflow says otherwise. */
const MANY_ZONES = 50;

function changedOver(about: "plan" | "drift", { inputs, run }: StepContext): number | undefined {
  if (about === "drift" || inputs.changed === "false") return undefined;
  if (inputs.changed === "true") return 0;
  return run.event === "pull_request" ? MANY_ZONES : undefined;
}

async function planOnce(input: PlanInput, step: StepContext): Promise<PlanRun> {
  const ran = await withClient({ environment: input.environment }, (client) =>
    runPlan(input, client, progressOn(step)),
  );
  return ran.ok ? ran.value : failed(...ran.problems, ...(await fileProblems(input)));
}

/** The result of the work; null: the run was cancelled before it wrote to the service. */
export function unlessInterrupted<T>(work: Promise<T>, { signals }: StepContext): Promise<T | null> {
  return Promise.race([work, signals.interrupted.then(() => null)]);
}

export const BEFORE_WRITING = problem(
  "interrupted",
  "Interrupted",
  "The run stopped before it wrote to the service.",
);

/** A plan that cannot be saved fails the step, but is still shown. */
async function withPlanFile(
  file: string | null,
  about: "plan" | "drift",
  { document: original, documentIn, problems }: Planned,
  step: StepContext,
): Promise<StepOutcome> {
  const { inputs, cwd, redactor } = step;
  const plan = withExpiry(original, inputs.maxAge);
  const { expires_at } = plan;
  const document = {
    ...documentIn(inputsOf(original.digest)),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
  say([...problems, ...refusalsOf(document, inputs.failOn)], step, "log");
  const saved = file === null ? ok(null) : await writePlan(file, plan, { redactor, cwd });
  const idle = idleForPlan(document, inputs.allow);
  const remarks = [...(saved.ok ? [] : saved.problems), ...idle];
  return {
    ...nothingDone(about, saved.ok ? exitCodeOf(document, inputs.failOn) : EXIT.error, []),
    document,
    remarks,
    planFile: saved.ok && saved.value !== null ? path.resolve(cwd, saved.value) : null,
  };
}

/** The input of a plan, for every command. */
export function inputFor(
  { inputs, cwd, environment, redactor }: StepContext,
  base: string | null,
  allow: readonly string[],
): PlanInput {
  return {
    config: inputs.config,
    zones: inputs.zones,
    only: inputs.only,
    events: inputs.events,
    requests: inputs.command === "plan" || inputs.command === "drift" ? inputs.requests : [],
    guardrails: inputs.guardrails ?? undefined,
    base: base ?? undefined,
    allow,
    failOn: inputs.failOn,
    cwd,
    environment: environmentOfRun(environment),
    hide: (values) => redactor.add(values),
  };
}

export function progressOn({ runner }: StepContext): Progress {
  let lastMs = Date.now();
  return (done, of, doing) => {
    if (Date.now() - lastMs < EVERY_MS) return;
    lastMs = Date.now();
    runner.log(`${doing}: ${done} of ${count(of, "zone")}`);
  };
}

const EVERY_MS = 10_000;
