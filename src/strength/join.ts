import type { Dimensions, Strength } from "../model/strength.js";
import { wordsOf } from "./shifts.js";
import { readTogether } from "./trusted-eval.js";

/** How strongly objects protect together, dimension by dimension. */
export function join(all: readonly Dimensions[]): Dimensions {
  const joined = new Map<string, Strength[]>();
  for (const dimensions of all) {
    for (const [name, strength] of Object.entries(dimensions)) {
      const others = joined.get(name);
      if (others === undefined) joined.set(name, [strength]);
      else others.push(strength);
    }
  }
  return Object.fromEntries(
    [...joined].map(([name, strengths]) => [name, asBrowsersRead(joinStrengths(strengths))]),
  );
}

function asBrowsersRead(strength: Strength): Strength {
  return strength.as === "layers" ? { ...strength, layers: readTogether(strength.layers) } : strength;
}

function joinStrengths(strengths: readonly Strength[]): Strength {
  const [first] = strengths;
  if (first === undefined) throw new Error("a dimension that is named has a strength");
  if (strengths.length === 1) return first;
  if (strengths.every((each) => each.as === "rank")) return strongest(strengths);
  if (strengths.every((each) => each.as === "layers"))
    return { as: "layers", layers: strengths.flatMap(({ layers }) => layers) };
  if (strengths.every((each) => each.as === "set")) return joinSets(strengths);
  if (strengths.every((each) => each.as === "places")) return joinPlaces(strengths);
  // What cannot be compared is the same where all parts of it are.
  const parts = new Map(strengths.map((each) => [JSON.stringify(each), wordsOf(each)]));
  const is = [...parts.keys()].sort().join(" ");
  const words = [...new Set(parts.values())].sort().join("; ");
  const stopsNothing = strengths.every((each) => each.as === "opaque" && each.stopsNothing === true);
  return { as: "opaque", is, words, ...(stopsNothing ? { stopsNothing } : {}) };
}

type Of<As extends Strength["as"]> = Extract<Strength, { readonly as: As }>;

function strongest(ranks: readonly Of<"rank">[]): Strength {
  return ranks.reduce((best, each) => (each.value > best.value ? each : best));
}

function joinPlaces(places: readonly Of<"places">[]): Strength {
  const sends = [...new Set(places.map((each) => each.sends))].join(", ");
  return { as: "places", sends, of: places.flatMap(({ of }) => of) };
}

/** Where fewer is stronger (what is switched off), something is off only where every object has it off. */
function joinSets(sets: readonly Of<"set">[]): Strength {
  const stronger = sets[0]?.stronger ?? "more";
  const all = [...new Set(sets.flatMap(({ of }) => of))];
  const of = stronger === "more" ? all : all.filter((each) => sets.every((set) => set.of.includes(each)));
  return { as: "set", stronger, of };
}
