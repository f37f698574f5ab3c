import type { DeclaredZone } from "../config/index.js";
import type { Picking } from "../model/item.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { Beside } from "../plan/guard.js";
import type { Part } from "./files.js";
import { declaredAmong } from "./only.js";

/**
 * What guardrails count of what a run leaves out: what the files declare there as existing, and what a saved plan changes
 * there, of which the run is a part.
 *
 * @param zones all that the files declare
 * @param planned the names of those that are planned
 * @param picking the objects that are meant in these; null: all
 */
export function besideOf(
  zones: readonly DeclaredZone[],
  planned: ReadonlySet<string>,
  part: Part | undefined,
  picking: Picking | null,
): Beside {
  const isMeant = (zone: string, ref: Parameters<Picking["has"]>[0]) =>
    (part?.hasZone(zone) ?? true) && (picking?.has(ref) ?? true);
  const declared = zones.reduce((sum, zone) => {
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
