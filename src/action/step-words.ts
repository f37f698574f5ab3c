import { GUARDRAILS } from "../model/guardrails.js";
import type { Problem } from "../model/problem.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { Outcome } from "./outcome.js";

/** The same in the words of a workflow: what commands advise about their flags is about inputs here. */
export function inStepWords(outcome: Outcome): Outcome {
  const digest = outcome.document?.digest ?? null;
  const told = (problems: readonly Problem[]) => problemsInStepWords(problems, digest);
  return {
    ...outcome,
    document: outcome.document === null ? null : documentInStepWords(outcome.document),
    problems: told(outcome.problems),
    remarks: told(outcome.remarks),
  };
}

export function problemsInStepWords(problems: readonly Problem[], digest: string | null): readonly Problem[] {
  return problems.map((each) => ({
    ...each,
    summary: textInStepWords(each.summary, digest),
    detail: textInStepWords(each.detail, digest),
  }));
}

function documentInStepWords(document: PlanDocument): PlanDocument {
  const told = <T extends { readonly message: string }>(each: T): T => ({
    ...each,
    message: textInStepWords(each.message, document.digest),
  });
  return {
    ...document,
    guardrails: document.guardrails.map(told),
    diagnostics: document.diagnostics.map(told),
  };
}

/** @param digest of the plan that it is about; null: of none that is known yet */
export function textInStepWords(text: string, digest: string | null): string {
  const lifted = `the input allow: $1@${digest ?? "DIGEST, with the digest that the plan shows"}`;
  return [...ADVICE, [ALLOW, lifted] as const, ...FLAGS].reduce(
    (told, [words, instead]) => told.replace(words, instead),
    text,
  );
}

const ALLOW = new RegExp(`--allow (${GUARDRAILS.join("|")})\\b`, "g");

type Words = readonly (readonly [words: RegExp, instead: string])[];

/** What has no input, and sentences that would read oddly otherwise. */
const ADVICE: Words = [
  [/\s`zoneward demo` needs none\./g, ""],
  [/\bSet CLOUDFLARE_API_TOKEN to an API token/g, "Give the input api-token, or set CLOUDFLARE_API_TOKEN"],
  [/, or give it longer with --timeout/g, ""],
  [/, or lower --rate-limit/g, ""],
  [/--max-wait is /g, "the longest that is waited for is "],
  [/\bsay zoneward apply -c (\S+)\.(?=\s|$)/g, "name $1 as the input config."],
  [/\bzoneward plan -o writes/g, "the command plan writes as plan-file"],
  [/\bsay (?=--allow\b)/g, "set "],
];

const FLAGS: Words = [
  [/(^|[.!?]\s)--(allow|base|fail-on|guardrails|max-age|zone)\b/g, "$1The input $2"],
  [/(^|[\s(])--(allow|base|fail-on|guardrails|max-age|zone)\b/g, "$1the input $2"],
];
