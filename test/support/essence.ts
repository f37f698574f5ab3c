import type { Seed } from "../../src/index.js";
import { logpushJob } from "../../src/kinds/logpush-job/index.js";
import type { JsonObject } from "../../src/model/json.js";

/** What may be another one after a detour: which id a new object got, and how often something was written. */
const DETOURS = new Set(["id", "ref", "version", "last_updated", "updated_at"]);

/** What a state is to people: lists whose order means nothing in one order, and no list of rules that is empty. */
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
  // A new job is answered with what the service writes where nothing is said.
  return part === logpushJob.section ? logpushJob.normalOf(each, null, []) : each;
}

/** Keys in one order; the id of the ruleset that a rule executes, and of the rules that it overrides, is no detour. */
function textOf(value: unknown, depth = 0): string {
  if (Array.isArray(value)) return `[${value.map((each) => textOf(each, depth + 1)).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(
    ([key, each]) => each !== null && !(depth < 3 && DETOURS.has(key)),
  );
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${key}:${textOf(each, depth + 1)}`).join()}}`;
}
