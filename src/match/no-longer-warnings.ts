import { kinds } from "../kinds/index.js";
import { entryName, isManagedIn, type Kind, sectionIn, sectionsOf } from "../kinds/kind.js";
import type { Declared, WantedZone } from "../model/declared-zone.js";
import { equal } from "../model/json.js";
import { type Problem, type Span, warning } from "../model/problem.js";
import { isPattern, newEntries } from "../model/unmanaged.js";

/**
 * Warnings about declarations of the base that the files no longer have, besides objects and their fields.
 *
 * @param at the zone in the files
 */
export function noLongerDeclared(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  return [
    ...noLongerManagedSections(base, zone, at),
    ...noLongerPruned(base, zone, at),
    ...newlyAcknowledged(base, zone),
    ...noLongerTested(base, zone, at),
    ...noLongerRequired(base, zone),
  ];
}

/** For an object whose kind the files still have, in another section. */
export function objectNoLongerManaged(
  kind: Kind,
  before: Declared,
  base: WantedZone,
  zone: WantedZone,
): Problem {
  const name = entryName(kind, before);
  const objectText = before.path.length === 1 ? name : `${before.path[0]} ${JSON.stringify(name)}`;
  return noLongerManaged(
    withPlace(objectText, base.locate(before.path, "key")),
    zone.name,
    zone.locate([sectionIn(kind, zone.sections)], "key"),
  );
}

/** Fields that only the base has. No call is sent for them. */
export function noLongerManagedFields(
  kind: Kind,
  counterparts: readonly (readonly [now: Declared, before: Declared])[],
  base: WantedZone,
  zone: WantedZone,
): readonly Problem[] {
  return counterparts.flatMap(([now, before]) => {
    if (before.body.ensure === "absent" || now.body.ensure === "absent") return [];
    const kept = Object.keys(kind.toDesired(now.body, null));
    const fields = Object.keys(kind.toDesired(before.body, null)).filter((field) => !kept.includes(field));
    if (fields.length === 0) return [];
    const [section = kind.section, ...rest] = now.path;
    const name = rest.length === 0 ? section : `${section} ${JSON.stringify(entryName(kind, now))}`;
    const places = fields.map((field) =>
      withPlace(field, base.locate([...before.path, ...field.split(".")], "key")),
    );
    return [noLongerManaged(`${places.join(", ")} of ${name}`, zone.name, zone.locate(now.path, "key"))];
  });
}

function noLongerManagedSections(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const removed = kinds
    .filter((kind) => !isManagedIn(kind, zone.sections))
    .flatMap((kind) => sectionsOf(kind).filter((section) => section in base.sections));
  return removed.map((section) =>
    noLongerManaged(withPlace(section, base.locate([section], "key")), zone.name, at),
  );
}

function noLongerPruned(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const dropped = base.prune.filter((section) => section in zone.sections && !zone.prune.includes(section));
  return dropped.map((section) => {
    const placed = withPlace(section, base.locate(["prune", base.prune.indexOf(section)]));
    const detail = `${zone.name}: the files no longer prune ${placed}. Undeclared objects there stay live.`;
    return warning("no_longer_pruned", "No longer pruned", detail, at);
  });
}

/** Entries of `unmanaged` that the base does not have. Once it has them, matching objects are no longer reported. */
function newlyAcknowledged(base: WantedZone, zone: WantedZone): readonly Problem[] {
  return Object.entries(newEntries(zone.unmanaged, base.unmanaged)).flatMap(([list, entries]) => {
    const places = new Map((zone.unmanaged[list] ?? []).map((entry, index) => [entry, index]));
    const isPruned = [base, zone].every(({ prune }) => prune.includes(list));
    return entries.map((entry) => {
      const entryText = isPattern(entry)
        ? `the pattern ${JSON.stringify(entry)} (unmanaged.${list}). After the merge, matching undeclared objects no longer count as drift`
        : `${JSON.stringify(entry)} (unmanaged.${list}). After the merge, an undeclared object of that name no longer counts as drift`;
      const prunes =
        isPruned && isPattern(entry)
          ? " and are not pruned. This change still prunes them: list the objects to keep by name."
          : ".";
      return warning(
        "no_longer_told",
        "Acknowledged by this change",
        `${zone.name}: this change acknowledges ${entryText}${prunes}`,
        zone.locate(["unmanaged", list, places.get(entry) ?? 0]),
      );
    });
  });
}

/** Tests of a zone that the files no longer have, or have changed. */
function noLongerTested(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const { tests = [] } = zone;
  const removed = (base.tests ?? []).filter(({ body }) => !tests.some((each) => equal(each.body, body)));
  if (removed.length === 0) return [];
  const places = removed.map((test) => inBaseText(test.at([])));
  const testsText = removed.length === 1 ? "a test" : `${removed.length} tests`;
  const detail = `${zone.name}: the files no longer have ${testsText} of the base as ${removed.length === 1 ? "it was" : "they were"}: ${places.join(", ")}.`;
  return [warning("no_longer_tested", "No longer tested", detail, at)];
}

/** Sections that are newly optional: the zone's Cloudflare plan may lack them without an error. */
function noLongerRequired(base: WantedZone, zone: WantedZone): readonly Problem[] {
  return zone.optional.flatMap((section, index) => {
    if (base.optional.includes(section)) return [];
    const detail = `${zone.name}: the base requires ${section}. From now on, ${section} is skipped if the zone's Cloudflare plan does not include it.`;
    const at = zone.locate(["optional", index]);
    return [warning("no_longer_required", "Section is now optional", detail, at)];
  });
}

/** @param removedText the removed part, with its places in the base */
export function noLongerManaged(removedText: string, zone: string, at: Span | null): Problem {
  return warning(
    "no_longer_managed",
    "No longer managed",
    `${zone}: the files no longer have ${removedText}. To remove the live objects, declare them absent. They stay live, and their changes are no longer reported.`,
    at,
  );
}

function withPlace(text: string, place: Span | null | undefined): string {
  return place ? `${text} (${inBaseText(place)})` : text;
}

export function inBaseText({ file, line }: Span): string {
  return `${file}:${line} in the base`;
}
