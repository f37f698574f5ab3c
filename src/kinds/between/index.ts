import type { Finding } from "../kind.js";
import { combinedBlocks } from "./combined.js";
import { missingFields } from "./missing-fields.js";
import type { KindPart } from "./part.js";
import { policiesWhileOff } from "./service-off.js";
import { untriedBlocks } from "./untried.js";
import { unusedFields } from "./unused-fields.js";

export type { KindPart } from "./part.js";

/** What several objects have to do with each other: warnings, with paths into the zone's merged body. */
export function across(parts: readonly KindPart[]): readonly Finding[] {
  return checks.flatMap((check) => check(parts));
}

const checks: readonly ((parts: readonly KindPart[]) => readonly Finding[])[] = [
  policiesWhileOff,
  untriedBlocks,
  combinedBlocks,
  missingFields,
  unusedFields,
];
