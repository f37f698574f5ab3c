import type { DeclaredZone } from "../config/index.js";
import { declaredIn } from "../config/zone.js";
import { kinds } from "../kinds/index.js";
import type { PlanDocument } from "../plan/generated/plan-document.js";
import type { Beside } from "../plan/guard.js";
import type { Part } from "./files.js";

/**
 * What guardrails count of zones that a run leaves out: what the files declare there as existing, and what a saved plan
 * changes there, of which the run is a part.
 *
 * @param zones what is left out of all that the files declare
 */
export function besideOf(zones: readonly DeclaredZone[], part: Part | undefined): Beside {
  const declared = zones.reduce((sum, zone) => sum + objectsOf(zone), 0);
  const elsewhere = part === undefined ? [] : part.plan.changes.filter(({ zone }) => !part.hasZone(zone));
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

function objectsOf(zone: DeclaredZone): number {
  const { sections } = zone.open();
  const declared = kinds.flatMap((kind) => declaredIn(kind, sections));
  return declared.filter(({ body }) => body.ensure !== "absent").length;
}
