import { defaultsOf, namesWith, sameField } from "../kinds/fields.js";
import { entryName, impliedIn, isCreated, isManagedIn, type Kind, nameField } from "../kinds/kind.js";
import { mayBeSensitive } from "../kinds/secret-fields.js";
import type { Declared } from "../model/declared-zone.js";
import {
  DECLARED,
  type Item,
  type NewlyDeclared,
  type Origins,
  originOf,
  type Path,
  type Triple,
  withOrigin,
} from "../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject, pick, pickBy, without } from "../model/json.js";
import { DIFFERENT, NOT_COMPARED, type SealedObject } from "../model/sealed.js";
import type { BaseOf } from "./base.js";
import type { Comparing } from "./keyed-pairs.js";
import type { Three } from "./origins.js";
import { withoutSensitive } from "./seal.js";

/**
 * Differences between the files and the base that are live already, so no call is needed. The `live` of these triples is
 * the base over the live state, so that a triple means the change of the files.
 *
 * A field that the base does not declare counts as its default, or as absent where it has none.
 */
export function takenOver(base: BaseOf, triples: readonly Triple[], three: Three): readonly Triple[] {
  const { want: entry, base: formerEntry, live } = three;
  // Both the base and the files want the object, or one of them wants it gone.
  if (entry?.body.ensure === "absent" && live === null && formerEntry !== null)
    return formerEntry.body.ensure === "absent" ? [] : [goneFromBoth(base, formerEntry, entry.path)];
  return triples.flatMap((triple) => takenOverIn(base, triple, three) ?? []);
}

/** Null: nothing of the object. */
function takenOverIn(base: BaseOf, triple: Triple, three: Three): Triple | null {
  const { kind } = base;
  const { base: before, want, live, replaces } = triple;
  if (want === null || live === null || replaces !== undefined) return null;
  const pending = Object.keys(want.normal).filter((field) => isPending(kind, triple, field));
  const now: Item = { ...want, normal: withFields(want.normal, live.normal, pending) };
  const origins = before === null ? originsOfNew(base) : IN_CONFLICT;
  if (before === null && isCreated(kind))
    return { base: null, want: withHidden(kind, now), live: null, origins };
  const former = declaredBefore(base, before, three.base);
  const seen = (three.base === null ? null : three.seen) ?? {};
  const moved = movedFrom(former, kind, triple, seen);
  const liveNow = { ...live.normal, ...moved };
  const isTaken = (field: string) =>
    !pending.includes(field) &&
    kind.fields[field]?.writeOnly !== true &&
    !sameField(kind, field, former, liveNow);
  const fields = [...new Set([...ownedBy(before), ...ownedBy(want)])].filter(isTaken);
  const [readBefore, readNow] = movedReading(kind, bodyBefore(before, three.base), three.want?.body ?? {});
  if (fields.length === 0 && Object.keys(readNow).length === 0) return null;
  const formerFields = { ...withFields(live.normal, former, fields), ...readBefore };
  const dropped = fields.filter((field) => !ownedBy(want).includes(field));
  const unknownFields = dropped.filter((field) => originOf(triple.origins, field) === "unknown");
  const marks = marksOf(kind, want, seen, dropped, unknownFields);
  const shown = { ...marks, ...pickBy(moved, (_, field) => fields.includes(field)), ...readNow };
  const newlyDeclared = newlyDeclaredIn(kind, triple, triple.inBase ?? null);
  return {
    base: before,
    want: { ...now, normal: { ...now.normal, ...shown } },
    live: underName(kind, { ...live, normal: formerFields, at: null }, fields),
    origins: withOrigin(origins, unknownFields, "unknown"),
    newlyDeclared: newlyDeclared.filter(({ field }) => fields.includes(field)),
    notCompared: unknownFields.map(whyOpen),
  };
}

/** The live values of dropped fields are hidden where they may be sensitive. */
function marksOf(
  kind: Kind,
  want: Item,
  seen: SealedObject,
  dropped: readonly string[],
  unknownFields: readonly string[],
): SealedObject {
  const isHidden = (field: string) =>
    (seen[field] ?? null) !== null && mayBeSensitive(kind, field) && want.normal[field] === undefined;
  const markOf = (field: string) => (unknownFields.includes(field) ? NOT_COMPARED : DIFFERENT);
  return Object.fromEntries(dropped.filter(isHidden).map((field) => [field, markOf(field)]));
}

export function whyOpen(field: string): string {
  return `the base takes ${field} from a variable that is not set`;
}

/**
 * Adds to each triple its object as the base has it. The change of the files is judged from there, whatever was
 * done to the live object since.
 */
export function withBaseObjects(
  base: BaseOf,
  triples: readonly Triple[],
  formerEntry: Declared | null,
): readonly Triple[] {
  const { kind } = base;
  return triples.map((triple) => {
    if (triple.replaces === "made") return triple;
    const inBase = baseObjectOf(base, triple, formerEntry);
    const newlyDeclared = newlyDeclaredIn(kind, triple, inBase).filter(({ field }) =>
      isPending(kind, triple, field),
    );
    return { ...triple, inBase, ...(newlyDeclared.length === 0 ? {} : { newlyDeclared }) };
  });
}

function baseObjectOf(
  base: BaseOf,
  { base: before, want, live }: Triple,
  formerEntry: Declared | null,
): Item | null {
  const start = before ?? (isCreated(base.kind) ? null : live);
  if (start === null) return null;
  const former = declaredBefore(base, before, formerEntry);
  // For a deleted object: all fields that a new object would have.
  const judged = want === null ? Object.keys(former) : ownedBy(want);
  const added = judged.filter((field) => !ownedBy(before).includes(field));
  return { ...start, normal: withFields(start.normal, former, added) };
}

function isPending(kind: Kind, { want, live }: Triple, field: string): boolean {
  return !sameField(kind, field, live?.normal ?? {}, want?.normal ?? {});
}

function newlyDeclaredIn(kind: Kind, { want, live }: Triple, inBase: Item | null): readonly NewlyDeclared[] {
  if (live === null || inBase === null) return [];
  return ownedBy(want).flatMap((field) => {
    const [baseValue, liveValue, wantedValue] = [inBase, live, want].map(
      (item) => item?.normal[field] ?? null,
    );
    if (liveValue === undefined || wantedValue === undefined || kind.fields[field]?.writeOnly === true)
      return [];
    if (baseValue === undefined || baseValue === null)
      return hasPartOf(liveValue as Json, wantedValue as Json) ? [{ field, name: field }] : []; // a reference is JSON
    if (!isObject(baseValue) || !isObject(liveValue) || !isObject(wantedValue)) return [];
    return Object.keys(wantedValue)
      .filter(
        (member) =>
          !(member in baseValue) && member in liveValue && equal(liveValue[member], wantedValue[member]),
      )
      .map((member) => ({ field, name: `${field}.${member}` }));
  });
}

/** Whether a wanted value, or an entry or member of it, is live already. */
function hasPartOf(live: Json, wanted: Json): boolean {
  if (live === null) return false;
  if (equal(live, wanted)) return true;
  if (isList(live) && isList(wanted)) return wanted.some((entry) => live.some((each) => equal(each, entry)));
  if (!isObject(live) || !isObject(wanted)) return false;
  return Object.keys(wanted).some((member) => member in live && equal(live[member], wanted[member]));
}

/**
 * Fields that were changed outside, and whose live values read differently in the terms of the base: the files may name
 * another rule as the one that has the threshold.
 */
function movedFrom(
  former: SealedObject,
  kind: Kind,
  { base, live }: Triple,
  seen: SealedObject,
): SealedObject {
  const fields = ownedBy(base).filter(
    (field) =>
      field in seen &&
      !mayBeSensitive(kind, field) &&
      !sameField(kind, field, live?.normal ?? {}, seen) &&
      !sameField(kind, field, former, seen),
  );
  return pick(seen, fields);
}

/** Changed fields that say how the live object is read. */
function movedReading(
  { fields }: Kind,
  before: JsonObject,
  now: JsonObject,
): readonly [before: JsonObject, now: JsonObject] {
  const moved = namesWith(fields, "readsLive").filter((key) => !equal(before[key] ?? null, now[key] ?? null));
  const valuesIn = (body: JsonObject) => Object.fromEntries(moved.map((key) => [key, body[key] ?? null]));
  return [valuesIn(before), valuesIn(now)];
}

/** Adds marks for fields of a new object that are undeclared and always secret, such as a destination. */
function withHidden({ fields }: Kind, item: Item): Item {
  const hidden = namesWith(fields, "required").filter(
    (field) => fields[field]?.secret === "always" && !(field in item.normal),
  );
  const hiddenFields = hidden.map((field) => [field, DIFFERENT] as const);
  return { ...item, normal: { ...item.normal, ...Object.fromEntries(hiddenFields) } };
}

/** An entry as a new object. */
export function itemOf(
  { kind, context }: Pick<Comparing, "kind" | "context">,
  { body, path }: Declared,
  at: Path,
) {
  const desired = kind.toDesired(body, null);
  const defaults = defaultsOf(kind.fields, body, context);
  return {
    ref: { kind: kind.name, key: entryName(kind, { body, path }), id: null },
    normal: { ...desired, ...defaults, ...desired },
    raw: null,
    owns: Object.keys(desired),
    at,
  };
}

/** An object that only the base has: neither declared nor live any more. */
export function goneFromBoth(base: BaseOf, before: Declared, at: Path): Triple {
  const item = withoutSensitive(base.kind, itemOf(base, before, at));
  return { base: { ...item, at: before.path }, want: null, live: item, origins: IN_CONFLICT };
}

/** Both the files and the live state were changed, to the same state. */
export const IN_CONFLICT: Origins = { fields: {}, rest: "conflict" };

/** A live object in a section that the base does not manage is no drift. */
function originsOfNew({ kind, zone }: BaseOf): Origins {
  return isManagedIn(kind, zone.sections) ? IN_CONFLICT : DECLARED;
}

function ownedBy(item: Item | null): readonly string[] {
  return item !== null && Array.isArray(item.owns) ? item.owns : [];
}

/** An entry that declares the object as absent has no body. */
function bodyBefore(before: Item | null, formerEntry: Declared | null): JsonObject {
  return before === null ? {} : (formerEntry?.body ?? {});
}

/** The fields of an object as the base declares them; undeclared ones as in a new object. */
function declaredBefore(
  { kind, context }: BaseOf,
  before: Item | null,
  formerEntry: Declared | null,
): SealedObject {
  const body = bodyBefore(before, formerEntry);
  const owned = ownedBy(before).map((field) => [field, before?.normal[field] ?? null] as const);
  return { ...impliedIn(kind), ...defaultsOf(kind.fields, body, context), ...Object.fromEntries(owned) };
}

/** Gives a renamed object its former name as its key. */
function underName(kind: Kind, item: Item, changed: readonly string[]): Item {
  const { name } = kind.keys.live(item);
  if (name === null || !changed.includes(nameField(kind) ?? "")) return item;
  return { ...item, ref: { ...item.ref, key: name } };
}

/** Takes these fields from another object. Fields that the other object lacks are removed. */
function withFields(normal: SealedObject, other: SealedObject, fields: readonly string[]): SealedObject {
  return { ...without(normal, fields), ...pick(other, fields) };
}
