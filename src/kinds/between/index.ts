import type { Finding } from "../kind.js";
import { combinedBlocks, policiesWhileOff, untriedBlocks } from "./policies.js";

import { type KindPart, missingFields, unusedFields } from "./zone-objects.js";

export type { KindPart } from "./zone-objects.js";

/**
 * What several objects have to do with each other: warnings, with paths into the zone's merged body.
 *
 * @param unknown sections that the zone has and of which nothing is known
 */
export function checkBetween(
  parts: readonly KindPart[],
  unknown: readonly string[] = [],
): readonly Finding[] {
  return checks.flatMap((check) => check(parts, unknown));
}

const checks: readonly ((parts: readonly KindPart[], unknown: readonly string[]) => readonly Finding[])[] = [
  policiesWhileOff,
  untriedBlocks,
  combinedBlocks,
  missingFields,
  unusedFields,
];
