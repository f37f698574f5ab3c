import { firstFew } from "../../model/cut.js";
import { type Guardrails, LIMITS, type Limit } from "../../model/guardrails.js";
import type { Ref } from "../../model/item.js";
import {
  type Breach,
  isNotIncluded,
  notPlannedName,
  type ZoneFailure,
  type ZonePlan,
} from "../../model/plan.js";
import { lifting, says } from "../../model/sentence.js";
import { howToAllow, isDeleting } from "./forbid.js";

/** What belongs to a run and is not planned in it: sums are of the whole, whatever part of it is planned. */
export interface Beside {
  /**
   * Objects that the base declares as existing: a share is of these, as the change itself could declare any number more.
   * Null: no base is known.
   */
  readonly inBase: number | null;
  /** Objects there that the files manage. */
  readonly objects: number;
  /** Of these, what the saved plan changes that the run is a part of. */
  readonly changed: number;
  readonly deleted: number;
  /** Zones of which that is not known. */
  readonly unknown: readonly string[];
}

export const NOTHING_BESIDE: Beside = { inBase: null, objects: 0, changed: 0, deleted: 0, unknown: [] };

/** What guardrails look at in the outcome of a zone. */
export type GuardedZone =
  | {
      readonly ok: true;
      readonly plan: Pick<ZonePlan, "zone" | "changes" | "counts" | "notPlanned" | "meaning" | "live">;
    }
  | { readonly ok: false; readonly failure: Pick<ZoneFailure, "zone"> };

/** What could not be planned of a zone. */
interface Unknown {
  readonly zone: string;
  /** Absent: nothing could. */
  readonly sections?: readonly string[];
}

/** Of which zones it is not known what they would come to. */
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
  /** What the files manage: what changes, and what is as declared. */
  readonly managed: number;
  /** What the base manages; null: no base is known. */
  readonly inBase: number | null;
}

function totalsOf(plans: readonly Counted[], beside: Beside): Totals {
  const sum = (of: (plan: Counted) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const changed = sum(({ changes }) => objectsIn(changes.map(({ ref }) => ref)));
  return {
    changed: changed + beside.changed,
    deleted:
      sum(({ changes }) => objectsIn(changes.filter(isDeleting).map(({ ref }) => ref))) + beside.deleted,
    managed: changed + sum(({ counts }) => counts.unchanged) + beside.objects,
    inBase: beside.inBase,
  };
}

/** An object that is partly taken over and also changes counts once. */
function objectsIn(refs: readonly Ref[]): number {
  return new Set(refs.map(({ kind, key, id }) => JSON.stringify([kind, id ?? key]))).size;
}

type Sum = (totals: Totals) => { readonly value: number; readonly text: string };

const sums: { readonly [limit in Limit]: Sum } = {
  max_changes: ({ changed }) => ({ value: changed, text: `The run would change ${objects(changed)}` }),
  max_deletes: ({ deleted }) => ({ value: deleted, text: `The run would delete ${objects(deleted)}` }),
  max_changed_share: ({ changed, managed, inBase }) => {
    const value = inBase === null ? changed / managed : Math.min(1, changed / inBase);
    // Rounded up: what is beyond a limit never looks equal to it.
    const shown = Math.ceil(value * 1000) / 1000;
    const text =
      inBase === null
        ? `The run would change ${changed} of ${objects(managed)} in the files, a share of ${shown}`
        : `The run would change ${objects(changed)}, and the base manages ${inBase}, a share of ${shown}`;
    return { value, text };
  },
};

function objects(n: number): string {
  return n === 1 ? "1 object" : `${n} objects`;
}

const MAX_NAMED = 5;

/** @param isFixed whether leaving out what fails changes nothing: it is in the saved plan, which is counted whole */
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
