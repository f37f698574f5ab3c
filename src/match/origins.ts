import { defaultsOf, isSame, namesWith } from "../kinds/fields.js";
import type { Kind, Live } from "../kinds/kind.js";
import { hasSensitive, mayBeSensitive } from "../kinds/sensitive.js";
import { type Item, type Origin, type Origins, originOf, type Triple } from "../model/item.js";

import { equal, type JsonObject } from "../model/json.js";
import { isSecret, isSensitive, type Sealed, type SealedObject, type Sensitive } from "../model/sealed.js";
import type { Declared } from "../model/wanted.js";
import { withoutReferences, withoutSensitive } from "./seal.js";

/** The three states of one object, before anything of them is sealed. */
export interface Three {
  /** Null: the base does not declare it. */
  readonly base: Declared | null;
  /** Null: the files do not declare it. */
  readonly want: Declared | null;
  /** Null: it is not live. */
  readonly live: Item | null;
}

/**
 * The triples of one object with what the base says of it, and with where their differences come from.
 *
 * @param secretFields what the base has as secrets in objects of the kind
 * @param context in the terms of the base
 */
export function withOrigins(
  kind: Kind,
  triples: readonly Triple[],
  { base, want, live }: Three,
  context: Live["context"],
  lacks: boolean,
  secretFields: ReadonlySet<string>,
): readonly Triple[] {
  if (triples.length === 0) return triples;
  // What is live is read in the terms of what is declared: for the base, of what the base declares.
  const seen = live === null ? null : inTermsOf(base, kind, live, context);
  const own = saidOf(kind, base, live === null || seen === null ? null : { ...live, normal: seen });
  const said = { base: own, want: saidOf(kind, want, live), live: seen };
  const defaults = (each: Declared | null) => defaultsOf(kind.fields, each?.body ?? {}, context);
  const all =
    base?.body.ensure === "absent" ? originsOfUnwanted(said) : originsOf(kind, said, defaults(want ?? base));
  const [one] = triples;
  const known = withUnknown(all, own ?? {}, lacks || hasSensitive(kind));
  const isReplaced = one?.replaces !== undefined;
  const origins = isReplaced ? { ...known, rest: fixedOrigin(kind, said, known) } : known;
  const item =
    base === null || own === null
      ? null
      : baseItem(kind, base, said, defaults(base), live, one, secretFields);
  const read = base === null || seen === null ? {} : { inTermsOfBase: seen };
  return triples.map((each) => ({ ...each, ...read, base: item, origins }));
}

/** Fields of the base whose variables are not set: what they were is not known. */
function withUnknown(origins: Origins, own: SealedObject, mayLack: boolean): Origins {
  if (!mayLack) return origins;
  const lacking = Object.keys(own).filter((field) => isOpen(own[field]));
  const unknown = Object.fromEntries(lacking.map((field) => [field, "unknown"] as const));
  return { ...origins, fields: { ...origins.fields, ...unknown } };
}

/** Whether a value has a reference where something from outside would be that is not set. */
export function isOpen(value: Sealed | undefined): boolean {
  return /\$\{(?:env|secret):/.test(JSON.stringify(value ?? null));
}

/** The fields that a declared object owns. Null: it is declared as absent, or not at all. */
function saidOf(kind: Kind, declared: Declared | null, live: Item | null): SealedObject | null {
  return declared === null || declared.body.ensure === "absent" ? null : kind.toDesired(declared.body, live);
}

export function inTermsOf(
  base: Declared | null,
  kind: Kind,
  live: Item,
  context: Live["context"],
): SealedObject {
  const normal = base === null || live.raw === null ? null : kind.normalOf(live.raw, context, [base]);
  return normal === null ? live.normal : withoutReferences({ ...live, normal }).normal;
}

interface Said {
  readonly base: SealedObject | null;
  readonly want: SealedObject | null;
  readonly live: SealedObject | null;
}

/** The base says ensure: absent. Where the object is live all the same, it was created outside the files. */
function originsOfUnwanted({ want, live }: Said): Origins {
  if (live === null) return { fields: {}, rest: "declared" };
  return { fields: {}, rest: want === null ? "drift" : "conflict" };
}

function originsOf(kind: Kind, { base, want, live }: Said, ofNew: JsonObject): Origins {
  if (base === null) return { fields: {}, rest: "declared" };
  // Where it has to be made, it gets the defaults, whether or not the files say them.
  const defaults = live === null ? ofNew : {};
  const before: SealedObject = { ...defaults, ...base };
  const now: SealedObject | null = want === null ? null : { ...defaults, ...want };
  const asLive = (field: string) => live !== null && same(kind, field, before, live);
  const asWant = (field: string) => now !== null && same(kind, field, before, now);
  const origin = (field: string): Origin => {
    if (!(field in before)) return live === null ? "conflict" : "declared";
    if (asWant(field)) return "drift";
    return asLive(field) ? "declared" : "conflict";
  };
  const different = Object.keys({ ...before, ...now }).filter((field) => !asLive(field) || !asWant(field));
  return {
    fields: Object.fromEntries(different.map((field) => [field, origin(field)])),
    rest: live === null ? "drift" : "declared",
  };
}

function same(kind: Kind, field: string, a: SealedObject, b: SealedObject): boolean {
  return isSame(a[field] ?? null, b[field] ?? null, kind.fields[field]);
}

/** What cannot change in place is replaced because of the fields that cannot. */
function fixedOrigin(kind: Kind, { want, live }: Said, origins: Origins): Origin {
  const fixed = namesWith(kind.fields, "fixed").find(
    (field) => want !== null && live !== null && field in want && !same(kind, field, want, live),
  );
  return fixed === undefined ? origins.rest : originOf(origins, fixed);
}

/** For what it does for protection, held against what is live. */
function baseItem(
  kind: Kind,
  { path }: Declared,
  { base, want, live: seen }: Said,
  defaults: JsonObject,
  live: Item | null,
  triple: Triple | undefined,
  secretFields: ReadonlySet<string>,
): Item {
  const own = base ?? {};
  const shown = triple?.live?.normal ?? null;
  const rest = seen === null ? { ...own, ...defaults } : (shown ?? seen);
  const ref = triple?.want?.ref ?? triple?.live?.ref ?? { kind: kind.name, key: kind.name, id: null };
  const sensitive = Object.keys(own).filter((field) => mayBeSensitive(kind, field));
  const sealed = sensitive.flatMap((field): readonly (readonly [string, Sealed])[] => {
    const isDropped = isOpen(own[field]) && want !== null && !(field in want);
    const isRewritten = isOpen(own[field]) && want !== null && !equal(want[field], own[field]);
    if (isRewritten && !isDropped) return [[field, NOT_COMPARED]];
    const isLive = seen !== null && !isDropped && (isOpen(own[field]) || same(kind, field, own, seen));
    if (isLive) return shown !== null && field in shown ? [[field, shown[field] ?? null]] : [];
    // What is no secret in the base, and is shown as it is live, is told as the base has it.
    const isShown = shown !== null && !secretFields.has(field) && !isSealed(shown[field]);
    const hidden = seen === null ? asWanted(kind, field, own, want) : otherThan(shown?.[field], own[field]);
    const value = isShown ? own[field] : hidden;
    return value === undefined ? [] : [[field, value]];
  });
  const open = withoutSensitive(kind, { ref, normal: own, raw: null, owns: "nothing", at: path }).normal;
  const normal = { ...withoutFields(rest, sensitive), ...open, ...Object.fromEntries(sealed) };
  return { ref, normal, raw: live?.raw ?? null, owns: Object.keys(own), at: path };
}

/** What the base took from a variable that is not set, and the files write otherwise: it may have been anything. */
const NOT_COMPARED: Sensitive = { $sensitive: "not_compared" };

/** What stands for a sensitive value of the base that is not the live one: that it is another one is all that counts. */
function otherThan(shown: Sealed | undefined, own: Sealed | undefined): Sensitive {
  if (own === undefined || own === null || own === "") return { $sensitive: "absent" };
  const isDeclared = shown !== undefined && isSensitive(shown) && shown.$sensitive === "same";
  return { $sensitive: isDeclared ? "different" : "same" };
}

/** What stands for a sensitive value of the base where nothing is live: how it stands to what the files say. */
function asWanted(kind: Kind, field: string, own: SealedObject, want: SealedObject | null): Sensitive {
  if ((own[field] ?? "") === "") return { $sensitive: "absent" };
  const isOther = want !== null && field in want && !same(kind, field, own, want);
  return { $sensitive: isOther ? "different" : "same" };
}

function isSealed(value: Sealed | undefined): boolean {
  return value === undefined || isSensitive(value) || isSecret(value);
}

function withoutFields(normal: SealedObject, fields: readonly string[]): SealedObject {
  return Object.fromEntries(Object.entries(normal).filter(([field]) => !fields.includes(field)));
}
