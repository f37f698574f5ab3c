import type { Item } from "../model/item.js";
import { equal, type Json, type JsonObject } from "../model/json.js";
import type { FieldChange, PartChange } from "../model/plan.js";
import { isSensitive, type Sealed, type SealedObject } from "../model/sealed.js";
import type { Hindrance, Place, Places } from "../model/strength.js";

/**
 * The fields in which two normal forms differ; null stands for an object that is not there.
 * Fields come in the order of `after`, then those that only `before` has.
 */
export function diffFields(
  before: SealedObject | null,
  after: SealedObject | null,
  meanings: Meanings,
): readonly FieldChange[] {
  if (before === after) return [];
  const names = new Set([...Object.keys(after ?? {}), ...Object.keys(before ?? {})]);
  return [...names].flatMap((name) =>
    diffField(name, before?.[name] ?? null, after?.[name] ?? null, meanings[name]),
  );
}

/** A value that is not there has no meaning of its own. A sensitive live value knows how it stands to the declared one. */
export function isSame(before: Sealed, after: Sealed, meaning: Meaning | undefined): boolean {
  if (isSensitive(before) && after !== null) return before.$sensitive === "same";
  return before !== null && after !== null && meaning !== undefined
    ? equal(meaning.canonical(before), meaning.canonical(after))
    : equal(before, after);
}

function diffField(path: string, before: Sealed, after: Sealed, meaning: Meaning | undefined): FieldChange[] {
  if (before === after || meaning?.writeOnly === true) return [];
  if (isSame(before, after, meaning)) return [];
  const parts = before !== null && after !== null ? meaning?.parts?.(before, after) : undefined;
  return [parts === undefined ? { path, before, after } : { path, before, after, parts }];
}

/** What makes two values of a field the same. A field without a meaning is compared as plain JSON. */
export interface Meaning {
  /** The service never shows the field: it makes no difference on its own. */
  readonly writeOnly?: true;
  /** The value in one spelling: two values are the same exactly when these are deep-equal. */
  canonical(value: Sealed): Sealed;
  /** What changed inside, for fields that are a set per part; the part of a field that is one set is "". */
  parts?(before: Sealed, after: Sealed): readonly PartChange[];
}

export type Meanings = { readonly [field: string]: Meaning };

/** A list in which order and repetition mean nothing. */
export const set: Meaning = {
  canonical: (value) => (Array.isArray(value) ? [...new Set(value.map(textOf))].sort() : value),
  parts(before, after) {
    const [old, now] = [before, after].map((value) => (Array.isArray(value) ? value.map(textOf) : []));
    const added = (now ?? []).filter((each) => !old?.includes(each));
    const removed = (old ?? []).filter((each) => !now?.includes(each));
    return [{ part: "", change: "changed", added, removed }];
  },
};

/** A name of an object: letters with accents can be written in two ways (NFC and NFD) that look the same. */
export const nameMeaning: Meaning = {
  canonical: (value) => (typeof value === "string" ? sameName(value) : value),
};

/** A name in one spelling of all that look the same. */
export function sameName(text: string): string {
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
export function writeFlag(value: Json, like: Json | undefined): Json {
  return typeof like === "string" && typeof value === "boolean" ? String(value) : value;
}

/** What was, over what is: a call that leaves a field out, or has null there, takes nothing away. */
export function overLive(was: JsonObject, live: JsonObject): JsonObject {
  return { ...live, ...Object.fromEntries(Object.entries(was).filter(([, value]) => value !== null)) };
}

/** What is switched off does nothing, whatever else it says. */
export function whileOff({ enabled }: SealedObject): readonly Hindrance[] {
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
    owns === null || owns.includes(field) ? places : places.map(undeclared),
  );
  if (enabled === true) return { as: "places", sends, of };
  return { as: "places", sends, of, isOff: enabled === false || "unknown" };
}

function undeclared(place: Place): Place {
  return { ...place, isUndeclared: true };
}
