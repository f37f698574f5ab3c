import { randomUUID } from "node:crypto";
import path from "node:path";
import { EXIT } from "../cli/command.js";
import { isList, isObject, type Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { savedPlan } from "../run/saved-plan.js";
import { idleFor, liftedFor } from "./inputs.js";
import { callsText } from "./markdown.js";
import { type Applied, nothingDone, type Outcome, type StepContext } from "./outcome.js";
import { flagsOf, planInto } from "./plan.js";
import { problemsIn, runCommand } from "./run-command.js";

/** Carries out the plan that was reviewed: the one in a file, or the one of a digest. Nothing else is ever applied. */
export async function apply(around: StepContext): Promise<Outcome> {
  const { planFile, planDigest } = around.inputs;
  if (planFile !== null) return applyFile(planFile, around);
  if (planDigest !== null) return applyDigest(planDigest, around);
  const detail =
    "apply takes the plan that was reviewed: hand over its file as plan-file, or its digest as plan-digest. Nothing was read or written.";
  return nothingDone("apply", EXIT.error, [problem("no_reviewed_plan", "No plan was reviewed", detail)]);
}

async function applyFile(file: string, around: StepContext): Promise<Outcome> {
  const { inputs, terminal } = around;
  const minutes = inputs.maxAge === null ? null : Number(inputs.maxAge);
  const saved = await savedPlan(file, terminal.cwd, minutes);
  if (!saved.ok) return nothingDone("apply", EXIT.error, saved.problems);
  if (saved.value === null) throw new Error("a file was named");
  const document = saved.value;
  if (inputs.planDigest !== null && inputs.planDigest !== document.digest) {
    const detail = `${file} has the plan ${document.digest}, and plan-digest is ${inputs.planDigest}: it is not the plan that was approved. Nothing was read or written.`;
    const other = problem("other_plan", "Another plan than the approved one", detail);
    return nothingDone("apply", EXIT.error, [other]);
  }
  return carryOut(file, document.digest, around);
}

/** Who approved a digest has seen one plan. Made again, it has the same digest as long as nothing moved. */
async function applyDigest(digest: string, around: StepContext): Promise<Outcome> {
  const file = path.join(around.run.temporary, `zoneward-plan-${randomUUID()}.json`);
  const planned = await planInto(file, "plan", around);
  const { document } = planned;
  if (document === null || planned.code === EXIT.error)
    return { ...planned, command: "apply", planFile: null };
  if (document.digest === digest && planned.planFile !== null)
    return carryOut(planned.planFile, digest, around);
  const detail = `The plan is ${document.digest} now, and ${digest} was approved: live or the files have moved since. Nothing was written. Review this plan. With the file of the plan that was reviewed, as plan-file, it is said what moved.`;
  const moved = problem("other_plan", "Another plan than the approved one", detail);
  return { ...planned, command: "apply", code: EXIT.error, problems: [moved], planFile: null };
}

/**
 * What is told is the plan as it was made now, and nothing of the file: who wrote that may have written anything.
 *
 * @param approved the digest of the plan in the file
 */
async function carryOut(file: string, approved: string, around: StepContext): Promise<Outcome> {
  const { inputs, terminal } = around;
  const flags = { ...flagsOf(around), base: inputs.base, allow: liftedFor(approved, inputs.allow) };
  const { code, value, document } = await runCommand("apply", [file], flags, terminal);
  const applied = appliedIn(value, terminal.cwd);
  const problems = problemsIn(value) ?? failuresIn(value);
  return {
    command: "apply",
    code,
    document,
    problems: code === EXIT.interrupted && applied !== null ? [...problems, interrupted(applied)] : problems,
    remarks: idleFor(approved, inputs.allow),
    planFile: path.resolve(terminal.cwd, file),
    applied,
  };
}

function interrupted(applied: Applied): Problem {
  const detail = `The run was cancelled: ${callsText(applied)}. What was done is in the journal. Run the job again with the same plan file: only the calls that are left are made, unless something else has moved.`;
  return problem("interrupted", "Interrupted", detail);
}

function appliedIn(report: Json, cwd: string): Applied | null {
  if (!isObject(report)) return null;
  const { summary, journal, converged } = report;
  if (!isObject(summary)) return null;
  const { done, failed, not_started } = summary;
  return {
    done: Number(done),
    failed: Number(failed),
    notStarted: Number(not_started),
    converged: converged === true,
    journal: typeof journal === "string" ? path.resolve(cwd, journal) : null,
  };
}

/** What an apply reports zone by zone. */
function failuresIn(report: Json): readonly Problem[] {
  const zones = isObject(report) && isList(report.zones) ? report.zones : [];
  return zones.flatMap((zone) => {
    const problems = isObject(zone) && isList(zone.problems) ? zone.problems : [];
    return problems.flatMap((each) =>
      isObject(each) ? [problem(String(each.code), String(each.summary), String(each.detail))] : [],
    );
  });
}
