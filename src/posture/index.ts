import { equal as sameCsp } from "../csp/index.js";
import { normalise } from "../expression/index.js";
import type { Dimensions, Effect, Layer, Shift, Strength } from "../model/strength.js";

/** What a change of one object does to protection, dimension by dimension. An object that is not there has none. */
export function shifts(before: Dimensions, after: Dimensions): readonly Shift[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((dimension) => {
    const way = compare(before[dimension], after[dimension]);
    return way === null ? [] : [{ dimension, ...way, witness: null }];
  });
}

/** The sum of shifts. What cannot be decided outweighs the rest: it may be the worst of all. */
export function effectOf(all: readonly Shift[]): Effect {
  const ways = new Set(all.map((each) => each.way));
  if (ways.size === 0) return "neutral";
  if (ways.has("unknown")) return "unknown";
  if (ways.has("mixed") || ways.size > 1) return "mixed";
  return ways.has("stronger") ? "strengthens" : "weakens";
}

type Way = Pick<Shift, "way" | "why">;

function compare(before: Strength | undefined, after: Strength | undefined): Way | null {
  if (before?.as === "rank" || after?.as === "rank") return compareRanks(rankOf(before), rankOf(after));
  return compareLayers(layersOf(before), layersOf(after));
}

function rankOf(strength: Strength | undefined): number {
  return strength?.as === "rank" ? strength.value : 0;
}

function layersOf(strength: Strength | undefined): readonly Layer[] {
  return strength?.as === "layers" ? strength.layers : [];
}

function compareRanks(before: number, after: number): Way | null {
  if (before === after) return null;
  return after > before ? { way: "stronger", why: "switched on" } : { way: "weaker", why: "switched off" };
}

/** Layers add up, so more of them is stronger. Whether one CSP includes another is not decided here. */
function compareLayers(before: readonly Layer[], after: readonly Layer[]): Way | null {
  const [gone] = before.filter((layer) => !after.some((each) => sameLayer(layer, each)));
  const [come] = after.filter((layer) => !before.some((each) => sameLayer(layer, each)));
  if (gone === undefined && come === undefined) return null;
  if (gone === undefined) return { way: "stronger", why: "a policy starts to apply" };
  if (come === undefined) return { way: "weaker", why: "a policy no longer applies" };
  if (!sameScope(gone, come)) return { way: "unknown", why: "what the policy covers or allows is different" };
  return come.mode === "enforce"
    ? { way: "stronger", why: "from reporting to blocking" }
    : { way: "weaker", why: "from blocking to reporting" };
}

function sameLayer(a: Layer, b: Layer): boolean {
  return a.mode === b.mode && sameScope(a, b);
}

function sameScope(a: Layer, b: Layer): boolean {
  return normalise(a.where) === normalise(b.where) && sameCsp(a.csp, b.csp);
}
