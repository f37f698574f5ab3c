import { canonicalName } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { haveSameKey } from "../kinds/keys.js";
import {
  entryName,
  isManagedIn,
  type Kind,
  type Live,
  listOf,
  sectionIn,
  sectionsOf,
} from "../kinds/kind.js";
import { fieldsWithSecrets, freeTextFields, hasSensitive } from "../kinds/secret-fields.js";
import type { Item } from "../model/item.js";
import { equal, type Json } from "../model/json.js";
import { type Problem, type Span, warning } from "../model/problem.js";
import { isPattern, newEntries } from "../model/unmanaged.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { type Pair, type Paired, pair, pinOf } from "./pair.js";

/** The declarations of one kind in a zone, in the files before the change. */
export interface BaseDeclarations {
  /** Null: the base does not have the zone. */
  readonly zone: WantedZone | null;
  readonly declared: readonly Declared[];
  /** Whether the base uses an environment variable that is not set. Its value is then unknown. */
  readonly lacks: boolean;
  /** Fields of the kind that any zone of the base has as secrets. Absent: only this zone of the base is known. */
  secretFields?(): ReadonlySet<string>;
}

/** The files before the change. */
export interface Before {
  /** Null: there is no base, or it could not be read. */
  readonly base: BaseDeclarations | null;
  /** True: there is a base, and it could not be read. */
  readonly isBaseUnread?: boolean | undefined;
}

/** Fields of a kind that the base has as secrets in any of its objects, or may have. */
export function secretFieldsBefore(kind: Kind, { base, isBaseUnread }: Before): ReadonlySet<string> {
  if (isBaseUnread === true) return freeTextFields(kind);
  if (base === null || !hasSensitive(kind)) return new Set();
  const zoneFields = base.zone === null ? [] : fieldsWithSecrets(kind, base.declared, base.zone);
  return new Set([...zoneFields, ...(base.secretFields?.() ?? [])]);
}

/** The base, as the objects of one kind are compared with it. */
export interface BaseOf extends Required<BaseDeclarations> {
  readonly kind: Kind;
  /** In the terms of the base. */
  readonly context: Live["context"];
}

/** @param live null: the live state could not be read */
export function baseOf(kind: Kind, base: BaseDeclarations, live: Live | null): BaseOf {
  const secretFields = secretFieldsBefore(kind, { base });
  const context =
    live === null ? undefined : (kind.reads?.inTermsOf?.(live.context, base.declared) ?? live.context);
  return { ...base, kind, context, secretFields: () => secretFields };
}

/** The entries of the base by the entries of the files, and the entries that only the base has. */
export interface Counterparts {
  readonly priorEntries: ReadonlyMap<Declared, Declared>;
  /** Live objects that the base declares and the files do not. */
  readonly noLongerDeclared: readonly { readonly declared: Declared; readonly live: Item }[];
  /** Other entries of the base that the files no longer have. Nothing is sent for them. */
  readonly letGo: readonly Declared[];
  readonly problems: readonly Problem[];
}

/**
 * Matches the entries of the files with those of the base: by pin, by name, by former name, or by the live object. So an
 * object that got another name or pin is still one object.
 *
 * @param pairs the entries of the files with their live objects
 */
export function counterparts(
  kind: Kind,
  declared: readonly Declared[],
  pairs: readonly Pair[],
  base: BaseDeclarations,
  live: Live,
  zone: WantedZone,
): Counterparts {
  const keyOf = ({ body }: Declared) => kind.keys.declared(body, live.context);
  const { named = "" } = listOf(kind) ?? {};
  const liveNow = new Map(pairs.map((each) => [each.declared, each.live]));
  const basePairs = base.zone === null ? NONE : pair(kind, base.declared, live, base.zone);
  const liveInBase = new Map(basePairs.pairs.map((each) => [each.declared, each.live]));
  const ids = (now: Declared, before: Declared) => [pinOf(now), pinOf(before)] as const;
  const liveItems = (now: Declared, before: Declared) =>
    [liveNow.get(now) ?? null, liveInBase.get(before) ?? null] as const;
  const signs: readonly ((now: Declared, before: Declared) => boolean)[] = [
    (now, before) => areKnownEqual(...ids(now, before)),
    (now, before) => haveSameKey(keyOf(now), keyOf(before)),
    (now, before) =>
      now.body.renamed_from !== undefined && isSameName(now.body.renamed_from, before.body[named]),
    (now, before) => areKnownEqual(...liveItems(now, before)),
  ];
  const canBeSame = (now: Declared, before: Declared) =>
    !areKnownDifferent(...ids(now, before)) && !areKnownDifferent(...liveItems(now, before));
  const priorEntries = new Map<Declared, Declared>();
  const unmatched = new Set(base.declared);
  for (const isSame of signs) {
    for (const now of declared) {
      const before = priorEntries.has(now)
        ? undefined
        : [...unmatched].find((each) => isSame(now, each) && canBeSame(now, each));
      if (before === undefined) continue;
      priorEntries.set(now, before);
      unmatched.delete(before);
    }
  }
  const meantItems = new Set(liveNow.values());
  const removed = [...unmatched].filter(({ body }) => body.ensure !== "absent");
  // An entry removed from a list is deleted. The object of a removed section stays.
  const isFromList = ({ path: [section = "", ...rest] }: Declared) =>
    rest.length > 0 && section in zone.sections;
  const fromLists = removed.filter(isFromList);
  const ofSections = removed.filter((each) => !isFromList(each));
  const noLongerDeclared = fromLists.flatMap((entry) => {
    const item = liveInBase.get(entry) ?? null;
    return item === null || meantItems.has(item) ? [] : [{ declared: entry, live: item }];
  });
  const isKnown = (entry: Declared) => pinOf(entry) !== null || keyOf(entry).name !== null;
  const isNotLive = (entry: Declared) =>
    (isKnown(entry) && liveInBase.get(entry) === null) ||
    basePairs.unpaired.some((each) => each.declared === entry && each.isNotLive === true);
  const unclear = fromLists.filter(
    (each) => live.unlisted === true || (!(isKnown(each) && liveInBase.has(each)) && !isNotLive(each)),
  );
  return {
    priorEntries,
    noLongerDeclared,
    letGo: [...fromLists.filter((each) => unclear.includes(each) || isNotLive(each)), ...ofSections],
    problems: [
      ...unclear.map((each) => notDeleted(kind, entryName(kind, each), zone)),
      ...ofSections.map((each) => objectNoLongerManaged(kind, each, base, zone)),
    ],
  };
}

const NONE: Paired = { pairs: [], unpaired: [] };

function isSameName(a: Json | undefined, b: Json | undefined): boolean {
  return typeof a === "string" && typeof b === "string" ? canonicalName(a) === canonicalName(b) : a === b;
}

function areKnownEqual<T>(a: T | null, b: T | null): boolean {
  return a !== null && a === b;
}

function areKnownDifferent<T>(a: T | null, b: T | null): boolean {
  return a !== null && b !== null && a !== b;
}

/** For an object whose kind the files still have, in another section. */
function objectNoLongerManaged(
  kind: Kind,
  before: Declared,
  base: BaseDeclarations,
  zone: WantedZone,
): Problem {
  const basePlace = base.zone?.locate(before.path, "key") ?? null;
  const name = entryName(kind, before);
  const objectText = before.path.length === 1 ? name : `${before.path[0]} ${JSON.stringify(name)}`;
  const section = sectionIn(kind, zone.sections);
  return noLongerManaged(
    basePlace === null ? objectText : `${objectText} (${inBaseText(basePlace)})`,
    zone.name,
    zone.locate([section], "key"),
  );
}

function notDeleted({ name, section }: Kind, key: string, zone: WantedZone): Problem {
  return warning(
    "not_deleted",
    "No longer declared, not deleted",
    `The files no longer declare the ${name} ${JSON.stringify(key)} of ${zone.name}, and its live object is ambiguous. Delete it in the dashboard, or declare it by its id with ensure: absent. Nothing is deleted.`,
    zone.locate([section], "key"),
  );
}

/** Fields that only the base has. No call is sent for them. */
export function noLongerManagedFields(
  kind: Kind,
  counterparts: readonly (readonly [now: Declared, before: Declared])[],
  base: BaseDeclarations,
  zone: WantedZone,
): readonly Problem[] {
  return counterparts.flatMap(([now, before]) => fieldsNoLongerManaged(kind, before, now, base, zone));
}

function fieldsNoLongerManaged(
  kind: Kind,
  before: Declared,
  now: Declared,
  base: BaseDeclarations,
  zone: WantedZone,
): readonly Problem[] {
  if (before.body.ensure === "absent" || now.body.ensure === "absent") return [];
  const kept = Object.keys(kind.toDesired(now.body, null));
  const fields = Object.keys(kind.toDesired(before.body, null)).filter((field) => !kept.includes(field));
  if (fields.length === 0) return [];
  const { section } = kind;
  const nameText = JSON.stringify(entryName(kind, now));
  const name = now.path.length === 1 ? section : `${now.path[0] ?? section} ${nameText}`;
  const places = fields.map((field) => {
    const at = base.zone?.locate([...before.path, ...field.split(".")], "key") ?? null;
    return at === null ? field : `${field} (${inBaseText(at)})`;
  });
  return [noLongerManaged(`${places.join(", ")} of ${name}`, zone.name, zone.locate(now.path, "key"))];
}

/** Sections that only the base has. */
export function noLongerManagedSections(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const removed = kinds
    .filter((kind) => !isManagedIn(kind, zone.sections))
    .flatMap((kind) => sectionsOf(kind).filter((section) => section in base.sections));
  return removed.map((section) => {
    const basePlace = base.locate([section], "key");
    const sectionText = basePlace === null ? section : `${section} (${inBaseText(basePlace)})`;
    return noLongerManaged(sectionText, zone.name, at);
  });
}

/** Sections that only the base prunes. */
export function noLongerPruned(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const dropped = base.prune.filter((section) => section in zone.sections && !zone.prune.includes(section));
  return dropped.map((section) => {
    const basePlace = base.locate(["prune", base.prune.indexOf(section)]);
    const placeText = basePlace === null ? "" : ` (${inBaseText(basePlace)})`;
    return warning(
      "no_longer_pruned",
      "No longer pruned",
      `${zone.name}: the files no longer prune ${section}${placeText}. Undeclared objects there stay live.`,
      at,
    );
  });
}

/** Entries of `unmanaged` that the base does not have. Once it has them, matching objects are no longer reported. */
export function newlyAcknowledged(base: WantedZone, zone: WantedZone): readonly Problem[] {
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
export function noLongerTested(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const { tests = [] } = zone;
  const removed = (base.tests ?? []).filter(({ body }) => !tests.some((each) => equal(each.body, body)));
  if (removed.length === 0) return [];
  const places = removed.map((test) => inBaseText(test.at([])));
  const testsText = removed.length === 1 ? "a test" : `${removed.length} tests`;
  return [
    warning(
      "no_longer_tested",
      "No longer tested",
      `${zone.name}: the files no longer have ${testsText} of the base as ${removed.length === 1 ? "it was" : "they were"}: ${places.join(", ")}.`,
      at,
    ),
  ];
}

/** Sections that are newly optional: the zone's Cloudflare plan may lack them without an error. */
export function noLongerRequired(base: WantedZone, zone: WantedZone): readonly Problem[] {
  return zone.optional.flatMap((section, index) =>
    base.optional.includes(section)
      ? []
      : [
          warning(
            "no_longer_required",
            "Section is now optional",
            `${zone.name}: the base requires ${section}. From now on, ${section} is skipped if the zone's Cloudflare plan does not include it.`,
            zone.locate(["optional", index]),
          ),
        ],
  );
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

export function inBaseText({ file, line }: Span): string {
  return `${file}:${line} in the base`;
}
