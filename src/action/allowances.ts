import { GUARDRAILS } from "../model/guardrails.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";

/** A guardrail that somebody lifted for one plan. */
export interface Allowance {
  readonly guardrail: string;
  readonly digest: string;
}

/** Of a plan, as people write it. */
export const DIGEST = /^sha256:[0-9a-f]{64}$/i;

/** `NAME@sha256:DIGEST`, one a line: what was approved was approved for the plan that was looked at, and for no other. */
export function allowancesIn(lines: readonly string[]): Result<readonly Allowance[]> {
  const read = lines.map(allowanceIn);
  const problems = read.flatMap((each) => (each.ok ? [] : each.problems));
  return problems.length > 0
    ? failed(...problems)
    : ok(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

function allowanceIn(line: string): Result<Allowance> {
  const [, guardrail = "", digest = ""] = /^([^@]*)(?:@(.*))?$/s.exec(line) ?? [];
  const names: readonly string[] = GUARDRAILS;
  if (!names.includes(guardrail))
    return failed(bad(line, `there is no such guardrail. There are ${names.join(", ")}.`));
  if (DIGEST.test(digest)) return ok({ guardrail, digest: digest.toLowerCase() });
  const why =
    "it has to say for which plan: a guardrail that is lifted by name alone would be lifted for every later plan too. Write NAME@sha256:DIGEST, with the digest that the plan shows.";
  return failed(bad(line, why));
}

function bad(line: string, rule: string): Problem {
  return problem(
    "bad_input",
    "An input that cannot be used",
    `The input allow has ${JSON.stringify(line)}; ${rule}`,
  );
}

/** The guardrails that are lifted for this plan, each once. */
export function liftedFor(digest: string, allowances: readonly Allowance[]): readonly string[] {
  return [...new Set(allowances.filter((each) => each.digest === digest).map(({ guardrail }) => guardrail))];
}

/** Those that were given for other plans, and lift nothing. */
export function idleFor(digest: string, allowances: readonly Allowance[]): readonly Problem[] {
  return allowances
    .filter((each) => each.digest !== digest)
    .map(({ guardrail, digest: other }) => {
      const detail = `${guardrail} was lifted for the plan ${other}. This plan is ${digest}, so the guardrail stands. Look at this plan, and lift it for this one if that is meant.`;
      return {
        ...problem("allowance_for_another_plan", "An allowance that is for another plan", detail),
        severity: "warning",
      } as const;
    });
}
