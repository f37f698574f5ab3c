import { defaultsOf, isSame, namesWith } from "../kinds/fields.js";
import { nameIn } from "../kinds/keys.js";
import { entryName, impliedIn, isCreated, isManagedIn, type Kind, type Live } from "../kinds/kind.js";
import { mayBeSensitive } from "../kinds/sensitive.js";
import {
  type Item,
  type NewlyDeclared,
  type Origins,
  originOf,
  type Path,
  type Triple,
} from "../model/item.js";
import { equal, isList, isObject, type Json, type JsonObject } from "../model/json.js";
import type { Sealed, SealedObject, Sensitive } from "../model/sealed.js";
import type { Declared } from "../model/wanted.js";
import type { BaseDeclarations } from "./base.js";
import { withoutSensitive } from "./seal.js";

/**
 * What the files say otherwise than the base, and is live already: it changes without a call. Its `live` is what the base
 * says, and what is live where the base says nothing, so that such a triple means what the files change.
 *
 * A field that the base does not declare counts as its default, or as absent where it has none.
 */
export function takenOver(
  kind: Kind,
  triples: readonly Triple[],
  declared: readonly Declared[],
  base: BaseDeclarations,
  context: Live["context"],
): readonly Triple[] {
  return triples.flatMap((triple): readonly Triple[] => {
    const { base: before, want, live, replaces } = triple;
    if (want === null || live === null || replaces !== undefined) return [];
    const isAlike = (a: SealedObject, b: SealedObject, field: string) =>
      isSame(a[field] ?? null, b[field] ?? null, kind.fields[field]);
    const pending = Object.keys(want.normal).filter((field) => isPending(kind, triple, field));
    const after: Item = { ...want, normal: withFields(want.normal, live.normal, pending) };
    const origins = before === null ? originsOfNew(kind, base) : IN_CONFLICT;
    if (before === null && isCreated(kind))
      return [{ base: null, want: withHidden(kind, after), live: null, origins }];
    const former = declaredBefore(kind, base, before, context);
    const reread = readAsBefore(kind, triple);
    const moved = Object.fromEntries(
      Object.entries(reread).filter(([field]) => !isAlike(former, reread, field)),
    );
    const now = { ...live.normal, ...moved };
    const taken = [...new Set([...ownedBy(before), ...ownedBy(want)])].filter(
      (field) =>
        !pending.includes(field) && kind.fields[field]?.writeOnly !== true && !isAlike(former, now, field),
    );
    const [readBefore, readNow] = movedReading(kind, bodyOf(before, base.declared), bodyOf(want, declared));
    if (taken.length === 0 && Object.keys(readNow).length === 0) return [];
    const was = { ...live, normal: { ...withFields(live.normal, former, taken), ...readBefore }, at: null };
    const others = Object.entries(moved).filter(([field]) => taken.includes(field));
    const dropped = taken.filter((field) => !ownedBy(want).includes(field));
    const open = dropped.filter((field) => originOf(triple.origins, field) === "unknown");
    const unseen = dropped
      .filter((field) => isHidden(kind, triple, field))
      .map((field) => [field, open.includes(field) ? NOT_COMPARED : DIFFERENT] as const);
    const known = Object.fromEntries([...unseen, ...others]);
    const is = { ...after, normal: { ...after.normal, ...known, ...readNow } };
    const newlyDeclared = newlyDeclaredIn(kind, triple, triple.past ?? null).filter(({ field }) =>
      taken.includes(field),
    );
    return [
      {
        base: before,
        want: is,
        live: underName(kind, was, taken),
        origins: withUnknown(origins, open),
        newlyDeclared,
        notCompared: open.map(whyOpen),
      },
    ];
  });
}

/** Whether a live object has a field that is not shown where the files do not declare it. */
function isHidden(kind: Kind, { want, inTermsOfBase = {} }: Triple, field: string): boolean {
  const isLive = (inTermsOfBase[field] ?? null) !== null;
  return isLive && mayBeSensitive(kind, field) && want?.normal[field] === undefined;
}

/** The live value is not as the base has it, or it would not be told. */
const DIFFERENT: Sensitive = { $sensitive: "different" };
const NOT_COMPARED: Sensitive = { $sensitive: "not_compared" };

/** Why a field is not compared that the base takes from outside the files. */
export function whyOpen(field: string): string {
  return `what the base takes for ${field} from the environment is not set`;
}

/**
 * Triples with what the base has in their place: what the files change is judged from there, whatever was done to the live
 * object since.
 */
export function withPast(
  kind: Kind,
  triples: readonly Triple[],
  base: BaseDeclarations,
  context: Live["context"],
): readonly Triple[] {
  return triples.map((triple) => {
    if (triple.replaces === "made") return triple;
    const past = pastOf(kind, triple, base, context);
    const newly = newlyDeclaredIn(kind, triple, past).filter(({ field }) => isPending(kind, triple, field));
    return { ...triple, past, ...(newly.length === 0 ? {} : { newlyDeclared: newly }) };
  });
}

function pastOf(
  kind: Kind,
  { base: before, want, live }: Triple,
  base: BaseDeclarations,
  context: Live["context"],
): Item | null {
  const start = before ?? (isCreated(kind) ? null : live);
  if (start === null) return null;
  const former = declaredBefore(kind, base, before, context);
  // Of what goes, all that a new object would have.
  const judged = want === null ? Object.keys(former) : ownedBy(want);
  const added = judged.filter((field) => !ownedBy(before).includes(field));
  return { ...start, normal: withFields(start.normal, former, added) };
}

/** Whether a field of a live object is to become another one. */
function isPending({ fields }: Kind, { want, live }: Triple, field: string): boolean {
  return !isSame(live?.normal[field] ?? null, want?.normal[field] ?? null, fields[field]);
}

function newlyDeclaredIn(kind: Kind, { want, live }: Triple, past: Item | null): readonly NewlyDeclared[] {
  if (live === null || past === null) return [];
  return ownedBy(want).flatMap((field) => {
    const [was, is, wanted] = [past, live, want].map((item) => item?.normal[field] ?? null);
    if (is === undefined || wanted === undefined || kind.fields[field]?.writeOnly === true) return [];
    if (was === undefined || was === null)
      return hasPartOf(is as Json, wanted as Json) ? [{ field, name: field }] : []; // a reference is JSON
    if (!isObject(was) || !isObject(is) || !isObject(wanted)) return [];
    return Object.keys(wanted)
      .filter((member) => !(member in was) && member in is && equal(is[member], wanted[member]))
      .map((member) => ({ field, name: `${field}.${member}` }));
  });
}

/** Whether some of a wanted value is live already: the value as a whole, or an entry or a member of it. */
function hasPartOf(live: Json, wanted: Json): boolean {
  if (live === null) return false;
  if (equal(live, wanted)) return true;
  if (isList(live) && isList(wanted)) return wanted.some((entry) => live.some((each) => equal(each, entry)));
  if (!isObject(live) || !isObject(wanted)) return false;
  return Object.keys(wanted).some((member) => member in live && equal(live[member], wanted[member]));
}

/**
 * Fields of the base that the live object has otherwise by the base's own words: files may name another rule as the one
 * that has the threshold.
 */
function readAsBefore(kind: Kind, { base, live, inTermsOfBase = {} }: Triple): SealedObject {
  const fields = ownedBy(base).filter(
    (field) =>
      field in inTermsOfBase &&
      !mayBeSensitive(kind, field) &&
      !isSame(live?.normal[field] ?? null, inTermsOfBase[field] ?? null, kind.fields[field]),
  );
  return Object.fromEntries(fields.map((field) => [field, inTermsOfBase[field] ?? null]));
}

/** What says how the live object is read, where the files say that otherwise than the base. */
function movedReading(
  { fields }: Kind,
  before: JsonObject,
  now: JsonObject,
): readonly [before: JsonObject, now: JsonObject] {
  const moved = namesWith(fields, "readsLive").filter((key) => !equal(before[key] ?? null, now[key] ?? null));
  const of = (body: JsonObject) => Object.fromEntries(moved.map((key) => [key, body[key] ?? null]));
  return [of(before), of(now)];
}

function bodyOf(item: Item | null, declared: readonly Declared[]): JsonObject {
  return declared.find(({ path }) => equal(path, item?.at ?? null))?.body ?? {};
}

/** A new object with what it has that the files do not say and nobody may see, such as where it sends. */
function withHidden({ fields }: Kind, item: Item): Item {
  const hidden = namesWith(fields, "required").filter(
    (field) => fields[field]?.secret === "always" && !(field in item.normal),
  );
  const unseen = hidden.map((field) => [field, { $sensitive: "different" }] as const);
  return { ...item, normal: { ...item.normal, ...Object.fromEntries(unseen) } };
}

/** An entry of the base as it would be made. */
export function itemOf(kind: Kind, { body, path }: Declared, at: Path, context: Live["context"]): Item {
  const own = kind.toDesired(body, null);
  const defaults = defaultsOf(kind.fields, body, context);
  return {
    ref: { kind: kind.name, key: entryName(kind, { body, path }), id: null },
    normal: { ...own, ...defaults, ...own },
    raw: null,
    owns: Object.keys(own),
    at,
  };
}

/** What the base declares, and neither the files nor the live state have any more. */
export function goneFromBoth(kind: Kind, before: Declared, at: Path, context: Live["context"]): Triple {
  const item = withoutSensitive(kind, itemOf(kind, before, at, context));
  return { base: { ...item, at: before.path }, want: null, live: item, origins: IN_CONFLICT };
}

/** Both the files and the live state were changed, to the same. */
export const IN_CONFLICT: Origins = { fields: {}, rest: "conflict" };

/** Origins of which those of some fields are not known. */
export function withUnknown({ fields, rest }: Origins, open: readonly string[]): Origins {
  const unknown = Object.fromEntries(open.map((field) => [field, "unknown"] as const));
  return { fields: { ...fields, ...unknown }, rest };
}

/** What is live in a section that the base does not manage is no drift. */
function originsOfNew(kind: Kind, { zone }: BaseDeclarations): Origins {
  const isManaged = zone !== null && isManagedIn(kind, zone.sections);
  return isManaged ? IN_CONFLICT : { fields: {}, rest: "declared" };
}

function ownedBy(item: Item | null): readonly string[] {
  return item !== null && Array.isArray(item.owns) ? item.owns : [];
}

/** The fields that the base declares of an object. The others are as they would be in a new one. */
function declaredBefore(
  kind: Kind,
  { declared }: BaseDeclarations,
  before: Item | null,
  context: Live["context"],
): SealedObject {
  const body = bodyOf(before, declared);
  const own = ownedBy(before).map((field) => [field, before?.normal[field] ?? null] as const);
  return { ...impliedIn(kind), ...defaultsOf(kind.fields, body, context), ...Object.fromEntries(own) };
}

/** An object whose name was another one is called by that. */
function underName({ shape }: Kind, item: Item, changed: readonly string[]): Item {
  const { name } = nameIn(shape, item.normal);
  if (shape.as === "one" || name === null || !changed.includes(shape.named)) return item;
  return { ...item, ref: { ...item.ref, key: name } };
}

/** An object with these fields as in another one: without those that the other one does not have. */
function withFields(normal: SealedObject, other: SealedObject, fields: readonly string[]): SealedObject {
  const kept = Object.entries(normal).filter(([field]) => !fields.includes(field));
  const taken = fields.flatMap((field): readonly (readonly [string, Sealed])[] =>
    field in other ? [[field, other[field] ?? null]] : [],
  );
  return Object.fromEntries([...kept, ...taken]);
}
