import { firstFew } from "../../model/cut.js";
import type { Guardrails } from "../../model/guardrails.js";
import { objectKey, type Ref } from "../../model/item.js";
import { LIMITS, type Limit, limitNames, type Totals } from "../../model/limits.js";
import {
  type Action,
  type Breach,
  isNotIncluded,
  notPlannedName,
  type ZoneFailure,
  type ZonePlan,
} from "../../model/plan.js";
import { lifting, says } from "../../model/sentence.js";
import { howToAllow, isDeleting } from "./forbid.js";

/** The objects of a run that are not planned. Limits apply to the whole run, even if only a part is planned. */
export interface Beside {
  /**
   * Counts the objects of the base. A share is of these, because the change itself could declare any number of objects.
   * Null: no base is known.
   */
  readonly inBase: (() => number) | null;
  /** Counts the other objects that the files declare. */
  readonly declared: () => number;
  /** The other changes of the saved plan. The run applies a part of that plan. */
  readonly changes: readonly CountedChange[];
  /** Zones of that plan whose changes are unknown. */
  readonly unknown: readonly string[];
}

/** What a limit counts of a change. */
interface CountedChange extends Ref {
  readonly zone: string;
  readonly action: Action;
  readonly replaces?: boolean;
}

export const NOTHING_BESIDE: Beside = { inBase: null, declared: () => 0, changes: [], unknown: [] };

export type GuardedZone =
  | {
      readonly ok: true;
      readonly plan: Pick<ZonePlan, "zone" | "changes" | "counts" | "notPlanned" | "meaning" | "live">;
    }
  | { readonly ok: false; readonly failure: Pick<ZoneFailure, "zone"> };

interface Unknown {
  readonly zone: string;
  /** The sections that could not be planned. Absent: the whole zone. */
  readonly sections?: readonly string[];
}

function unknownIn(outcomes: readonly GuardedZone[]): readonly Unknown[] {
  return outcomes.flatMap((each) => {
    if (!each.ok) return [{ zone: each.failure.zone }];
    const unknown = each.plan.notPlanned.filter((section) => !isNotIncluded(section));
    return unknown.length === 0 ? [] : [{ zone: each.plan.zone, sections: unknown.map(notPlannedName) }];
  });
}

/**
 * The limits that the sums of a run exceed, and those whose sums are unknown because zones could not be planned. A run
 * that changes nothing stays within any limit.
 */
export function beyondLimits(
  outcomes: readonly GuardedZone[],
  limits: Guardrails["limits"],
  beside: Beside,
): readonly Breach[] {
  const totals = totalsOf(outcomes, beside);
  if (totals.changed === 0) return [];
  const unknown = [...unknownIn(outcomes), ...beside.unknown.map((zone) => ({ zone }))];
  return limitNames.flatMap((guardrail) => {
    const limit = limits[guardrail];
    if (limit === undefined) return [];
    const { value, text } = LIMITS[guardrail].sum(totals);
    if (value > limit) {
      const message = `${text}; ${guardrail} is ${limit}.`;
      return [{ guardrail, message, advice: howToAllow(guardrail), changes: [] }];
    }
    return unknown.length === 0 ? [] : [notKnown(guardrail, limit, unknown, beside.unknown.length > 0)];
  });
}

function totalsOf(outcomes: readonly GuardedZone[], beside: Beside): Totals {
  const plans = outcomes.flatMap((each) => (each.ok ? [each.plan] : []));
  const planned = plans.flatMap(({ zone, changes }) =>
    changes.map(({ ref, action, replaces }) => ({ ...ref, zone, action, replaces })),
  );
  const all = [...planned, ...beside.changes];
  return {
    changed: objectsIn(all),
    deleted: objectsIn(all.filter(isDeleting)),
    managed: () =>
      plans.reduce((sum, { counts }) => sum + counts.unchanged, objectsIn(planned)) +
      beside.declared() +
      objectsIn(beside.changes.filter(({ action }) => action === "delete")),
    inBase: beside.inBase,
  };
}

function objectsIn(changes: readonly CountedChange[]): number {
  return new Set(changes.map((each) => each.zone + objectKey(each))).size;
}

const MAX_NAMED = 5;

/** @param isFixed whether leaving zones out does not help, because the saved plan counts as a whole */
function notKnown(guardrail: Limit, limit: number, unknown: readonly Unknown[], isFixed: boolean): Breach {
  const zones = firstFew(unknown, MAX_NAMED, ({ zone, sections }) =>
    sections === undefined ? zone : `${sections.join(" and ")} of ${zone}`,
  );
  return {
    guardrail,
    message: `${guardrail} is ${limit}, and the total of the run is unknown: ${zones} could not be planned.`,
    advice: isFixed
      ? says`Fix that and plan again, or ${lifting(guardrail)}.`
      : says`Fix that, leave the failing zones out with ${{ flag: "zone" }}, or ${lifting(guardrail)}.`,
    changes: [],
  };
}
