import type { Effect } from "../plan/generated/plan-document.js";
import type { Palette } from "./palette.js";

/** Colour says what a change does to protection; its sign says what happens to the object. */
export function effectPaint(effect: Effect, colors: Palette): (text: string) => string {
  switch (effect) {
    case "weakens":
      return colors.remove;
    case "strengthens":
      return colors.add;
    case "neutral":
      return colors.faint;
    case "mixed":
    case "unknown":
      return colors.change;
  }
}
