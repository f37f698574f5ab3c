import type { Guardrail } from "../model/guardrails.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";

/** The exit codes of all commands. */
export const EXIT = { done: 0, error: 1, changes: 2, refused: 3, interrupted: 130 } as const;

/** The exit code of a plan, without regard to its changes. */
export function exitCodeOf(document: PlanDocument, failOn: readonly string[]): number {
  if (document.zones.some(({ status }) => status !== "planned") || failsTests(document)) return EXIT.error;
  return guardrailsRefusing(document, failOn).length > 0 ? EXIT.refused : EXIT.done;
}

export const FAILING_TESTS: Guardrail = "failing_tests";

export function failsTests(document: PlanDocument): boolean {
  return guardrailsRefusing(document, [FAILING_TESTS]).length > 0;
}

/** The guardrails that the caller names, if the plan breaches them and they are not lifted. */
export function guardrailsRefusing(
  { guardrails }: PlanDocument,
  failOn: readonly string[],
): PlanDocument["guardrails"] {
  return guardrails.filter(({ name, allowed }) => !allowed && failOn.includes(name));
}

/** Whether a document about drift has any drift. */
export function hasDrift({ changes, summary }: Pick<PlanDocument, "changes" | "summary">): boolean {
  return changes.length > 0 || summary.not_listed > 0;
}
