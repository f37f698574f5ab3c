import type { DetectedKind } from "../model/detection.js";
import type { Impact, Moved, ZoneImpact } from "../model/impact.js";
import type { ZonePlan } from "../model/plan.js";
import type { ImpactSummary, ImpactSums, MovedDetections, PlannedChange } from "./generated/plan-document.js";

type Outcome = Pick<ZonePlan, "zone" | "impact">;

/** What the policy changes of a run come to; null: there are none. */
export function impactSummary(plans: readonly Outcome[]): ImpactSummary | null {
  const found = plans.flatMap(({ zone, impact }) => (impact === null ? [] : [{ zone, ...impact }]));
  if (found.length === 0) return null;
  const unseen = found.filter((each) => each.unseen.size > 0).map(({ zone }) => zone);
  return {
    scripts: sumsOf(found, "scripts"),
    connections: sumsOf(found, "connections"),
    unread: found.filter(({ tried }) => !isRead(tried)).map(({ zone }) => zone),
    ...(unseen.length === 0 ? {} : { unseen }),
  };
}

function isRead({ scripts, connections }: ZoneImpact["tried"]): boolean {
  return scripts !== null && connections !== null;
}

function sumsOf(found: readonly ZoneImpact[], kind: DetectedKind): ImpactSums {
  const sum = (of: (moved: Moved) => number) => found.reduce((all, { total }) => all + of(total[kind]), 0);
  return {
    tried: found.reduce((all, { tried }) => all + (tried[kind] ?? 0), 0),
    newly_blocked: sum(({ newly_blocked }) => newly_blocked.length),
    newly_reported: sum(({ newly_reported }) => newly_reported.length),
    newly_allowed: sum(({ newly_allowed }) => newly_allowed.length),
    undecided: sum(({ undecided }) => undecided.length),
    malicious_allowed: sum(
      ({ newly_allowed }) => newly_allowed.filter(({ malicious }) => malicious === true).length,
    ),
  };
}

/** What of its zone's impact a change brings about: of what could be read. */
export function changeImpact(impact: ZoneImpact | null, change: number): Pick<PlannedChange, "impact"> {
  const own = impact?.byChange.get(change);
  if (impact === null || own === undefined) return {};
  const kinds = (["scripts", "connections"] as const).filter((kind) => impact.tried[kind] !== null);
  if (kinds.length === 0) return {};
  const why = impact.unseen.get(change)?.why;
  return {
    impact: {
      ...Object.fromEntries(kinds.map((kind) => [kind, encodeMoved(own, kind)])),
      ...(why === undefined ? {} : { unseen: why }),
    },
  };
}

function encodeMoved(impact: Impact, kind: DetectedKind): MovedDetections {
  const { newly_blocked, newly_reported, newly_allowed, undecided } = impact[kind];
  return {
    newly_blocked: [...newly_blocked],
    newly_reported: [...newly_reported],
    newly_allowed: [...newly_allowed],
    undecided: undecided.map((each) => ({ ...each, may_be: [...each.may_be] })),
  };
}
