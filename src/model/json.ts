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

/** The texts of a list; of what is no list, none. */
export function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((each) => typeof each === "string") : [];
}

/**
 * Whether two values of JSON are the same, in whatever order the keys of objects stand. Keys come from outside and can
 * be `constructor`, `valueOf` or `__proto__`: a comparison made for all objects asks these what they are for, and fails.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return isSameList(a, b);
  const [inA, inB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    inA.size === inB.size && [...inA].every(([key, value]) => inB.has(key) && equal(value, inB.get(key)))
  );
}

function isSameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((each, index) => equal(each, b[index]));
}
