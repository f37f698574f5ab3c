import type { Forbiddable, Guardrails } from "../model/guardrails.js";
import type { Breach, Change, ZoneFailure, ZonePlan } from "../model/plan.js";
import { SERVICE } from "../model/strength.js";
import { effectOf } from "../posture/index.js";
import { guardLimits } from "./guard-limits.js";

/** A guardrail that says no to carrying out the plans of a run. */
export interface RunBreach extends Breach {
  /** Null: it is about the run as a whole. */
  readonly zone: string | null;
}

/** Of a zone's outcome, what guardrails look at. */
type Outcome =
  | { readonly ok: true; readonly plan: Pick<ZonePlan, "zone" | "changes" | "counts" | "breaches"> }
  | { readonly ok: false; readonly failure: Pick<ZoneFailure, "zone"> };

/** What stands against carrying out the plans of a run: what is found zone by zone, then what they come to. */
export function guardRun(outcomes: readonly Outcome[], guardrails: Guardrails): readonly RunBreach[] {
  const plans = outcomes.flatMap((each) => (each.ok ? [each.plan] : []));
  const failed = outcomes.flatMap((each) => (each.ok ? [] : [each.failure.zone]));
  const inZones = plans.flatMap((plan) => {
    const own = [...plan.breaches, ...forbidden(plan, guardrails.forbid)];
    return own.map((each) => ({ ...each, zone: plan.zone }));
  });
  const inAll = guardLimits(plans, failed, guardrails.limits).map((each) => ({ ...each, zone: null }));
  return [...inZones, ...inAll];
}

function forbidden(
  { zone, changes }: Pick<ZonePlan, "zone" | "changes">,
  forbid: readonly Forbiddable[],
): readonly Breach[] {
  return forbid.flatMap((guardrail) => {
    const { isMeant, message } = rules[guardrail];
    const found = changes.filter(isMeant);
    if (found.length === 0) return [];
    return [{ guardrail, message: `${message(zone, found)} If that is meant, say --allow ${guardrail}.` }];
  });
}

interface Rule {
  readonly isMeant: (change: Change) => boolean;
  readonly message: (zone: string, found: readonly Change[]) => string;
}

const rules: { readonly [guardrail in Forbiddable]: Rule } = {
  weakens: {
    isMeant: ({ shifts }) => ["weakens", "mixed", "unknown"].includes(effectOf(shifts)),
    message: (zone, found) => {
      // What cannot be decided is refused as well, since it may be the worst.
      const isSure = found.some(({ shifts }) => effectOf(shifts) !== "unknown");
      return `${zone} ${isSure ? "would" : "may"} be protected less: ${listed(found.map(withReasons))}.`;
    },
  },
  deletes: {
    isMeant: ({ action }) => action === "delete",
    message: (zone, found) => `${zone} would lose ${listed(found.map(nameOf))}.`,
  },
  service_off: {
    isMeant: ({ shifts }) => shifts.some(({ dimension, way }) => dimension === SERVICE && way === "weaker"),
    message: (zone) => `The service would be switched off for ${zone}.`,
  },
};

function withReasons(change: Change): string {
  const reasons = change.shifts.filter(({ way }) => way !== "stronger").map(({ why }) => cut(why));
  return `${nameOf(change)} (${reasons.join("; ")})`;
}

function nameOf({ ref: { kind, key } }: Change): string {
  return key === kind ? kind : `${kind} ${JSON.stringify(cut(key))}`;
}

/** Names and reasons can be of any length: the advice at the end is to be read too. */
const MAX_CHARS = 80;
const MAX_LISTED = 5;

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
