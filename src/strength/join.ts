import { groupBy } from "../model/group-by.js";
import type { Dimensions, Strength } from "../model/strength.js";
import { wordsOf } from "./shifts.js";
import { readTogether } from "./trusted-eval.js";

/** The combined strength of several objects, dimension by dimension. */
export function join(objects: readonly Dimensions[]): Dimensions {
  const entries = objects.flatMap((dimensions) => Object.entries(dimensions));
  return Object.fromEntries(
    [...groupBy(entries, ([name]) => name)].map(([name, group]) => {
      const strengths = group.map(([, strength]) => strength);
      return [name, asBrowsersRead(joinStrengths(strengths))];
    }),
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
  // Opaque strengths are equal where all their parts are equal.
  const parts = new Map(strengths.map((each) => [JSON.stringify(each), wordsOf(each)]));
  const identity = [...parts.keys()].sort().join(" ");
  const words = [...new Set(parts.values())].sort().join("; ");
  const stopsNothing = strengths.every((each) => each.as === "opaque" && each.stopsNothing === true);
  return { as: "opaque", is: identity, words, ...(stopsNothing ? { stopsNothing } : {}) };
}

type Of<As extends Strength["as"]> = Extract<Strength, { readonly as: As }>;

function strongest(ranks: readonly Of<"rank">[]): Strength {
  return ranks.reduce((best, each) => (each.value > best.value ? each : best));
}

function joinPlaces(places: readonly Of<"places">[]): Strength {
  const sends = [...new Set(places.map((each) => each.sends))].join(", ");
  return { as: "places", sends, of: places.flatMap(({ of }) => of) };
}

/** Where fewer is stronger (members are things switched off), a member is off only if every object has it off. */
function joinSets(sets: readonly Of<"set">[]): Strength {
  const stronger = sets[0]?.stronger ?? "more";
  const members = [...new Set(sets.flatMap(({ of }) => of))];
  const of =
    stronger === "more" ? members : members.filter((each) => sets.every((set) => set.of.includes(each)));
  return { as: "set", stronger, of };
}
