import type { Json } from "../../model/json.js";

/** The dashboard's choices. The lower the number, the fewer rules have to match before the action runs. */
const PRESETS: ReadonlyMap<Json, number> = new Map([
  ["low", 60],
  ["medium", 40],
  ["high", 25],
]);

/** A threshold as the service has it. */
export function thresholdOf(declared: Json): Json {
  return PRESETS.get(declared) ?? declared;
}

/** The dashboard's word for a threshold; null: it has none. */
export function presetOf(threshold: Json | undefined): Json {
  return [...PRESETS].find(([, value]) => value === threshold)?.[0] ?? null;
}

/** A low threshold is a high number, which people confuse: the words say how strict it is. */
export function thresholdText(threshold: Json): string | null {
  return typeof threshold === "number" ? `${threshold} (${strictness(threshold)})` : null;
}

function strictness(threshold: number): string {
  const [high, medium, low] = [25, 40, 60];
  if (threshold < high) return "stricter than high";
  if (threshold === high) return "high: most strict";
  if (threshold < medium) return "between high and medium";
  if (threshold === medium) return "medium";
  if (threshold < low) return "between medium and low";
  return threshold === low ? "low: least strict" : "less strict than low";
}
