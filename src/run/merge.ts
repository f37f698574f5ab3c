import { failed, hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import { allShardsIn, type NamedPlan } from "../plan/belong.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type Found, merged } from "../plan/merge.js";
import { pickedNothing } from "./only.js";
import { planInFile } from "./saved-plan.js";
import { secretsNotSet } from "./secrets.js";

function warningsOf({ notSet, tried }: Found): readonly Problem[] {
  return [...secretsNotSet(notSet), ...(tried === null ? [] : pickedNothing(tried))];
}

/** The plans of all shards of a run, from their files → the plan of the run. Nothing else is read, and nothing is sent. */
export async function mergeFiles(files: readonly string[], cwd: string): Promise<Result<PlanDocument>> {
  const problems: Problem[] = [];
  const plans: NamedPlan[] = [];
  for (const name of files) {
    const read = await planInFile(name, cwd);
    if (read.ok) plans.push({ name, document: read.value.document });
    else problems.push(...read.problems);
  }
  if (hasErrors(problems)) return failed(...problems);
  const all = allShardsIn(plans);
  return "why" in all ? failed(all.why) : ok(merged(all.shards, warningsOf));
}
