import type { DeclaredZone, Desired } from "../config/index.js";
import { movedEnds } from "../config/until.js";
import type { OpenZone } from "../config/zone.js";
import { inBaseText, noLongerManaged } from "../match/no-longer-warnings.js";
import { firstFew } from "../model/cut.js";
import type { Service } from "../model/declared-zone.js";
import { FORBIDDABLE, type Guardrails } from "../model/guardrails.js";
import { limitNames } from "../model/limits.js";
import { type Problem, warning } from "../model/problem.js";
import { howToAllow, type RunBreach } from "../plan/guardrails/index.js";
import { changesBetween } from "../plan/value-words.js";
import type { Base } from "./base.js";
import { onlyOnce } from "./files.js";
import { picker } from "./select-zones.js";

/** Warns first if the change also changes the guardrails or limits that judge it. */
export function changedRules(desired: Desired, { desired: before }: Base): readonly Problem[] {
  const guards = [...changedLimits(before.guardrails, desired.guardrails), ...changedForbid(before, desired)];
  const service = changesBetween(serviceOf(before.service), serviceOf(desired.service));
  return [
    ...(guards.length === 0 ? [] : [{ ...guardrailsChanged(guards), at: desired.at("guardrails") }]),
    ...(service.length === 0 ? [] : [{ ...serviceChanged(service), at: desired.at("service") }]),
  ];
}

/** Entries whose `until` differs from the base. */
export function changedEnds(
  zones: readonly DeclaredZone[],
  desired: Desired,
  { desired: before }: Base,
): readonly Problem[] {
  const formerOf = zoneFinder(desired, before);
  const moved = zones.flatMap((zone) => {
    const open = zone.open();
    const former = formerOf(open);
    return former === null || former === open ? [] : movedEnds(open, former);
  });
  return onlyOnce(moved);
}

function changedLimits(before: Guardrails, after: Guardrails): readonly string[] {
  const all = [
    ...limitNames.map((name) => [name, before.limits[name], after.limits[name]] as const),
    ["evidence_days", before.evidenceDays, after.evidenceDays] as const,
  ];
  return all.flatMap(([name, was = "none", is = "none"]) => (was === is ? [] : [`${name} ${was} → ${is}`]));
}

function changedForbid(before: Desired, after: Desired): readonly string[] {
  const only = (some: Desired, others: Desired) =>
    FORBIDDABLE.filter(
      (name) => some.guardrails.forbid.includes(name) && !others.guardrails.forbid.includes(name),
    );
  const [dropped, added] = [only(before, after), only(after, before)];
  return [
    ...(dropped.length === 0 ? [] : [`no longer forbidden: ${dropped.join(", ")}`]),
    ...(added.length === 0 ? [] : [`newly forbidden: ${added.join(", ")}`]),
  ];
}

function guardrailsChanged(changes: readonly string[]): Problem {
  const detail = `${changes.join("; ")}. For this plan, the stricter value applies.`;
  return warning("guardrails_changed", "Guardrails changed", detail);
}

function serviceOf({ extra_csp_directives, ...service }: Service) {
  return { ...service, extra_csp_directives: extra_csp_directives.join(" ") };
}

function serviceChanged(changes: readonly string[]): Problem {
  const detail = `${changes.join("; ")}. Guardrails use the values of the base.`;
  return warning("service_changed", "Service section changed", detail);
}

/** Zones that the base has and the files no longer do. */
export function zonesNoLongerManaged(
  desired: Desired,
  base: Base,
  picked: readonly string[],
): readonly Problem[] {
  return removedAmong(desired, base, picked).map((zone) =>
    noLongerManaged(`the zone (${inBaseText(zone.at())})`, zone.name, null),
  );
}

/** The guardrail `unmanaged` for removed zones, as for a removed section: nothing in them is reported any more. */
export function letGoZones(
  desired: Desired,
  base: Base,
  picked: readonly string[],
  { forbid }: Guardrails,
): readonly RunBreach[] {
  const names = removedAmong(desired, base, picked).map(({ name }) => name);
  if (names.length === 0 || !forbid.includes("unmanaged")) return [];
  const message = `The files no longer manage ${firstFew(names, MAX_NAMED)}, so undeclared objects there are no longer reported.`;
  return [{ guardrail: "unmanaged", zone: null, message, advice: howToAllow("unmanaged"), changes: [] }];
}

const MAX_NAMED = 5;

function removedAmong(desired: Desired, base: Base, picked: readonly string[]): readonly DeclaredZone[] {
  const isPicked = picker(picked);
  return removedZones(desired, base.desired).filter(({ name }) => isPicked(name));
}

/** Zones of the base that the files have neither by name nor by id. */
export function removedZones(desired: Desired, before: Desired): readonly DeclaredZone[] {
  const missing = zonesOnlyIn(before, desired);
  if (missing.length === 0) return missing;
  const added = zonesOnlyIn(desired, before).map((zone) => zone.open().id);
  return missing.filter((zone) => {
    const { id } = zone.open();
    return id === null || !added.includes(id);
  });
}

/** Finds a zone of the files in the base: by name, else by id. Null: the base does not have it. */
export function zoneFinder(desired: Desired, before: Desired): (zone: OpenZone) => OpenZone | null {
  const byName = new Map(before.zones.map((zone) => [zone.name, zone]));
  const missing = zonesOnlyIn(before, desired);
  return ({ name, id }) => {
    const namesake = byName.get(name)?.open();
    if (namesake !== undefined || id === null) return namesake ?? null;
    return missing.map((zone) => zone.open()).find((zone) => zone.id === id) ?? null;
  };
}

/** Compares the zones by name. */
function zonesOnlyIn({ zones }: Desired, others: Desired): readonly DeclaredZone[] {
  const names = new Set(others.zones.map(({ name }) => name));
  return zones.filter(({ name }) => !names.has(name));
}
