import fastDeepEqual from "fast-deep-equal";

/** A JSON value. It has no `undefined`: an absent key is absent. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object. */
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

/** The items of a list, or the values of an object. */
export function partsOf(value: Json): readonly Json[] {
  return isList(value) ? value : isObject(value) ? Object.values(value) : [];
}

/** A text as it is, and any other value as JSON. `String()` fails on outside objects with a bad `toString`. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** JSON with sorted keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = new Map(Object.entries(value));
  let json = "";
  for (const key of [...entries.keys()].sort()) {
    const part: unknown = entries.get(key);
    if (part !== undefined) json += `${json === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(part)}`;
  }
  return `{${json}}`;
}

/** Values by name. */
interface Values<Value> {
  readonly [name: string]: Value;
}

/** The fields of these names that an object has. */
export function pick<Value>(object: Values<Value | undefined>, names: readonly string[]): Values<Value> {
  return present(names.map((name) => [name, Object.hasOwn(object, name) ? object[name] : undefined]));
}

/** The fields that fit. */
export function pickBy<Value>(
  object: Values<Value>,
  fits: (value: Value, name: string) => boolean,
): Values<Value> {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => fits(value, name)));
}

/** An object without these fields. */
export function without<Value>(object: Values<Value>, names: readonly string[]): Values<Value> {
  return pickBy(object, (_, name) => !names.includes(name));
}

/** The object with changed values. A value of undefined drops the field. */
export function mapValues<Value, Changed>(
  object: Values<Value>,
  change: (value: Value, name: string) => Changed | undefined,
): Values<Changed> {
  return present(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

function present<Value>(entries: readonly (readonly [string, Value | undefined])[]): Values<Value> {
  const isPresent = (entry: readonly [string, Value | undefined]): entry is readonly [string, Value] =>
    entry[1] !== undefined;
  return Object.fromEntries(entries.filter(isPresent));
}

/** The object with changed names. */
export function mapKeys<Value>(object: Values<Value>, rename: (name: string) => string): Values<Value> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [rename(name), value]));
}

export function isTexts(value: Json): value is readonly string[] {
  return isList(value) && value.every((each) => typeof each === "string");
}

/** The texts of a list; empty for any other value. */
export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((each) => typeof each === "string") : [];
}

/**
 * Whether two JSON values are equal, in any order of keys. Keys must not shadow built-in properties (`isShadowing`),
 * which the library calls.
 */
export const equal: (a: unknown, b: unknown) => boolean = fastDeepEqual;

/** Whether a key shadows a built-in property of objects. Neither the API nor files have such keys. */
export function isShadowing(key: string): boolean {
  return SHADOWING.has(key);
}

/** Whether files may not have this key. */
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
