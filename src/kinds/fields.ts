import type { Item } from "../model/item.js";
import { equal, type Json, type JsonObject } from "../model/json.js";
import type { FieldChange, PartChange } from "../model/plan.js";
import { isSensitive, type Sealed, type SealedObject } from "../model/sealed.js";
import type { Hindrance, Place, Places } from "../model/strength.js";
import type { Service } from "../model/wanted.js";

/**
 * The fields in which two normal forms differ; null stands for an object that is not there.
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

/** An absent value has no other spelling. A sensitive live value says itself how it compares with the declared one. */
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

/** What the program knows of a field, by its name in the normal form or by its key in a file. */
export type Fields = { readonly [field: string]: Field };

/** Every member is optional. A field without any is compared as plain JSON. */
export interface Field {
  /** The service's object has the field under this name, in this form. Absent: the kind itself reads and writes it. */
  readonly form?: "text" | "flag" | "list" | "any";
  /** Names that live objects may have for the field. It is written under the name that the live object shows. */
  readonly wireName?: RegExp;
  /** A declared value as it is sent. */
  spell?(value: Json): Json;
  /** Other names that the key may have in a file. */
  readonly aliases?: readonly string[];
  /** Words that people write and the service does not have, each with a sentence of what to write. */
  readonly hints?: { readonly [word: string]: string };
  readonly secret?: Secrecy;
  /** The field cannot change in place: where it changes, another object takes the place of the live one. */
  readonly fixed?: true;
  /** The service's limit of characters as sent, and the name of the field in messages. */
  readonly maxChars?: { readonly limit: keyof Service["limits"]; readonly name: string };
  /** The service writes the field on its own: it makes no plan stale. */
  readonly volatile?: true;
  /** No object is created without it. */
  readonly required?: true;
  /** Every call sends it: an object that lacked it cannot be created again. */
  readonly alwaysSent?: true;
  /** What a new object gets where the file does not say. */
  readonly default?: Json | DefaultFor;
  /** The service's value of a field that was never set. Losing this value loses nothing. */
  readonly unset?: Json;
  /** Once anything is set in the object, the service always shows this field. */
  readonly shown?: true;
  /** The service may show a value other than `unset` for a field that was never set. */
  readonly unsetVaries?: true;
  /** Two objects with different names that are equal in all such fields are probably one that was renamed. */
  readonly identifies?: true;
  /** The key says how a live object is read, so the effect of changing the key is unknown. */
  readonly readsLive?: true;
  /** The service never shows the field: it makes no difference on its own. */
  readonly writeOnly?: true;
  /** The value in one spelling: two values are the same exactly when these are deep-equal. */
  canonical?(value: Sealed): Sealed;
  /** What changed inside, for fields that are a set per part; the part of a field that is one set is "". */
  parts?(before: Sealed, after: Sealed): readonly PartChange[];
  /** The value for people, where the bare value says too little: `allow (blocks the rest)`. */
  show?(value: Json): string | null;
}

/** A default that rests on what else the object is. Undefined: such an object does not have the field. */
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

/** The fields that have this member, each with its value. */
export function entriesWith<Name extends keyof Field>(
  fields: Fields,
  name: Name,
): readonly (readonly [field: string, said: NonNullable<Field[Name]>])[] {
  return Object.entries(fields).flatMap(([field, { [name]: said }]) =>
    said === undefined || said === null ? [] : [[field, said as NonNullable<Field[Name]>] as const],
  );
}

/** The names of the fields that have this member. */
export function namesWith(fields: Fields, name: keyof Field): readonly string[] {
  return entriesWith(fields, name).map(([field]) => field);
}

/** The names of the fields with this secrecy. */
export function secretKeys(fields: Fields, secrecy: Secrecy): readonly string[] {
  return Object.keys(fields).filter((field) => fields[field]?.secret === secrecy);
}

/** The name that a field has in the map of this key; null: it does not stand in the map. */
export function nameInside(key: string, field: string): string | null {
  return field.startsWith(`${key}.`) ? field.slice(key.length + 1) : null;
}

/** The fields that a new object gets when the file does not say. */
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
    const [old, now] = [before, after].map((value) => (Array.isArray(value) ? value.map(textOf) : []));
    const added = (now ?? []).filter((each) => !old?.includes(each));
    const removed = (old ?? []).filter((each) => !now?.includes(each));
    return [{ part: "", change: "changed", added, removed }];
  },
} satisfies Field;

/** A name of an object: letters with accents can be written in two ways (NFC and NFD) that look the same. */
export const nameField = {
  canonical: (value) => (typeof value === "string" ? canonicalName(value) : value),
} satisfies Field;

/** A name in one spelling of all that look the same. */
export function canonicalName(text: string): string {
  return text.normalize("NFC");
}

function textOf(value: Sealed): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * A boolean as the service gives it: the published schema has a boolean, the documentation's examples show
 * the text "true". What is neither comes back as it is, so that it shows as a difference.
 */
export function readFlag(value: Json): Json {
  if (typeof value !== "string") return value;
  const text = value.toLowerCase();
  return text === "true" ? true : text === "false" ? false : value;
}

/** The boolean in the form of a live value: text where that is text, else a boolean. */
export function writeFlag(value: Json, live: Json | undefined): Json {
  return typeof live === "string" && typeof value === "boolean" ? String(value) : value;
}

/** What was, over what is: a call that leaves a field out, or has null there, takes nothing away. */
export function overLive(was: JsonObject, live: JsonObject): JsonObject {
  return { ...live, ...Object.fromEntries(Object.entries(was).filter(([, value]) => value !== null)) };
}

/** What is switched off does nothing, whatever else it says. */
export function hindranceIfOff({ enabled }: SealedObject): readonly Hindrance[] {
  return enabled === false ? [{ as: "off" }] : [];
}

/**
 * Where an object sends something.
 *
 * @param fields each field that says so, with the places that it has
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
