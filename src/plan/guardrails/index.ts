import type { Guardrails } from "../../model/guardrails.js";
import type { Breach } from "../../model/plan.js";
import { type Beside, beyondLimits, type GuardedZone, NOTHING_BESIDE } from "./beyond-limits.js";
import { forbidden, type RunTask } from "./forbid.js";

export { alwaysGuarded } from "./always.js";
export type { Beside } from "./beyond-limits.js";
export { forbiddenToDeclare, howToAllow, isDeleting, type RunTask } from "./forbid.js";

/** A guardrail that refuses to carry out the plans of a run. */
export interface RunBreach extends Breach {
  /** Null: the run as a whole. */
  readonly zone: string | null;
}

/**
 * The guardrails that refuse to carry out the plans of a run: zone by zone, then by the sums of all zones.
 *
 * @param task `drift`: judges the changes made outside the files, not those that revert them
 * @param beside counts of the run's objects that are not planned
 */
export function guardRun(
  outcomes: readonly GuardedZone[],
  guardrails: Guardrails,
  task: RunTask = "plan",
  beside: Beside = NOTHING_BESIDE,
): readonly RunBreach[] {
  const inZones = outcomes.flatMap((each) => {
    if (!each.ok) return [];
    const { plan } = each;
    const breaches = [...plan.meaning.breaches, ...forbidden(plan, guardrails, task)];
    return breaches.map((breach) => ({ ...breach, zone: plan.zone }));
  });
  const ofRun = beyondLimits(outcomes, guardrails.limits, beside);
  return [...inZones, ...ofRun.map((breach) => ({ ...breach, zone: null }))];
}
