import { equal as sameCsp } from "../csp/equal.js";
import { equal as sameExpression } from "../expression/spelling/equal.js";
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
  if (before === undefined || after === undefined) return compareWithNothing(before, after);
  if (before.as === "rank" && after.as === "rank") return compareRanks(before, after);
  if (before.as === "set" && after.as === "set") return compareSets(before.stronger, before.of, after.of);
  if (before.as === "layers" && after.as === "layers") return compareLayers(before.layers, after.layers);
  if (before.as === "opaque" && after.as === "opaque" && before.is === after.is) return null;
  return { way: "unknown", why: `${wordsOf(before)} → ${wordsOf(after)}` };
}

/** A dimension that only one side has: the object is not there, or not switched on, on the other. */
function compareWithNothing(before: Strength | undefined, after: Strength | undefined): Way | null {
  const there = after ?? before;
  if (there === undefined || isNothing(there)) return null;
  if (there.as === "layers") return compareLayers(layersIn(before), layersIn(after));
  return before === undefined
    ? { way: "stronger", why: `${wordsOf(there)} comes into force` }
    : { way: "weaker", why: `${wordsOf(there)} is no longer in force` };
}

function isNothing(strength: Strength): boolean {
  switch (strength.as) {
    case "rank":
      return strength.value === 0;
    case "set":
      return strength.stronger === "fewer" || strength.of.length === 0;
    case "layers":
      return strength.layers.length === 0;
    case "opaque":
      return true;
  }
}

function wordsOf(strength: Strength): string {
  switch (strength.as) {
    case "rank":
      return strength.is ?? (strength.value === 0 ? "off" : "on");
    case "set":
      return strength.of.join(", ");
    case "layers":
      return "a policy";
    case "opaque":
      return strength.is;
  }
}

function layersIn(strength: Strength | undefined): readonly Layer[] {
  return strength?.as === "layers" ? strength.layers : [];
}

function compareRanks(before: Rank, after: Rank): Way | null {
  if (before.value === after.value) return null;
  const words = before.is !== undefined && after.is !== undefined ? `${before.is} → ${after.is}` : null;
  return after.value > before.value
    ? { way: "stronger", why: words ?? "switched on" }
    : { way: "weaker", why: words ?? "switched off" };
}

type Rank = Extract<Strength, { readonly as: "rank" }>;

function compareSets(
  stronger: "more" | "fewer",
  before: readonly string[],
  after: readonly string[],
): Way | null {
  const come = after.filter((each) => !before.includes(each));
  const gone = before.filter((each) => !after.includes(each));
  const why = [...come.map((each) => `+ ${each}`), ...gone.map((each) => `- ${each}`)].join(" ");
  if (come.length === 0 && gone.length === 0) return null;
  if (come.length > 0 && gone.length > 0) return { way: "mixed", why };
  return { way: come.length > 0 === (stronger === "more") ? "stronger" : "weaker", why };
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
  return sameExpression(a.where, b.where) && sameCsp(a.csp, b.csp);
}
