import { defaultsOf, namesWith, sameField } from "../kinds/fields.js";
import type { Kind } from "../kinds/kind.js";
import { hasSensitive, mayBeSensitive } from "../kinds/secret-fields.js";
import type { Declared } from "../model/declared-zone.js";
import {
  DECLARED,
  type Item,
  type Origin,
  type Origins,
  originOf,
  type Triple,
  withOrigin,
} from "../model/item.js";
import { equal, type JsonObject, without } from "../model/json.js";
import {
  isSecret,
  isSensitive,
  NOT_COMPARED,
  type Sealed,
  type SealedObject,
  type Sensitive,
} from "../model/sealed.js";
import type { BaseOf } from "./base.js";
import { withoutReferences, withoutSensitive } from "./seal.js";

/** The three states of one object, before secrets are sealed. */
interface States {
  /** Null: the base does not declare it. */
  readonly base: Declared | null;
  /** Null: the files do not declare it. */
  readonly want: Declared | null;
  /** Null: the object is not live. */
  readonly live: Item | null;
}

export interface Three extends States {
  /** The fields of the live object as the declaration of the base reads them. Null: the object is not live. */
  readonly seen: SealedObject | null;
}

export function threeOf(baseOfKind: BaseOf, states: States): Three {
  const { base, live } = states;
  return { ...states, seen: live === null ? null : inTermsOf(baseOfKind, base, live) };
}

/** Adds the base and the origins of all differences to the triples of one object. */
export function withOrigins(
  baseOfKind: BaseOf,
  triples: readonly Triple[],
  { base, want, live, seen }: Three,
): readonly Triple[] {
  if (triples.length === 0) return triples;
  const { kind, context, lacks } = baseOfKind;
  const baseFields = desiredOf(kind, base, live === null || seen === null ? null : { ...live, normal: seen });
  const states = { base: baseFields, want: desiredOf(kind, want, live), live: seen };
  const defaults = (each: Declared | null) => defaultsOf(kind.fields, each?.body ?? {}, context);
  const allOrigins =
    base?.body.ensure === "absent"
      ? originsOfUnwanted(states)
      : originsOf(kind, states, defaults(want ?? base));
  const [firstTriple] = triples;
  const mayLack = lacks || hasSensitive(kind);
  const unset = Object.keys(baseFields ?? {}).filter((field) => mayLack && isOpen(baseFields?.[field]));
  const known = withOrigin(allOrigins, unset, "unknown");
  const isReplaced = firstTriple?.replaces !== undefined;
  const origins = isReplaced ? { ...known, rest: fixedOrigin(kind, states, known) } : known;
  const item =
    base === null || baseFields === null
      ? null
      : baseItem(baseOfKind, base, states, defaults(base), live, firstTriple);
  return triples.map((each) => ({ ...each, base: item, origins }));
}

/** Whether a value still has a reference to a variable that is not set. */
export function isOpen(value: Sealed | undefined): boolean {
  return /\$\{(?:env|secret):/.test(JSON.stringify(value ?? null));
}

/** The fields that a declared object owns. Null: the object is declared as absent, or undeclared. */
function desiredOf(kind: Kind, declared: Declared | null, live: Item | null): SealedObject | null {
  return declared === null || declared.body.ensure === "absent" ? null : kind.toDesired(declared.body, live);
}

export function inTermsOf({ kind, context }: BaseOf, base: Declared | null, live: Item): SealedObject {
  const normal = base === null || live.raw === null ? null : kind.normalOf(live.raw, context, [base]);
  return normal === null ? live.normal : withoutReferences({ ...live, normal }).normal;
}

interface Compared {
  readonly base: SealedObject | null;
  readonly want: SealedObject | null;
  readonly live: SealedObject | null;
}

/** For `ensure: absent` in the base. A live object was then created outside the files. */
function originsOfUnwanted({ want, live }: Compared): Origins {
  if (live === null) return DECLARED;
  return { fields: {}, rest: want === null ? "drift" : "conflict" };
}

function originsOf(kind: Kind, { base, want, live }: Compared, newDefaults: JsonObject): Origins {
  if (base === null) return DECLARED;
  // A new object gets the defaults, also of fields that are undeclared.
  const defaults = live === null ? newDefaults : {};
  const before: SealedObject = { ...defaults, ...base };
  const now: SealedObject | null = want === null ? null : { ...defaults, ...want };
  const asLive = (field: string) => live !== null && sameField(kind, field, before, live);
  const asWant = (field: string) => now !== null && sameField(kind, field, before, now);
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

/** The origin of a replacement is that of the field that cannot change in place. */
function fixedOrigin(kind: Kind, { want, live }: Compared, origins: Origins): Origin {
  const fixed = namesWith(kind.fields, "fixed").find(
    (field) => want !== null && live !== null && field in want && !sameField(kind, field, want, live),
  );
  return fixed === undefined ? origins.rest : originOf(origins, fixed);
}

/** The object of the base, as its protection is compared with that of the live object. */
function baseItem(
  { kind, secretFields }: BaseOf,
  { path }: Declared,
  { base, want, live: seen }: Compared,
  defaults: JsonObject,
  live: Item | null,
  triple: Triple | undefined,
): Item {
  const baseFields = base ?? {};
  const shown = triple?.live?.normal ?? null;
  const rest = seen === null ? { ...baseFields, ...defaults } : (shown ?? seen);
  const ref = triple?.want?.ref ?? triple?.live?.ref ?? { kind: kind.name, key: kind.name, id: null };
  const sensitive = Object.keys(baseFields).filter((field) => mayBeSensitive(kind, field));
  const sealed = sensitive.flatMap((field): readonly (readonly [string, Sealed])[] => {
    const isDropped = isOpen(baseFields[field]) && want !== null && !(field in want);
    const isRewritten = isOpen(baseFields[field]) && want !== null && !equal(want[field], baseFields[field]);
    // The base took the value from a variable that is not set, and the files have another text.
    if (isRewritten && !isDropped) return [[field, NOT_COMPARED]];
    const isLive =
      seen !== null && !isDropped && (isOpen(baseFields[field]) || sameField(kind, field, baseFields, seen));
    if (isLive) return shown !== null && field in shown ? [[field, shown[field] ?? null]] : [];
    // A value that is no secret, neither in the base nor live, may be shown.
    const isShown = shown !== null && !secretFields.has(field) && !isSealed(shown[field]);
    const hidden =
      seen === null ? asWanted(kind, field, baseFields, want) : otherThan(shown?.[field], baseFields[field]);
    const value = isShown ? baseFields[field] : hidden;
    return value === undefined ? [] : [[field, value]];
  });
  const open = withoutSensitive(kind, {
    ref,
    normal: baseFields,
    raw: null,
    owns: "nothing",
    at: path,
  }).normal;
  const normal = { ...without(rest, sensitive), ...open, ...Object.fromEntries(sealed) };
  return { ref, normal, raw: live?.raw ?? null, owns: Object.keys(baseFields), at: path };
}

/** The mark of a sensitive value of the base that differs from the live value. */
function otherThan(shown: Sealed | undefined, baseValue: Sealed | undefined): Sensitive {
  if (baseValue === undefined || baseValue === null || baseValue === "") return { $sensitive: "absent" };
  const isDeclared = shown !== undefined && isSensitive(shown) && shown.$sensitive === "same";
  return { $sensitive: isDeclared ? "different" : "same" };
}

/** The mark of a sensitive value of the base without a live object: compared with the files. */
function asWanted(kind: Kind, field: string, baseFields: SealedObject, want: SealedObject | null): Sensitive {
  if ((baseFields[field] ?? "") === "") return { $sensitive: "absent" };
  const isOther = want !== null && field in want && !sameField(kind, field, baseFields, want);
  return { $sensitive: isOther ? "different" : "same" };
}

function isSealed(value: Sealed | undefined): boolean {
  return value === undefined || isSensitive(value) || isSecret(value);
}
