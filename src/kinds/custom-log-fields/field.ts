import { isObject, type Json, type JsonObject } from "../../model/json.js";
import type { Sealed, SealedObject } from "../../model/sealed.js";
import { type Meaning, set } from "../fields.js";
import { readFlag } from "../flag.js";
import { FIELD_LISTS, type FieldList } from "../logged-fields.js";

/** One header or cookie that is logged. */
export interface Field {
  readonly name: string;
  /** Of a header that comes several times, all are logged and not only the first. */
  readonly preserveDuplicates: boolean;
}

/** A field as the files, the service or a normal form have it; null: it is none. */
export function fieldFrom(value: Sealed): Field | null {
  if (typeof value === "string") return { name: value, preserveDuplicates: false };
  if (!isObject(value) || typeof value.name !== "string") return null;
  return { name: value.name, preserveDuplicates: readFlag(value.preserve_duplicates ?? false) === true };
}

/** The normal form: a plain field is its name, whether or not it says that duplicates are not preserved. */
export function normalField({ name, preserveDuplicates }: Field): Json {
  return preserveDuplicates ? { name, preserve_duplicates: true } : name;
}

/** The fields of one list; empty where there is no such list. */
export function fieldsIn(lists: SealedObject, list: FieldList): readonly Field[] {
  const value = lists[list];
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: Sealed) => fieldFrom(each) ?? []);
}

function wordsFor({ name, preserveDuplicates }: Field): string {
  return preserveDuplicates ? `${name} (with duplicates)` : name;
}

/** Lists of fields are sets, shown in words. */
const fieldSet: Meaning = {
  canonical: set.canonical,
  parts: (before, after) => set.parts?.(wordsIn(before), wordsIn(after)) ?? [],
};

export const listMeanings: { readonly [list: string]: Meaning } = Object.fromEntries(
  FIELD_LISTS.map((list) => [list, fieldSet]),
);

export function wordsIn(value: Sealed): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: Sealed) => {
    const field = fieldFrom(each);
    return field === null ? [] : [wordsFor(field)];
  });
}

/** What is logged, each once: `request_fields content-type`. */
export function allFields(lists: SealedObject): readonly string[] {
  return FIELD_LISTS.flatMap((list) =>
    fieldsIn(lists, list).flatMap((field) => [
      `${list} ${field.name}`,
      ...(field.preserveDuplicates ? [`${list} ${wordsFor(field)}`] : []),
    ]),
  );
}

/** The service's form of a field. */
export function fieldBody({ name, preserveDuplicates }: Field): JsonObject {
  return preserveDuplicates ? { name, preserve_duplicates: true } : { name };
}
