import { ALWAYS } from "../model/guardrails.js";
import { failed, hasErrors, ok, type Problem, problem, type Result } from "../model/problem.js";
import { says } from "../model/sentence.js";
import { allShardsIn, type NamedPlan } from "../plan/belong.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import { type Found, merged } from "../plan/merge.js";
import { checkPlan } from "../plan/read-document.js";
import { pickedNothing } from "./only.js";
import { summed } from "./request-lines.js";
import { MAX_PLAN_BYTES, planInFile } from "./saved-plan.js";
import { secretsNotSet } from "./secrets.js";

/**
 * The plans of all shards of a run, from their files → the plan of the run. Nothing else is read, and nothing is sent.
 *
 * @param failOn guardrails that the plans have to have been held against
 * @param mostBytes how large all of them may be together: they become one plan
 */
export async function mergeFiles(
  files: readonly string[],
  cwd: string,
  failOn: readonly string[],
  mostBytes = MAX_PLAN_BYTES,
): Promise<Result<PlanDocument>> {
  const read: Read[] = [];
  let leftBytes = mostBytes;
  for (const name of files) {
    const plan = await planInFile(name, cwd, leftBytes);
    if (plan.ok) leftBytes -= plan.value.sizeBytes;
    read.push({ name, plan: plan.ok ? ok(plan.value.document) : plan });
  }
  return mergedFrom(read, failOn);
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

function mergedFrom(read: readonly Read[], failOn: readonly string[] = []): Result<PlanDocument> {
  const problems: Problem[] = [];
  const plans: NamedPlan[] = [];
  for (const { name, plan } of read) {
    if (plan.ok) plans.push({ name, document: plan.value });
    else problems.push(...plan.problems);
  }
  if (hasErrors(problems)) return failed(...problems);
  const all = allShardsIn(plans);
  if ("why" in all) return failed(all.why);
  const { limits, forbid } = all.shards[0].whole.guardrails;
  const judged: readonly string[] = [...Object.keys(limits), ...forbid, ...ALWAYS];
  const unknown = failOn.filter((name) => !judged.includes(name));
  return unknown.length > 0 ? failed(...unknown.map(notJudged)) : ok(merged(all.shards, warningsOf));
}

/** Nothing in the plans tells whether it would say no. */
function notJudged(name: string): Problem {
  const detail = says`The plans of the shards were not held against ${name}. Plan each with ${{ flag: "fail-on", value: name }} too, or set ${name} under guardrails in the files.`;
  return problem("not_judged", "A guardrail that the plans do not know", detail);
}

function warningsOf({ notSet, tried, lines }: Found): readonly Problem[] {
  return [
    ...secretsNotSet(notSet),
    ...(tried === null ? [] : pickedNothing(tried)),
    ...(lines === null ? [] : [summed(lines)]),
  ];
}
