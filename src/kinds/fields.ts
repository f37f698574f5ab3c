import type { Item } from "../model/item.js";
import { equal, type Json, type JsonObject } from "../model/json.js";
import type { FieldChange, PartChange } from "../model/plan.js";
import { isSensitive, type Sealed, type SealedObject } from "../model/sealed.js";
import type { Hindrance, Place, Places, Strength } from "../model/strength.js";
import type { Service } from "../model/wanted.js";

/**
 * The fields in which two normal forms differ; null: the object does not exist.
 * Fields come in the order of `after`, then those that only `before` has.
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

function diffField(path: string, before: Sealed, after: Sealed, field: Field | undefined): FieldChange[] {
  if (before === after || field?.writeOnly === true) return [];
  if (isSame(before, after, field)) return [];
  const parts = before !== null && after !== null ? field?.parts?.(before, after) : undefined;
  return [parts === undefined ? { path, before, after } : { path, before, after, parts }];
}

/** The facts about fields, by the name in the normal form or the key in a file. */
export type Fields = { readonly [field: string]: Field };

/** Every member is optional. A field without any is compared as plain JSON. */
export interface Field {
  /** The service's object has the field under this name, in this form. Absent: the kind itself reads and writes it. */
  readonly form?: "text" | "flag" | "list" | "any";
  /** Names that live objects may have for the field. It is written under the name that the live object shows. */
  readonly wireName?: RegExp;
  /** Turns a declared value into the one to send. */
  spell?(value: Json): Json;
  /** Other names that the key may have in a file. */
  readonly aliases?: readonly string[];
  /** Wrong words that people write → a sentence that tells the right one. */
  readonly hints?: { readonly [word: string]: string };
  readonly secret?: Secrecy;
  /** The field cannot change in place: where it changes, another object takes the place of the live one. */
  readonly fixed?: true;
  /** The service's limit of characters as sent, and the name of the field in messages. */
  readonly maxChars?: { readonly limit: keyof Service["limits"]; readonly name: string };
  /** The service changes the field on its own, so that a change of it makes no plan stale. */
  readonly volatile?: true;
  /** No object is created without it. */
  readonly required?: true;
  /** Every call sends it: an object that lacked it cannot be created again. */
  readonly alwaysSent?: true;
  /** The value in a new object if the file has none. */
  readonly default?: Json | DefaultFor;
  /** The service's value of a field that was never set. Losing this value loses nothing. */
  readonly unset?: Json;
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
  /** The value in one spelling: two values are the same exactly when these are deep-equal. */
  canonical?(value: Sealed): Sealed;
  /** The changes inside a field, by part. A field that is one set has the single part "". */
  parts?(before: Sealed, after: Sealed): readonly PartChange[];
  /** The value for people, where the bare value says too little: `allow (blocks the rest)`. */
  show?(value: Json): string | null;
}

/** A default that depends on the rest of the object. Undefined: the object does not get the field. */
type DefaultFor = (declared: JsonObject, context: unknown) => Json | undefined;

/**
 * Whether a field may hold a secret. Of a map that is `inside`, each value is a field `KEY.NAME`, and may be a secret unless
 * the table says otherwise of that field.
 *
 * - `always`: its value is never shown, wherever it comes from
 * - `inside`: it is a map, and any of its values may be a secret
 * - `apart`: it stands in such a map and is declared by other fields; it can have no secret
 * - `text`: it stands in such a map and is shown, but a journal leaves it out of undeclared objects: it is free text
 * - `never`: it stands in such a map and is shown and kept
 */
export type Secrecy = "always" | "inside" | "apart" | "text" | "never";

/** A table of the values that fields have while they are unset. */
export function unsetFields(values: JsonObject): Fields {
  return Object.fromEntries(Object.entries(values).map(([field, unset]) => [field, { unset }]));
}

/** The fields with this member, each with the member's value. */
export function entriesWith<Name extends keyof Field>(
  fields: Fields,
  name: Name,
): readonly (readonly [field: string, value: NonNullable<Field[Name]>])[] {
  return Object.entries(fields).flatMap(([field, { [name]: said }]) =>
    said === undefined || said === null ? [] : [[field, said as NonNullable<Field[Name]>] as const],
  );
}

export function namesWith(fields: Fields, name: keyof Field): readonly string[] {
  return entriesWith(fields, name).map(([field]) => field);
}

export function secretKeys(fields: Fields, secrecy: Secrecy): readonly string[] {
  return Object.keys(fields).filter((field) => fields[field]?.secret === secrecy);
}

/** The name of a field in the map of this key; null: the field is not in the map. */
export function nameInside(key: string, field: string): string | null {
  return field.startsWith(`${key}.`) ? field.slice(key.length + 1) : null;
}

/** The default values for a new object. */
export function defaultsOf(fields: Fields, declared: JsonObject, context: unknown): JsonObject {
  return Object.fromEntries(
    entriesWith(fields, "default").flatMap(([field, said]) => {
      const value = typeof said === "function" ? said(declared, context) : said;
      return value === undefined ? [] : [[field, value]];
    }),
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

/** A name of an object: letters with accents can be written in two ways (NFC and NFD) that look the same. */
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
 * A boolean as the service gives it: the published schema has a boolean, the documentation's examples show
 * the text "true". Any other value is returned unchanged and shows as a difference.
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

/** The former object over the live one: a call cannot remove a field by leaving it out or by null. */
export function overLive(was: JsonObject, live: JsonObject): JsonObject {
  return { ...live, ...Object.fromEntries(Object.entries(was).filter(([, value]) => value !== null)) };
}

/** The strength of an object whose `enabled` is neither true nor false. */
export function unknownIfOn(normal: unknown): Strength {
  return { as: "unknown", is: JSON.stringify(normal), why: "its enabled state is unknown" };
}

export function hindranceIfOff({ enabled }: SealedObject): readonly Hindrance[] {
  return enabled === false ? [{ as: "off" }] : [];
}

/**
 * The places to which an object sends data.
 *
 * @param fields each field that names places, with its places
 */
export function placesOf(
  sends: string,
  fields: { readonly [field: string]: readonly Place[] },
  { enabled }: SealedObject,
  item: Pick<Item, "owns"> | undefined,
): Places {
  const owns = Array.isArray(item?.owns) ? item.owns : null;
  const of = Object.entries(fields).flatMap(([field, places]) =>
    owns === null || owns.includes(field) ? places : places.map(asUndeclared),
  );
  if (enabled === true) return { as: "places", sends, of };
  return { as: "places", sends, of, isOff: enabled === false || "unknown" };
}

function asUndeclared(place: Place): Place {
  return { ...place, isUndeclared: true };
}
