import type { Effect, EffectCounts } from "../plan/generated/plan-document.js";
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

/** What is counted, of one and of several. */
export type EffectWord = {
  readonly effect: keyof EffectCounts;
  readonly one: string;
  readonly several: string;
};

export const PLANNED: readonly EffectWord[] = [
  { effect: "weakens", one: "weakens", several: "weaken" },
  { effect: "unknown", one: "unknown", several: "unknown" },
  { effect: "mixed", one: "mixed", several: "mixed" },
  { effect: "strengthens", one: "strengthens", several: "strengthen" },
  { effect: "neutral", one: "neutral", several: "neutral" },
];
