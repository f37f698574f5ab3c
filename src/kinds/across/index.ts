import type { Finding } from "../kind.js";
import { missingFields } from "./missing-fields.js";
import type { KindPart } from "./part.js";
import { unusedFields } from "./unused-fields.js";

export type { KindPart } from "./part.js";

/** What two kinds have to do with each other: warnings, with paths into the zone's merged body. */
export function across(parts: readonly KindPart[]): readonly Finding[] {
  return checks.flatMap((check) => check(parts));
}

const checks: readonly ((parts: readonly KindPart[]) => readonly Finding[])[] = [missingFields, unusedFields];
