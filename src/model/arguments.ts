/**
 * Checks arguments of the engines, for callers without types.
 *
 * @throws TypeError that names the argument, the required type and the given value
 */
export function requireText(value: unknown, argument: string): void {
  if (typeof value !== "string") throw wrongArgument(argument, "a string", value);
}

/** @throws TypeError */
export function requireObject(value: unknown, argument: string): void {
  if (typeof value !== "object" || value === null) throw wrongArgument(argument, "an object", value);
}

/** @throws TypeError */
export function requireOneOf(value: unknown, names: readonly string[], argument: string): void {
  if (typeof value === "string" && names.includes(value)) return;
  throw wrongArgument(argument, names.map((name) => `"${name}"`).join(" or "), value);
}

function wrongArgument(argument: string, wanted: string, value: unknown): TypeError {
  const actual = typeof value === "string" ? JSON.stringify(value.slice(0, MOST_CHARS)) : nameOf(value);
  return new TypeError(`${argument} has to be ${wanted}, not ${actual}.`);
}

const MOST_CHARS = 80;

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "an array" : `of the type ${typeof value}`;
}
