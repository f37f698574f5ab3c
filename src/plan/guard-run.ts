import type { Guardrails } from "../model/guardrails.js";
import type { Breach, ZoneFailure, ZonePlan } from "../model/plan.js";
import { forbidden } from "./guard-forbidden.js";
import { guardLimits } from "./guard-limits.js";

/** A guardrail that says no to carrying out the plans of a run. */
export interface RunBreach extends Breach {
  /** Null: it is about the run as a whole. */
  readonly zone: string | null;
}

/** Of a zone's outcome, what guardrails look at. */
type Outcome =
  | {
      readonly ok: true;
      readonly plan: Pick<
        ZonePlan,
        "zone" | "changes" | "counts" | "breaches" | "impact" | "moves" | "unmanaged"
      >;
    }
  | { readonly ok: false; readonly failure: Pick<ZoneFailure, "zone"> };

/**
 * What stands against carrying out the plans of a run: what is found zone by zone, then what they come to.
 *
 * @param about `drift`: what weakens is what was done outside the files, and not the way back
 */
export function guardRun(
  outcomes: readonly Outcome[],
  guardrails: Guardrails,
  about: "plan" | "drift" = "plan",
): readonly RunBreach[] {
  const plans = outcomes.flatMap((each) => (each.ok ? [each.plan] : []));
  const failed = outcomes.flatMap((each) => (each.ok ? [] : [each.failure.zone]));
  const inZones = plans.flatMap((plan) => {
    const own = [...plan.breaches, ...forbidden(plan, guardrails.forbid, about)];
    return own.map((each) => ({ ...each, zone: plan.zone }));
  });
  const inAll = guardLimits(plans, failed, guardrails.limits).map((each) => ({ ...each, zone: null }));
  return [...inZones, ...inAll];
}
