import path from "node:path";
import { EXIT } from "../commands/command.js";
import { equal } from "../model/equal.js";
import { problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
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
  const { base, warnings } = await baseFor(inputs, run, terminal.cwd);
  let lifted: readonly string[] = [];
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const flags = { ...flagsOf(around), base, out: file, allow: lifted };
    const { code, value } = await runCommand(command, [], flags, terminal);
    const problems = problemsIn(value);
    if (problems !== null) return { ...nothingDone(command, code, problems), remarks: warnings };
    const document = value as unknown as PlanDocument; // what the command says is one, or says what is wrong
    const meant = liftedFor(document.digest, inputs.allow);
    if (equal(meant, lifted)) {
      const remarks = [...warnings, ...idleFor(document.digest, inputs.allow)];
      const planFile = file === null ? null : path.resolve(terminal.cwd, file);
      return { command, code, document, problems: [], remarks, planFile, applied: null };
    }
    lifted = meant;
  }
  const detail = `A guardrail is lifted for one plan, and what is live moved each of ${MAX_ROUNDS} times while that plan was made. Run it again.`;
  return nothingDone(command, EXIT.error, [problem("moving", "What is live moves", detail)]);
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
