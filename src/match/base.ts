import { canonicalName } from "../kinds/fields.js";
import { kinds } from "../kinds/index.js";
import { haveSameName, nameIn } from "../kinds/keys.js";
import {
  aboutOf,
  entryName,
  isManagedIn,
  type Kind,
  type Live,
  sectionIn,
  sectionsOf,
} from "../kinds/kind.js";
import { fieldsWithSecrets, freeTextFields, hasSensitive } from "../kinds/sensitive.js";
import type { Item } from "../model/item.js";
import { equal, type Json } from "../model/json.js";
import type { Problem, Span } from "../model/problem.js";
import { isPattern, newEntries } from "../model/unmanaged.js";
import type { Declared, WantedZone } from "../model/wanted.js";
import { liveAbout, type Pair, type Paired, pair, pinOf } from "./pair.js";

/** What the base, the files before the change, says of one kind in a zone. */
export interface BaseDeclarations {
  /** Null: the base does not have the zone. */
  readonly zone: WantedZone | null;
  readonly declared: readonly Declared[];
  /** Whether it takes something from the environment that is not set any more: what that was is then not known. */
  readonly lacks: boolean;
  /** Fields of the kind that any zone of the base has as secrets. Absent: only those of the zone are known. */
  secretFields?(): ReadonlySet<string>;
}

/** What is known of the files before the change. */
export interface Before {
  /** Null: there is no base, or it could not be read. */
  readonly base: BaseDeclarations | null;
  /** That it could not be read. Absent: it was, or there is none. */
  readonly isBaseUnread?: boolean | undefined;
}

/** Fields of a kind that the base has as secrets in any of its objects, or may have. */
export function secretFieldsBefore(kind: Kind, { base, isBaseUnread }: Before): ReadonlySet<string> {
  if (isBaseUnread === true) return freeTextFields(kind);
  if (base === null || !hasSensitive(kind)) return new Set();
  const own = base.zone === null ? [] : fieldsWithSecrets(kind, base.declared, base.zone);
  return new Set([...own, ...(base.secretFields?.() ?? [])]);
}

/** Which entry of the base is which of the files, and what became of those that the files no longer have. */
export interface Counterparts {
  readonly of: ReadonlyMap<Declared, Declared>;
  /** Live objects that the base declares and the files do not. */
  readonly noLongerDeclared: readonly { readonly declared: Declared; readonly live: Item }[];
  /** Other entries of the base that the files no longer have. Nothing is sent for them. */
  readonly letGo: readonly Declared[];
  readonly problems: readonly Problem[];
}

/**
 * An object that got another name or pin between the base and the files is one object, as long as anything of it is the
 * same: its pin, its name, its former name, or the live object that it means.
 *
 * @param pairs of the files' entries with what they mean
 */
export function counterparts(
  kind: Kind,
  declared: readonly Declared[],
  pairs: readonly Pair[],
  base: BaseDeclarations,
  live: Live,
  zone: WantedZone,
): Counterparts {
  if (kind.shape.as === "one") return ofOne(kind, declared, pairs, base, live, zone);
  const { named } = kind.shape;
  const called = (each: Declared) => nameIn(kind.shape, each.body);
  const byPair = new Map(pairs.map((each) => [each.declared, each.live]));
  const basePairs = base.zone === null ? NONE : pair(kind, base.declared, live, base.zone);
  const baseLive = new Map(basePairs.pairs.map((each) => [each.declared, each.live]));
  const ids = (now: Declared, before: Declared) => [pinOf(now), pinOf(before)] as const;
  const lives = (now: Declared, before: Declared) =>
    [byPair.get(now) ?? null, baseLive.get(before) ?? null] as const;
  const signs: readonly ((now: Declared, before: Declared) => boolean)[] = [
    (now, before) => areOne(...ids(now, before)),
    (now, before) => haveSameName(called(now), called(before)),
    (now, before) =>
      now.body.renamed_from !== undefined && isOneName(now.body.renamed_from, before.body[named]),
    (now, before) => areOne(...lives(now, before)),
  ];
  const canBeSame = (now: Declared, before: Declared) =>
    !areTwo(...ids(now, before)) && !areTwo(...lives(now, before));
  const of = new Map<Declared, Declared>();
  const left = new Set(base.declared);
  for (const isSame of signs) {
    for (const now of declared) {
      const before = of.has(now)
        ? undefined
        : [...left].find((each) => isSame(now, each) && canBeSame(now, each));
      if (before === undefined) continue;
      of.set(now, before);
      left.delete(before);
    }
  }
  const taken = new Set(byPair.values());
  const removed = [...left].filter(({ body }) => body.ensure !== "absent");
  const noLongerDeclared = removed.flatMap((each) => {
    const item = baseLive.get(each) ?? null;
    return item === null || taken.has(item) ? [] : [{ declared: each, live: item }];
  });
  const isNotLive = (entry: Declared) =>
    baseLive.get(entry) === null ||
    basePairs.unpaired.some((each) => each.declared === entry && each.isNotLive === true);
  const unclear = removed.filter(
    (each) => live.unlisted === true || !(baseLive.has(each) || isNotLive(each)),
  );
  return {
    of,
    noLongerDeclared,
    letGo: removed.filter((each) => unclear.includes(each) || isNotLive(each)),
    problems: unclear.map((each) => notDeleted(kind, each.body[named], zone)),
  };
}

const NONE: Paired = { pairs: [], unpaired: [] };

function isOneName(a: Json | undefined, b: Json | undefined): boolean {
  return typeof a === "string" && typeof b === "string" ? canonicalName(a) === canonicalName(b) : a === b;
}

function areOne<T>(a: T | null, b: T | null): boolean {
  return a !== null && a === b;
}

function areTwo<T>(a: T | null, b: T | null): boolean {
  return a !== null && b !== null && a !== b;
}

/**
 * Where there is one, or one of each, entries are the same that are about the same. What is gone from a list is deleted; a
 * section that is gone is let go.
 */
function ofOne(
  kind: Kind,
  declared: readonly Declared[],
  pairs: readonly Pair[],
  base: BaseDeclarations,
  live: Live,
  zone: WantedZone,
): Counterparts {
  const about = aboutOf(kind);
  const meantBy = ({ body }: Declared) => (about === null ? "" : about.aboutDeclared(body, live.context));
  const of = new Map<Declared, Declared>();
  for (const now of declared) {
    const before = base.declared.find((each) => areOne(meantBy(now), meantBy(each)));
    if (before !== undefined) of.set(now, before);
  }
  const known = new Set(of.values());
  const gone = base.declared.filter((each) => !known.has(each) && each.body.ensure !== "absent");
  const inList = gone.filter(
    ({ path: [section = "", ...rest] }) => rest.length > 0 && section in zone.sections,
  );
  const taken = new Set(pairs.map((each) => each.live));
  const noLongerDeclared = inList.flatMap((each) =>
    liveAbout(kind, each, live)
      .filter((item) => !taken.has(item))
      .map((item) => ({ declared: each, live: item })),
  );
  const unclear = inList.filter((each) => meantBy(each) === null);
  const ofSections = gone.filter((each) => !inList.includes(each));
  const isLive = (entry: Declared) => liveAbout(kind, entry, live).length > 0;
  return {
    of,
    noLongerDeclared,
    letGo: [...inList.filter((each) => !isLive(each)), ...ofSections],
    problems: [
      ...unclear.map((each) => notDeleted(kind, entryName(kind, each), zone)),
      ...ofSections.map((each) => noLongerManagedObject(kind, each, base, zone)),
    ],
  };
}

/** Of a kind that the files still have, in another section. */
function noLongerManagedObject(
  kind: Kind,
  before: Declared,
  base: BaseDeclarations,
  zone: WantedZone,
): Problem {
  const was = base.zone?.locate(before.path, "key") ?? null;
  const name = entryName(kind, before);
  const what = before.path.length === 1 ? name : `${before.path[0]} ${JSON.stringify(name)}`;
  const section = sectionIn(kind, zone.sections);
  return noLongerManaged(
    was === null ? what : `${what} (${placeOf(was)})`,
    zone.name,
    zone.locate([section], "key"),
  );
}

function notDeleted({ name, section }: Kind, key: unknown, zone: WantedZone): Problem {
  return {
    code: "not_deleted",
    severity: "warning",
    summary: "No longer declared, and not deleted",
    detail: `The files no longer declare the ${name} ${JSON.stringify(key)} of ${zone.name}, and which live object it is cannot be told, so none is deleted. Delete it at the service, or declare it by its id with ensure: absent.`,
    at: zone.locate([section], "key"),
  };
}

/** Fields that the base has and the files no longer do: nothing is sent for them. */
export function noLongerManagedFields(
  kind: Kind,
  counterparts: readonly (readonly [now: Declared, before: Declared])[],
  base: BaseDeclarations,
  zone: WantedZone,
): readonly Problem[] {
  return counterparts.flatMap(([now, before]) => noLongerManagedOf(kind, before, now, base, zone));
}

function noLongerManagedOf(
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
  const { section, shape } = kind;
  const called = JSON.stringify(entryName(kind, now));
  const name = shape.as === "one" && now.path.length === 1 ? section : `${now.path[0] ?? section} ${called}`;
  const places = fields.map((field) => {
    const at = base.zone?.locate([...before.path, ...field.split(".")], "key") ?? null;
    return at === null ? field : `${field} (${placeOf(at)})`;
  });
  return [noLongerManaged(`${places.join(", ")} of ${name}`, zone.name, zone.locate(now.path, "key"))];
}

/** Sections that the base has and the files no longer do. */
export function noLongerManagedSections(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const removed = kinds
    .filter((kind) => !isManagedIn(kind, zone.sections))
    .flatMap((kind) => sectionsOf(kind).filter((section) => section in base.sections));
  return removed.map((section) => {
    const was = base.locate([section], "key");
    const what = was === null ? section : `${section} (${placeOf(was)})`;
    return noLongerManaged(what, zone.name, at);
  });
}

/** Sections in which the base deletes undeclared objects, and the files do not any more. */
export function noLongerPruned(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const dropped = base.prune.filter((section) => section in zone.sections && !zone.prune.includes(section));
  return dropped.map((section) => {
    const was = base.locate(["prune", base.prune.indexOf(section)]);
    const where = was === null ? "" : ` (${placeOf(was)})`;
    return {
      code: "no_longer_pruned",
      severity: "warning",
      summary: "No longer pruned",
      detail: `${zone.name}: the files no longer prune ${section}${where}. Undeclared objects there stay live.`,
      at,
    };
  });
}

/** Entries of `unmanaged` that the base does not have: what fits them is told no more once the base has them. */
export function noLongerTold(base: WantedZone, zone: WantedZone): readonly Problem[] {
  return Object.entries(newEntries(zone.unmanaged, base.unmanaged)).flatMap(([list, entries]) => {
    const places = new Map((zone.unmanaged[list] ?? []).map((entry, index) => [entry, index]));
    const isPruned = [base, zone].every(({ prune }) => prune.includes(list));
    return entries.map((entry) => {
      const what = isPattern(entry)
        ? `the pattern ${JSON.stringify(entry)} of unmanaged.${list}. From the next change on, undeclared objects that fit it are no drift`
        : `${JSON.stringify(entry)} in unmanaged.${list}. From the next change on, an undeclared object of that name is no drift`;
      const prunes =
        isPruned && isPattern(entry)
          ? " and are not pruned. This change still prunes them: list by name what is to stay."
          : ".";
      return {
        code: "no_longer_told",
        severity: "warning",
        summary: "No longer told",
        detail: `${zone.name}: the base does not have ${what}${prunes}`,
        at: zone.locate(["unmanaged", list, places.get(entry) ?? 0]),
      };
    });
  });
}

/** What the files no longer ask of a zone, or ask in another way. */
export function noLongerTested(base: WantedZone, zone: WantedZone, at: Span): readonly Problem[] {
  const { tests = [] } = zone;
  const gone = (base.tests ?? []).filter(({ body }) => !tests.some((each) => equal(each.body, body)));
  if (gone.length === 0) return [];
  const places = gone.map((test) => placeOf(test.at([])));
  const what = gone.length === 1 ? "a test" : `${gone.length} tests`;
  return [
    {
      code: "no_longer_tested",
      severity: "warning",
      summary: "No longer tested",
      detail: `${zone.name}: the files no longer have ${what} of the base as ${gone.length === 1 ? "it was" : "they were"}: ${places.join(", ")}.`,
      at,
    },
  ];
}

/** Sections that may be missing from the zone's Cloudflare plan without an error, and could not be in the base. */
export function noLongerRequired(base: WantedZone, zone: WantedZone): readonly Problem[] {
  return zone.optional.flatMap((section, index) =>
    base.optional.includes(section)
      ? []
      : [
          {
            code: "no_longer_required",
            severity: "warning",
            summary: "Newly optional",
            detail: `${zone.name}: the base requires ${section}. From now on it is no error where the zone's Cloudflare plan does not have it.`,
            at: zone.locate(["optional", index]),
          },
        ],
  );
}

/** @param what with the lines of the base that are gone */
export function noLongerManaged(what: string, zone: string, at: Span | null): Problem {
  return {
    code: "no_longer_managed",
    severity: "warning",
    summary: "No longer managed",
    detail: `${zone}: the files no longer have ${what}. What is live stays as it is, and no change of it is noticed any more. To remove it, declare that it is to be gone.`,
    at,
  };
}

/** A place in the base, which is not where the files are now. */
export function placeOf({ file, line }: Span): string {
  return `${file}:${line} in the base`;
}
