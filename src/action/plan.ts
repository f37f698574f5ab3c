import path from "node:path";
import { EXIT } from "../cli/command.js";
import { equal } from "../model/equal.js";
import { ok, problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { writePlan } from "../run/saved-plan.js";
import { idleFor, liftedFor } from "./allowances.js";
import { baseFor } from "./base.js";
import { nothingDone, type Outcome, type Surroundings } from "./outcome.js";
import { type Flags, problemsIn, runCommand } from "./run-command.js";

/** Plans, and leaves the plan in a file for whoever applies it. */
export async function plan(around: Surroundings): Promise<Outcome> {
  const { inputs, run } = around;
  return planInto(inputs.planFile ?? path.join(run.temporary, defaultName(inputs.label)), "plan", around);
}

function defaultName(label: string): string {
  return label === "default" ? "zoneward-plan.json" : `zoneward-plan-${label}.json`;
}

/** What was changed outside the files. */
export function drift(around: Surroundings): Promise<Outcome> {
  return planInto(around.inputs.planFile, "drift", around);
}

/** Planned again where something is lifted for the very plan that came out: as often as live moves in between. */
const MAX_ROUNDS = 3;

/** @param file where the plan is written; null: nowhere */
export async function planInto(
  file: string | null,
  command: "plan" | "drift",
  around: Surroundings,
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
  { inputs, terminal }: Surroundings,
): Promise<Outcome> {
  const written = file === null ? ok(null) : await writePlan(file, document, terminal);
  const idle = idleFor(document.digest, inputs.allow);
  const remarks = [...outcome.remarks, ...(written.ok ? [] : written.problems), ...idle];
  if (!written.ok) return { ...outcome, remarks, code: EXIT.error };
  return { ...outcome, remarks, planFile: file === null ? null : path.resolve(terminal.cwd, file) };
}

/** What plan and apply are both told. */
export function flagsOf({ inputs }: Surroundings): Flags {
  return {
    config: inputs.config,
    zone: inputs.zones,
    guardrails: inputs.guardrails,
    "fail-on": inputs.failOn,
    "max-age": inputs.maxAge,
  };
}
