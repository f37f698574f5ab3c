import fastDeepEqual from "fast-deep-equal";

/** A value as JSON has it. `undefined` is not one: an absent key is absent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** An object as JSON has it. */
export interface JsonObject {
  readonly [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Array.isArray` that keeps `readonly`. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/**
 * A text as it is, all else as JSON has it. What comes from outside can be an object with a `toString` that is none, at
 * which `String()` fails.
 */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A value as JSON with sorted keys: the order in which they were added does not count. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = new Map(Object.entries(value));
  let json = "";
  for (const key of [...entries.keys()].sort()) {
    const each: unknown = entries.get(key);
    if (each !== undefined) json += `${json === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(each)}`;
  }
  return `{${json}}`;
}

/** The texts of a list; of what is no list, none. */
export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((each) => typeof each === "string") : [];
}

/**
 * Whether two values of JSON are the same, in whatever order the keys of objects stand. None of them has a key that
 * stands before something of its name that all objects have (`isShadowing`): the library would ask it what it is for.
 */
export const equal: (a: unknown, b: unknown) => boolean = fastDeepEqual;

/** Whether an own key hides what every object has by this name. No object of the API and no file has one. */
export function isShadowing(key: string): boolean {
  return SHADOWING.has(key);
}

/** Whether no file may have a key of this name. */
export function isForbiddenKey(key: string): boolean {
  return isShadowing(key) || key === "prototype";
}

const SHADOWING: ReadonlySet<string> = new Set([
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "valueOf",
]);
