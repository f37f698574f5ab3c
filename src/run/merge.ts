import { failed, hasErrors, ok, type Problem, type Result } from "../model/problem.js";
import { allShardsIn, type NamedPlan } from "../plan/belong.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type Found, merged } from "../plan/merge.js";
import { checkPlan } from "../plan/read-document.js";
import { pickedNothing } from "./only.js";
import { planInFile } from "./saved-plan.js";
import { secretsNotSet } from "./secrets.js";

/** The plans of all shards of a run, from their files → the plan of the run. Nothing else is read, and nothing is sent. */
export async function mergeFiles(files: readonly string[], cwd: string): Promise<Result<PlanDocument>> {
  const read: Read[] = [];
  for (const name of files) {
    const plan = await planInFile(name, cwd);
    read.push({ name, plan: plan.ok ? ok(plan.value.document) : plan });
  }
  return mergedFrom(read);
}

/** The same of plans at hand. */
export function mergePlans(plans: readonly unknown[]): Result<PlanDocument> {
  return mergedFrom(
    plans.map((each, index) => {
      const name = `Plan ${index + 1}`;
      return { name, plan: checkPlan(name, each) };
    }),
  );
}

interface Read {
  readonly name: string;
  readonly plan: Result<PlanDocument>;
}

function mergedFrom(read: readonly Read[]): Result<PlanDocument> {
  const problems: Problem[] = [];
  const plans: NamedPlan[] = [];
  for (const { name, plan } of read) {
    if (plan.ok) plans.push({ name, document: plan.value });
    else problems.push(...plan.problems);
  }
  if (hasErrors(problems)) return failed(...problems);
  const all = allShardsIn(plans);
  return "why" in all ? failed(all.why) : ok(merged(all.shards, warningsOf));
}

function warningsOf({ notSet, tried }: Found): readonly Problem[] {
  return [...secretsNotSet(notSet), ...(tried === null ? [] : pickedNothing(tried))];
}
