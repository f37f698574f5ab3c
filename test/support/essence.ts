import type { Seed } from "../../src/index.js";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import type { JsonObject } from "../../src/model/json.js";

/** Values that may differ after a detour: ids of new objects, and versions. */
const DETOURS = new Set(["id", "ref", "version", "last_updated", "updated_at"]);

/** The meaning of a state: unordered lists are sorted, and empty lists of rules are dropped. */
export function essenceOf(state: Seed): readonly string[] {
  return Object.entries(state.zones).flatMap(([name, zone]) =>
    Object.entries(zone).flatMap(([part, value]) => {
      if (!Array.isArray(value)) return typeof value === "object" ? [`${name} ${part} ${textOf(value)}`] : [];
      return value
        .filter((each) => !("phase" in each) || (each.rules ?? []).length > 0)
        .map((each) => `${name} ${part} ${textOf(partOf(part, each))}`)
        .sort();
    }),
  );
}

function partOf(part: string, each: JsonObject): unknown {
  if (part === "rulesets") return { phase: each.phase, rules: each.rules };
  // For a new job, the service fills in defaults.
  return part === logpushJob.section ? logpushJob.normalOf(each, null, []) : each;
}

/** Sorts keys and drops values that may differ. Ids of executed rulesets and overridden rules, which are deeper, are kept. */
function textOf(value: unknown, depth = 0): string {
  if (Array.isArray(value)) return `[${value.map((each) => textOf(each, depth + 1)).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(
    ([key, each]) => each !== null && !(depth < 3 && DETOURS.has(key)),
  );
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${key}:${textOf(each, depth + 1)}`).join()}}`;
}
