import type { CountedReads } from "../api/reads.js";
import type { FileText } from "../config/files.js";
import type { DeclaredZone } from "../config/index.js";
import { GUARDRAILS, type Guardrails, OF_LOADS } from "../model/guardrails.js";
import type { Picking } from "../model/item.js";
import { lifting, says } from "../model/sentence.js";
import { digestOf } from "../plan/digest.js";
import type { ZoneOutcome } from "../plan/document.js";
import type { PlanDocument, SecretNotSet, WholePlan } from "../plan/generated/plan-document.js";
import { type Beside, type RunBreach, unknownIn } from "../plan/guard.js";
import type { Part, PlanInput } from "./files.js";
import { bothPick, declaredAmong, type Picks, type Tried } from "./only.js";
import type { Shard } from "./shard.js";

/**
 * What guardrails count of what a run leaves out: what the files declare there as existing, and what a saved plan changes
 * there, of which the run is a part.
 *
 * @param zones all that the files declare
 * @param meant those that are planned
 * @param before all that the base declares; null: no base is known
 * @param picks the objects that are meant in these
 */
export function besideOf(
  zones: readonly DeclaredZone[],
  meant: readonly DeclaredZone[],
  before: readonly DeclaredZone[] | null,
  { limits }: Guardrails,
  part: Part | undefined,
  picks: Picks,
): Beside {
  const planned = new Set(meant.map(({ name }) => name));
  const picking = picks.part === null ? picks.whole : bothPick(picks.whole, picks.part);
  const isMeant = (zone: string, ref: Parameters<Picking["has"]>[0]) =>
    (part?.hasZone(zone) ?? true) && (picking?.has(ref) ?? true);
  // To fill in all zones of a fleet takes its time: only where the number counts.
  const counted = limits.max_changed_share === undefined || before !== null ? [] : zones;
  const declared = counted.reduce((sum, zone) => {
    if (!planned.has(zone.name)) return sum + declaredIn(zone);
    return picking === null ? sum : sum + declaredAmong(zone.open(), (ref) => !picking.has(ref));
  }, 0);
  const inBase = limits.max_changed_share === undefined ? null : before;
  const elsewhere = part === undefined ? [] : part.plan.changes.filter((each) => !isMeant(each.zone, each));
  const gone = elsewhere.filter(({ action }) => action === "delete");
  return {
    inBase: inBase?.reduce((sum, zone) => sum + declaredIn(zone), 0) ?? null,
    objects: declared + gone.length,
    changed: elsewhere.length,
    deleted: elsewhere.filter(({ action, replaces }) => action === "delete" || replaces === true).length,
    unknown: zonesLeftOut(part)
      .filter(({ status }) => status !== "planned")
      .map(({ zone }) => zone),
  };
}

function declaredIn(zone: DeclaredZone): number {
  return declaredAmong(zone.open(), () => true);
}

/** The zones of a saved plan that are not in the part of it that is carried out. */
export function zonesLeftOut(part: Part | undefined): PlanDocument["zones"] {
  return part === undefined ? [] : part.plan.zones.filter(({ zone }) => !part.hasZone(zone));
}

/**
 * What stands in the plan of all shards against zones that another shard applies: one run would write nothing either. Whoever
 * takes it out of the plan's file gets the others applied, and not those zones.
 */
export function refusedElsewhere({ plan, hasZone, shard }: Part): readonly RunBreach[] {
  if (shard === undefined) return [];
  return GUARDRAILS.flatMap((guardrail) => {
    const zones = plan.guardrails.flatMap(({ name, zone }) =>
      name === guardrail && zone !== undefined && !hasZone(zone) ? [zone] : [],
    );
    if (zones.length === 0) return [];
    const others = [...new Set(zones)];
    const rest = others.length - MAX_NAMED;
    const named = `${others.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
    const message = `${guardrail} says no to what the plan has for ${named}, in other shards, so nothing of it is applied.`;
    const advice = says`Plan again without that, or, if it is meant, ${lifting(guardrail)} with all shards.`;
    return [{ guardrail, zone: null, message, advice, changes: [] }];
  });
}

const MAX_NAMED = 5;

/**
 * What stood against a saved plan for what pages load, where the fresh one does not say so again: the logs that it was made
 * with may not be here, and nobody has approved it without them.
 *
 * @param fresh what stands against the fresh one
 */
export function refusedBefore(
  { approved, part }: Pick<PlanInput, "approved" | "part">,
  fresh: readonly RunBreach[],
): readonly RunBreach[] {
  const said = (approved?.guardrails ?? []).filter(
    ({ name, allowed, zone }) =>
      OF_LOADS.includes(name) && !allowed && (zone === undefined || (part?.hasZone(zone) ?? true)),
  );
  return said.flatMap(({ name, zone = null, message }) => {
    const guardrail = GUARDRAILS.find((each) => each === name);
    if (guardrail === undefined) return [];
    if (fresh.some((each) => each.guardrail === guardrail && each.zone === zone)) return [];
    const told = `The saved plan says: ${message} What was read for it was not read again, or is another thing now.`;
    const advice = says`Plan again, with the same logs; or, if it is meant, ${lifting(guardrail)}.`;
    return [{ guardrail, zone, message: told, advice, changes: [] }];
  });
}

/** A shard, and what it is one of. */
export interface ShardOfRun {
  readonly shard: Shard;
  readonly files: readonly FileText[];
  /** The names of the zones of all shards, in their order. */
  readonly names: readonly string[];
  /** What each shard reads for itself, and all of them together once. */
  readonly common: CountedReads;
}

/** What is known of a run once a shard of it is planned. */
interface RunSoFar {
  readonly guardrails: Guardrails;
  readonly beside?: Beside | undefined;
  readonly notSet: readonly SecretNotSet[];
  readonly tried: Tried | null;
  readonly input: Pick<PlanInput, "allow" | "impact">;
}

/** What of a shard's plan the plan of all shards needs besides. */
export function wholeOf(
  { files, names, common }: ShardOfRun,
  outcomes: readonly ZoneOutcome[],
  { guardrails: { limits, forbid, evidenceDays: days }, beside, notSet, tried, input }: RunSoFar,
): WholePlan {
  const places = new Map(names.map((name, index) => [name, index]));
  return {
    files: digestOf(files.map(({ file, text }) => [file, text])),
    names: digestOf(names),
    zones: names.length,
    places: outcomes.flatMap((each) => places.get(each.ok ? each.plan.zone : each.failure.zone) ?? []),
    guardrails: {
      limits,
      forbid: [...forbid],
      ...(days === undefined ? {} : { evidence_days: days }),
      allowed: [...input.allow],
    },
    impact: typeof input.impact === "number" ? input.impact : null,
    objects_beside: beside?.objects ?? 0,
    ...(beside == null || beside.inBase === null ? {} : { objects_in_base: beside.inBase }),
    shared: common.counts.map((each) => ({ ...each })),
    unknown: unknownIn(outcomes).map(({ zone, sections }) => {
      return sections === undefined ? { zone } : { zone, sections: [...sections] };
    }),
    not_set: [...notSet],
    ...(tried === null ? {} : { only: { idle: [...tried.idle], seen: [...tried.seen] } }),
  };
}
