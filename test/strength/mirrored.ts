import type { Effect } from "../../src/model/strength.js";

/** The effect of the reversed change. */
export function mirrored(effect: Effect): Effect {
  if (effect === "strengthens") return "weakens";
  return effect === "weakens" ? "strengthens" : effect;
}
