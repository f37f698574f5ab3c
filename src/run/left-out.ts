import type { DeclaredZone } from "../config/index.js";
import { GUARDRAILS, type Guardrails, OF_LOADS } from "../model/guardrails.js";
import type { Picking } from "../model/item.js";
import { lifting, says } from "../model/sentence.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { Beside, RunBreach } from "../plan/guard.js";
import type { Part, PlanInput } from "./files.js";
import { bothPick, declaredAmong, type Picks } from "./only.js";

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
