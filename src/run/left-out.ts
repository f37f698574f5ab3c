import type { DeclaredZone } from "../config/index.js";
import type { Guardrails } from "../model/guardrails.js";
import type { Picking } from "../model/item.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { Beside } from "../plan/guard.js";
import type { Part } from "./files.js";
import { bothPick, declaredAmong, type Picks } from "./only.js";

/**
 * What guardrails count of what a run leaves out: what the files declare there as existing, and what a saved plan changes
 * there, of which the run is a part.
 *
 * @param zones all that the files declare
 * @param meant those that are planned
 * @param picks the objects that are meant in these
 */
export function besideOf(
  zones: readonly DeclaredZone[],
  meant: readonly DeclaredZone[],
  { limits }: Guardrails,
  part: Part | undefined,
  picks: Picks,
): Beside {
  const planned = new Set(meant.map(({ name }) => name));
  const picking = picks.part === null ? picks.whole : bothPick(picks.whole, picks.part);
  const isMeant = (zone: string, ref: Parameters<Picking["has"]>[0]) =>
    (part?.hasZone(zone) ?? true) && (picking?.has(ref) ?? true);
  // To fill in all zones of a fleet takes its time: only where the number counts.
  const counted = limits.max_changed_share === undefined ? [] : zones;
  const declared = counted.reduce((sum, zone) => {
    if (!planned.has(zone.name)) return sum + declaredAmong(zone.open(), () => true);
    return picking === null ? sum : sum + declaredAmong(zone.open(), (ref) => !picking.has(ref));
  }, 0);
  const elsewhere = part === undefined ? [] : part.plan.changes.filter((each) => !isMeant(each.zone, each));
  const gone = elsewhere.filter(({ action }) => action === "delete");
  return {
    objects: declared + gone.length,
    changed: elsewhere.length,
    deleted: elsewhere.filter(({ action, replaces }) => action === "delete" || replaces === true).length,
    unknown: zonesLeftOut(part)
      .filter(({ status }) => status !== "planned")
      .map(({ zone }) => zone),
  };
}

/** The zones of a saved plan that are not in the part of it that is carried out. */
export function zonesLeftOut(part: Part | undefined): PlanDocument["zones"] {
  return part === undefined ? [] : part.plan.zones.filter(({ zone }) => !part.hasZone(zone));
}
