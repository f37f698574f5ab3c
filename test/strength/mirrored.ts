import type { Effect } from "../../src/model/strength.js";

/** The effect of a change that is taken back. */
export function mirrored(effect: Effect): Effect {
  if (effect === "strengthens") return "weakens";
  return effect === "weakens" ? "strengthens" : effect;
}
