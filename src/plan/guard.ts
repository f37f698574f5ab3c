import { kinds } from "../kinds/index.js";
import { type Kind, listOf } from "../kinds/kind.js";
import { type Guardrails, LIMITS, type Limit } from "../model/guardrails.js";
import type { Ref } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import {
  type Breach,
  type Change,
  isNotIncluded,
  notPlannedName,
  type ZoneFailure,
  type ZonePlan,
} from "../model/plan.js";
import { lifting, says } from "../model/sentence.js";
import type { WantedZone } from "../model/wanted.js";
import { forbidden, type Guarded, isDeleting, meant } from "./guard-forbidden.js";

/** The guardrails that a zone's plan breaks, besides those of `forbid:`. They can refuse an apply, never a plan. */
export function guard(
  zone: WantedZone,
  changes: readonly Change[],
  { unlisted, emptied, full }: OfKinds,
): readonly Breach[] {
  return [
    ...prunedAll(zone, changes, emptied),
    ...createdUnseen(zone, changes, unlisted),
    ...full.map((each) => replacedWithGap(zone, changes, each)),
  ];
}

interface OfKinds {
  /** Kinds whose live objects the service does not list. */
  readonly unlisted: readonly string[];
  /** Kinds of which no live object would stay. */
  readonly emptied: readonly string[];
  readonly full: readonly Full[];
}

/** A kind of which there can be no more, and how many there can be. */
interface Full {
  readonly kind: Kind;
  readonly limit: number;
}

/** Where there is no room for both, the old one goes first, and the new one may still be refused. */
function replacedWithGap(zone: WantedZone, changes: readonly Change[], { kind, limit }: Full): Breach {
  const { name, section } = kind;
  const replaced = changes.filter(({ ref, replaces }) => replaces && ref.kind === name);
  const names = replaced.map(({ ref }) => JSON.stringify(ref.key)).join(", ");
  const message = `${zone.name} has no room for one more of its ${section} (service.limits.${section} is ${limit}), so what takes the place of ${names} cannot be created before the live one is deleted. In between there is none, and if the service refuses the new one, it stays so.`;
  const advice = says`Delete another one in the same change, raise the limit if your account allows more, or, if the gap is meant, ${lifting("replace_with_gap")}.`;
  return { guardrail: "replace_with_gap", message, advice, changes: indicesOf(replaced, changes) };
}

/** Where the service does not show what is there, a create may make a second one. */
function createdUnseen(
  zone: WantedZone,
  changes: readonly Change[],
  unlisted: readonly string[],
): readonly Breach[] {
  const creates = changes.filter(({ action, ref }) => action === "create" && unlisted.includes(ref.kind));
  if (creates.length === 0) return [];
  const names = creates.map(({ ref }) => JSON.stringify(ref.key)).join(", ");
  const message = `The service does not list what ${zone.name} has, so creating ${names} may make a second one of each.`;
  const advice = says`If they are certainly not there, ${lifting("create_unlisted")}.`;
  return [{ guardrail: "create_unlisted", message, advice, changes: indicesOf(creates, changes) }];
}

function prunedAll(
  zone: WantedZone,
  changes: readonly Change[],
  emptied: readonly string[],
): readonly Breach[] {
  return kinds.flatMap((kind) => {
    const { name } = kind;
    const section = listOf(kind)?.section ?? kind.section;
    const deletes = changes.filter((change) => change.ref.kind === name && change.action === "delete");
    const declared = zone.sections[section];
    const isEmpty = isList(declared) && !declared.some(isToExist);
    if (deletes.length === 0 || !zone.prune.includes(section) || !(isEmpty || emptied.includes(name)))
      return [];
    const gone = `${deletes.length} live ${deletes.length === 1 ? "one" : "ones"} would be deleted`;
    const message = isEmpty
      ? `${zone.name} declares none of its ${section} as existing and prunes the rest: ${gone}.`
      : `${zone.name} prunes its ${section}, and declares no live object: ${gone}.`;
    const advice = meant("prune_all");
    return [{ guardrail: "prune_all", message, advice, changes: indicesOf(deletes, changes) }];
  });
}

function indicesOf(some: readonly Change[], all: readonly Change[]): readonly number[] {
  return some.map((change) => all.indexOf(change));
}

function isToExist(declared: Json): boolean {
  return !isObject(declared) || declared.ensure !== "absent";
}

/** A guardrail that says no to carrying out the plans of a run. */
export interface RunBreach extends Breach {
  /** Null: it is about the run as a whole. */
  readonly zone: string | null;
}

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

const NOTHING_BESIDE: Beside = { inBase: null, objects: 0, changed: 0, deleted: 0, unknown: [] };

/** Of a zone's outcome, what guardrails look at. */
type Outcome =
  | {
      readonly ok: true;
      readonly plan: Pick<ZonePlan, "zone" | "changes" | "counts" | "notPlanned" | "meaning" | "live">;
    }
  | { readonly ok: false; readonly failure: Pick<ZoneFailure, "zone"> };

/**
 * What stands against carrying out the plans of a run: what is found zone by zone, then what they come to.
 *
 * @param about `drift`: what weakens is what was done outside the files, and not the way back
 * @param beside what belongs to the run and was not planned in it
 */
export function guardRun(
  outcomes: readonly Outcome[],
  guardrails: Guardrails,
  about: Guarded = "plan",
  beside: Beside = NOTHING_BESIDE,
): readonly RunBreach[] {
  const plans = outcomes.flatMap((each) => (each.ok ? [each.plan] : []));
  const inZones = plans.flatMap((plan) => {
    const own = [...plan.meaning.breaches, ...forbidden(plan, guardrails, about)];
    return own.map((each) => ({ ...each, zone: plan.zone }));
  });
  const totals = totalsOf(plans, beside);
  const unknown = [...unknownIn(outcomes), ...beside.unknown.map((zone) => ({ zone }))];
  return [...inZones, ...guardLimits(totals, unknown, guardrails.limits, beside.unknown.length > 0)];
}

/** What could not be planned of a zone. */
interface Unknown {
  readonly zone: string;
  /** Absent: nothing could. */
  readonly sections?: readonly string[];
}

/** Of which zones it is not known what they would come to. */
function unknownIn(outcomes: readonly Outcome[]): readonly Unknown[] {
  return outcomes.flatMap((each) => {
    if (!each.ok) return [{ zone: each.failure.zone }];
    const unknown = each.plan.notPlanned.filter((section) => !isNotIncluded(section));
    return unknown.length === 0 ? [] : [{ zone: each.plan.zone, sections: unknown.map(notPlannedName) }];
  });
}

/**
 * Sums of a run that exceed their limits, and sums that are unknown because zones could not be planned. A run
 * that changes nothing stays within any limit.
 */
function guardLimits(
  totals: Totals,
  unknown: readonly Unknown[],
  limits: Guardrails["limits"],
  isFixed: boolean,
): readonly RunBreach[] {
  if (totals.changed === 0) return [];
  return LIMITS.flatMap((guardrail) => {
    const limit = limits[guardrail];
    if (limit === undefined) return [];
    const { value, text } = sums[guardrail](totals);
    if (value > limit) {
      return [
        {
          guardrail,
          zone: null,
          message: `${text}; ${guardrail} is ${limit}.`,
          advice: meant(guardrail),
          changes: [],
        },
      ];
    }
    return unknown.length === 0 ? [] : [notKnown(guardrail, limit, unknown, isFixed)];
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

/** What is taken over in part and changes as well is one object. */
function objectsIn(refs: readonly (Ref & { readonly zone?: string })[]): number {
  return new Set(refs.map(({ zone, kind, key, id }) => JSON.stringify([zone, kind, id ?? key]))).size;
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
        ? `The run would change ${changed} of the ${objects(managed)} that the files manage, a share of ${shown}`
        : `The run would change ${objects(changed)} and the base manages ${inBase}, a share of ${shown}`;
    return { value, text };
  },
};

function objects(n: number): string {
  return n === 1 ? "1 object" : `${n} objects`;
}

const MAX_NAMED = 5;

/** @param isFixed whether leaving out what fails changes nothing: it is in the saved plan, which is counted whole */
function notKnown(guardrail: Limit, limit: number, unknown: readonly Unknown[], isFixed: boolean): RunBreach {
  const rest = unknown.length - MAX_NAMED;
  const named = unknown.slice(0, MAX_NAMED).map(({ zone, sections }) => {
    return sections === undefined ? zone : `${sections.join(" and ")} of ${zone}`;
  });
  const zones = `${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  return {
    guardrail,
    zone: null,
    message: `${guardrail} is ${limit}, and what the run comes to is not known: it could not plan ${zones}.`,
    advice: isFixed
      ? says`Mend that and plan again, or ${lifting(guardrail)}.`
      : says`Mend that, leave out with ${{ flag: "zone" }} what fails, or ${lifting(guardrail)}.`,
    changes: [],
  };
}
