import { count } from "../plain.js";
import { details } from "./details.js";
import { code } from "./escape.js";

/** Of names in titles. */
export const NAME_CHARS = 120;

/** ``the same in 5 zones: `a`, `b`, `c` and 2 more``. */
export function sameIn(zones: readonly string[]): string {
  const named = zones.slice(0, MAX_NAMED).map((zone) => code(zone, NAME_CHARS));
  const rest = zones.length - named.length;
  const list = rest === 0 ? named.join(", ") : `${named.join(", ")} and ${rest} more`;
  return `the same in ${count(zones.length, "zone")}: ${list}`;
}

const MAX_NAMED = 3;

/** All of them, by their names alone. */
export function zoneNames(zones: readonly string[]): string {
  return details(
    `The same in ${count(zones.length, "zone")}`,
    zones.map((zone) => code(zone, NAME_CHARS)).join(", "),
  );
}
