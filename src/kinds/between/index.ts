import type { ZoneState } from "../../model/zone-state.js";
import type { Finding } from "../kind.js";
import { type Missing, missingFields, unusedFields } from "./log-fields.js";
import { combinedBlocks, policiesWhileOff, untriedBlocks } from "./policies.js";

/**
 * Warnings about combinations of objects, with paths into the zone's merged body.
 *
 * @param before the live zone before the change. Null: only the files are known
 */
export function checkBetween(
  after: ZoneState,
  before: ZoneState | null,
  missing: Missing = new Map(),
): readonly Finding[] {
  return [
    ...policiesWhileOff(after),
    ...(before === null ? [] : untriedBlocks(after, before)),
    ...combinedBlocks(after),
    ...missingFields(after, missing),
    ...unusedFields(after),
  ];
}
