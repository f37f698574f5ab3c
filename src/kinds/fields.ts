import type { Schema, Service } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import { equal, type Json, type JsonObject, mapKeys, mapValues, pickBy } from "../model/json.js";
import type { FieldChange, PartChange } from "../model/plan.js";
import { rememberedObject } from "../model/remembered.js";
import { isSensitive, type Sealed, type SealedObject } from "../model/sealed.js";
import type { Destination, Destinations, Strength } from "../model/strength.js";

/**
 * The fields in which two normal forms differ. Null: the object does not exist. Fields come in the order of `after`;
 * fields that only `before` has come last.
 */
export function diffFields(
  before: SealedObject | null,
  after: SealedObject | null,
  fields: Fields,
): readonly FieldChange[] {
  if (before === after) return [];
  const names = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...names].flatMap((name) =>
    diffField(name, before?.[name] ?? null, after?.[name] ?? null, fields[name]),
  );
}

/** A sensitive live value carries the result of its comparison with the declared one. */
export function isSame(before: Sealed, after: Sealed, field: Field | undefined): boolean {
  if (isSensitive(before) && after !== null)
    return [before, after].every((each) => !isSensitive(each) || each.$sensitive === "same");
  return before !== null && after !== null && field?.canonical !== undefined
    ? equal(field.canonical(before), field.canonical(after))
    : equal(before, after);
}

export function sameField(
  { fields }: { readonly fields: Fields },
  field: string,
  a: SealedObject,
  b: SealedObject,
): boolean {
  return isSame(a[field] ?? null, b[field] ?? null, fields[field]);
}

function diffField(path: string, before: Sealed, after: Sealed, field: Field | undefined): FieldChange[] {
  if (before === after || field?.writeOnly === true) return [];
  if (isSame(before, after, field)) return [];
  const parts = before !== null && after !== null ? field?.parts?.(before, after) : undefined;
  return [parts === undefined ? { path, before, after } : { path, before, after, parts }];
}

/** The facts about fields, by the name in the normal form or the key in a file. */
export type Fields = { readonly [field: string]: Field };

/** Every member is optional. A field without members is compared as plain JSON. */
export interface Field {
  /** The schema of the key in files, for kinds that have it here. */
  readonly schema?: Schema;
  /** The form of a field that the service has under the same name. Absent: the kind reads and writes the field. */
  readonly form?: "text" | "flag" | "list" | "any";
  /** Names that live objects may have for the field. It is written under the name that the live object shows. */
  readonly wireName?: RegExp;
  /** Turns a declared value into the one to send. */
  spell?(value: Json): Json;
  /** Other names that the key may have in a file. */
  readonly aliases?: readonly string[];
  /** Wrong words that people write → a sentence with the right word. */
  readonly hints?: { readonly [word: string]: string };
  readonly secret?: Secrecy;
  /** The field cannot change in place, so a change replaces the live object. */
  readonly fixed?: true;
  /** The service's limit of characters as sent, and the field's name in messages. */
  readonly maxChars?: { readonly limit: keyof Service["limits"]; readonly name: string };
  /** The service changes the field on its own. Such a change makes no plan stale. */
  readonly volatile?: true;
  /** A new object must have the field. */
  readonly required?: true;
  /** Every call sends the field, so an object without it cannot be created again. */
  readonly alwaysSent?: true;
  /** The value in a new object if the file has none. */
  readonly default?: Json | DefaultFor;
  /** The service's value of a field that was never set. Losing this value loses nothing. */
  readonly unset?: Json;
  /** What a value other than the default or `unset` does to the object: `is switched off`. Reported if undeclared. */
  readonly limits?: string;
  /** Once anything is set in the object, the service always shows this field. */
  readonly shown?: true;
  /** The service may show a value other than `unset` for a field that was never set. */
  readonly unsetVaries?: true;
  /** Two objects with different names that are equal in all such fields are probably one that was renamed. */
  readonly identifies?: true;
  /** The key decides how a live object is read, so the effect of changing the key is unknown. */
  readonly readsLive?: true;
  /** The service never shows the field, so it is not compared. */
  readonly writeOnly?: true;
  /** The value in one spelling. Two values are the same exactly if their spellings are deep-equal. */
  canonical?(value: Sealed): Sealed;
  /** The changes inside a field, by part. A field that is one set has the single part "". */
  parts?(before: Sealed, after: Sealed): readonly PartChange[];
  /** The value for people, where the bare value is unclear: `allow (blocks the rest)`. */
  show?(value: Json): string | null;
}

/** A default that depends on the rest of the object. Undefined: the object does not get the field. */
type DefaultFor = (declared: JsonObject, context: unknown) => Json | undefined;

/**
 * Whether a field may hold a secret. Each value in an `inside` map is a field `KEY.NAME`, which has its own secrecy or
 * may be a secret.
 *
 * - `always`: the value is never shown, even if it is written out
 * - `inside`: a map whose values may be secrets
 * - `apart`: in such a map, declared by other fields, and never a secret
 * - `text`: in such a map, free text that is shown; a journal leaves it out of undeclared objects
 * - `never`: in such a map, shown and kept
 */
export type Secrecy = "always" | "inside" | "apart" | "text" | "never";

export function unsetFields(values: JsonObject): Fields {
  return mapValues(values, (unset) => ({ unset }));
}

type ValuesOf<Name extends keyof Field> = { readonly [field: string]: NonNullable<Field[Name]> };

/** A kind's table never changes, and every object of the kind asks it. */
const knownValues = rememberedObject((_: Fields) => new Map<keyof Field, ValuesOf<keyof Field>>());

/** The fields with this member, each with the member's value. */
export function valuesOf<Name extends keyof Field>(fields: Fields, name: Name): ValuesOf<Name> {
  const known = knownValues(fields);
  const values = known.get(name) ?? mapValues(fields, (field) => field[name] ?? undefined);
  known.set(name, values);
  return values as ValuesOf<Name>; // by its name
}

export function namesWith(fields: Fields, name: keyof Field): readonly string[] {
  return Object.keys(valuesOf(fields, name));
}

export function secretKeys(fields: Fields, secrecy: Secrecy): readonly string[] {
  return Object.keys(fields).filter((field) => fields[field]?.secret === secrecy);
}

/** The name of a field in the map of this key; null: the field is not in the map. */
export function nameInside(key: string, field: string): string | null {
  return field.startsWith(`${key}.`) ? field.slice(key.length + 1) : null;
}

/** The values of a map as fields. */
export function fieldsInside<Value>(
  key: string,
  map: { readonly [name: string]: Value },
): { readonly [field: string]: Value } {
  return mapKeys(map, (name) => `${key}.${name}`);
}

/** The map of this key, from its fields. */
export function mapInside<Value>(
  key: string,
  fields: { readonly [field: string]: Value },
): { readonly [name: string]: Value } {
  const inside = pickBy(fields, (_, field) => nameInside(key, field) !== null);
  return mapKeys(inside, (field) => field.slice(key.length + 1));
}

/** The default values for a new object. */
export function defaultsOf(fields: Fields, declared: JsonObject, context: unknown): JsonObject {
  return mapValues(valuesOf(fields, "default"), (given) =>
    typeof given === "function" ? given(declared, context) : given,
  );
}

/** A list in which order and repetition mean nothing. */
export const setField = {
  canonical: (value) => (Array.isArray(value) ? [...new Set(value.map(textOf))].sort() : value),
  parts(before, after) {
    const [old = [], now = []] = [before, after].map((value) =>
      Array.isArray(value) ? value.map(textOf) : [],
    );
    return [changedMembers("", old, now)];
  },
} satisfies Field;

export function changedMembers(
  part: string,
  old: readonly string[],
  now: readonly string[],
  change: PartChange["change"] = "changed",
): PartChange {
  const added = now.filter((each) => !old.includes(each));
  const removed = old.filter((each) => !now.includes(each));
  return { part, change, added, removed };
}

/** An object's name. Accented letters have two encodings that look the same (NFC and NFD). */
export const nameField = {
  canonical: (value) => (typeof value === "string" ? canonicalName(value) : value),
} satisfies Field;

export function canonicalName(text: string): string {
  return text.normalize("NFC");
}

function textOf(value: Sealed): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * A boolean in the service's form: a boolean in the published schema, the text "true" in the documentation's examples.
 * Any other value is returned unchanged and shows as a difference.
 */
export function readFlag(value: Json): Json {
  if (typeof value !== "string") return value;
  const text = value.toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}

/** The boolean in the form of the live value: text or boolean. */
export function writeFlag(value: Json, live: Json | undefined): Json {
  return typeof live === "string" && typeof value === "boolean" ? String(value) : value;
}

/** The strength of an object whose `enabled` is neither true nor false. */
export function unknownIfOn(normal: unknown): Strength {
  return { as: "unknown", is: JSON.stringify(normal), why: "its enabled state is unknown" };
}

/** Whether an object is on. A new one is. */
export const enabledField = { default: true, limits: "is switched off" } satisfies Field;

/** The places to which an object sends data. */
export function placesOf(
  sends: string,
  fields: { readonly [field: string]: readonly Destination[] },
  { normal: { enabled }, owns }: Item,
): Destinations {
  const of = Object.entries(fields).flatMap(([field, places]) =>
    !Array.isArray(owns) || owns.includes(field) ? places : places.map(asUndeclared),
  );
  if (enabled === true) return { as: "places", sends, of };
  return { as: "places", sends, of, isOff: enabled === false || "unknown" };
}

function asUndeclared(place: Destination): Destination {
  return { ...place, isUndeclared: true };
}
