import type { Finding } from "../kind.js";
import { combinedBlocks, policiesWhileOff, untriedBlocks } from "./policies.js";

import { ALL_KNOWN, type KindPart, type Known, missingFields, unusedFields } from "./zone-objects.js";

export type { KindPart, Known } from "./zone-objects.js";

/**
 * What several objects have to do with each other: warnings, with paths into the zone's merged body.
 */
export function checkBetween(parts: readonly KindPart[], known: Known = ALL_KNOWN): readonly Finding[] {
  return checks.flatMap((check) => check(parts, known));
}

const checks: readonly ((parts: readonly KindPart[], known: Known) => readonly Finding[])[] = [
  policiesWhileOff,
  untriedBlocks,
  combinedBlocks,
  missingFields,
  unusedFields,
];
