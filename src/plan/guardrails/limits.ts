import { firstFew } from "../../model/cut.js";
import { type Guardrails, LIMITS, type Limit } from "../../model/guardrails.js";
import { objectKey } from "../../model/item.js";
import {
  type Breach,
  type Change,
  isNotIncluded,
  notPlannedName,
  type ZoneFailure,
  type ZonePlan,
} from "../../model/plan.js";
import { lifting, says } from "../../model/sentence.js";
import { counted } from "./finding.js";
import { howToAllow, isDeleting } from "./forbid.js";

/** Counts of the objects of a run that are not planned. Limits apply to the whole run, even if only a part is planned. */
export interface Beside {
  /**
   * Objects in the base. A share is of these, because the change itself could declare any number of objects. Null: no
   * base is known.
   */
  readonly inBase: number | null;
  /** Objects that the files manage. */
  readonly objects: number;
  /** Of these, objects that the saved plan changes. The run applies a part of that plan. */
  readonly changed: number;
  readonly deleted: number;
  /** Zones whose counts are unknown. */
  readonly unknown: readonly string[];
}

export const NOTHING_BESIDE: Beside = { inBase: null, objects: 0, changed: 0, deleted: 0, unknown: [] };

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
  const totals = totalsOf(
    outcomes.flatMap((each) => (each.ok ? [each.plan] : [])),
    beside,
  );
  if (totals.changed === 0) return [];
  const unknown = [...unknownIn(outcomes), ...beside.unknown.map((zone) => ({ zone }))];
  return LIMITS.flatMap((guardrail) => {
    const limit = limits[guardrail];
    if (limit === undefined) return [];
    const { value, text } = sums[guardrail](totals);
    if (value > limit) {
      const message = `${text}; ${guardrail} is ${limit}.`;
      return [{ guardrail, message, advice: howToAllow(guardrail), changes: [] }];
    }
    return unknown.length === 0 ? [] : [notKnown(guardrail, limit, unknown, beside.unknown.length > 0)];
  });
}

type Counted = Pick<ZonePlan, "changes" | "counts">;

interface Totals {
  readonly changed: number;
  readonly deleted: number;
  /** Objects that the files manage, changed or not. */
  readonly managed: number;
  /** Objects in the base. Null: no base is known. */
  readonly inBase: number | null;
}

function totalsOf(plans: readonly Counted[], beside: Beside): Totals {
  const sum = (of: (plan: Counted) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const changed = sum(({ changes }) => objectsIn(changes));
  return {
    changed: changed + beside.changed,
    deleted: sum(({ changes }) => objectsIn(changes.filter(isDeleting))) + beside.deleted,
    managed: changed + sum(({ counts }) => counts.unchanged) + beside.objects,
    inBase: beside.inBase,
  };
}

function objectsIn(changes: readonly Change[]): number {
  return new Set(changes.map(({ ref }) => objectKey(ref))).size;
}

type Sum = (totals: Totals) => { readonly value: number; readonly text: string };

const sums: { readonly [limit in Limit]: Sum } = {
  max_changes: ({ changed }) => ({ value: changed, text: `The run would change ${objects(changed)}` }),
  max_deletes: ({ deleted }) => ({ value: deleted, text: `The run would delete ${objects(deleted)}` }),
  max_changed_share: ({ changed, managed, inBase }) => {
    const value = inBase === null ? changed / managed : Math.min(1, changed / inBase);
    // Rounded up, so that a share beyond the limit never looks equal to it.
    const shown = Math.ceil(value * 1000) / 1000;
    const text =
      inBase === null
        ? `The run would change ${changed} of ${objects(managed)} in the files, a share of ${shown}`
        : `The run would change ${objects(changed)}, and the base manages ${inBase}, a share of ${shown}`;
    return { value, text };
  },
};

function objects(n: number): string {
  return counted(n, "object");
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
