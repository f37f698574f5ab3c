import { type Guardrails, LIMITS, type Limit } from "../model/guardrails.js";
import { type Breach, isDeleting, type ZoneFailure, type ZonePlan } from "../model/plan.js";
import { meant } from "./guard.js";
import { forbidden } from "./guard-forbidden.js";

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

/**
 * Sums of a run that are beyond their limits, and those that nobody knows, since zones could not be planned. A run
 * that changes nothing stays within any limit.
 */
function guardLimits(
  plans: readonly Counted[],
  failed: readonly string[],
  limits: Guardrails["limits"],
): readonly Breach[] {
  const totals = totalsOf(plans);
  if (totals.changed === 0) return [];
  return LIMITS.flatMap((guardrail) => {
    const limit = limits[guardrail];
    if (limit === undefined) return [];
    const { value, text } = sums[guardrail](totals);
    if (value > limit) {
      return [{ guardrail, message: `${text}; ${guardrail} is ${limit}.`, advice: meant(guardrail) }];
    }
    return failed.length === 0 ? [] : [notKnown(guardrail, limit, failed)];
  });
}

type Counted = Pick<ZonePlan, "changes" | "counts">;

interface Totals {
  readonly changed: number;
  readonly deleted: number;
  /** What the files manage: what changes, and what is as declared. */
  readonly managed: number;
}

function totalsOf(plans: readonly Counted[]): Totals {
  const sum = (of: (plan: Counted) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const changed = sum(({ changes }) => changes.length);
  return {
    changed,
    deleted: sum(({ changes }) => changes.filter(isDeleting).length),
    managed: changed + sum(({ counts }) => counts.unchanged),
  };
}

type Sum = (totals: Totals) => { readonly value: number; readonly text: string };

const sums: { readonly [limit in Limit]: Sum } = {
  max_changes: ({ changed }) => ({ value: changed, text: `The run would change ${objects(changed)}` }),
  max_deletes: ({ deleted }) => ({ value: deleted, text: `The run would delete ${objects(deleted)}` }),
  max_changed_share: ({ changed, managed }) => {
    const value = changed / managed;
    // Rounded up: what is beyond a limit never looks equal to it.
    const shown = Math.ceil(value * 1000) / 1000;
    const text = `The run would change ${changed} of the ${objects(managed)} that the files manage, a share of ${shown}`;
    return { value, text };
  },
};

function objects(n: number): string {
  return n === 1 ? "1 object" : `${n} objects`;
}

const MAX_NAMED = 5;

function notKnown(guardrail: Limit, limit: number, failed: readonly string[]): Breach {
  const rest = failed.length - MAX_NAMED;
  const zones = `${failed.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return {
    guardrail,
    message: `${guardrail} is ${limit}, and what the run comes to is not known: it could not plan ${zones}.`,
    advice: `Mend that, leave out with --zone what fails, or say --allow ${guardrail}.`,
  };
}
