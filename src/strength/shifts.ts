import { equal as equalValues } from "../model/json.js";
import type { Dimensions, Does, Effect, Shift, Strength } from "../model/strength.js";
import { compareLayers } from "./compare-layers.js";
import { comparePlaces } from "./compare-places.js";
import { compareRanks, compareSeveral, SWITCHED } from "./compare-ranks.js";
import { compareScopes, scopeAlone } from "./compare-scopes.js";
import { compareSets, setAlone } from "./compare-sets.js";
import { type Move, together } from "./ways.js";
import { wordsOf } from "./words.js";
import type { ZoneName } from "./zone-hosts.js";

/**
 * What a change of one object does to protection, dimension by dimension. An object that is not there has none.
 *
 * @param zone whose hosts count; null: any may
 */
export function shifts(before: Dimensions, after: Dimensions, zone: ZoneName = null): readonly Shift[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((dimension) => {
    const move = compare(before[dimension], after[dimension], zone);
    return move === null ? [] : [{ dimension, witness: null, ...move }];
  });
}

const EFFECTS = { stronger: "strengthens", weaker: "weakens", mixed: "mixed", unknown: "unknown" } as const;

/** The sum of shifts. */
export function effectOf(all: readonly Shift[]): Effect {
  const way = together(all.flatMap((each) => (each.way === "neutral" ? [] : [each.way])));
  return way === null ? "neutral" : EFFECTS[way];
}

function compare(before: Strength | undefined, after: Strength | undefined, zone: ZoneName): Move | null {
  if (before === undefined || after === undefined) return compareWithNothing(before, after, zone);
  if (before.as === "rank" && after.as === "rank") return compareRanks(before, after);
  if (before.as === "ranks" && after.as === "ranks") return compareSeveral(before, after);
  if (before.as === "set" && after.as === "set") return compareSets(before, after);
  if (before.as === "scope" && after.as === "scope") return compareScopes(before.of, after.of, zone);
  if (before.as === "layers" && after.as === "layers") return compareLayers(before, after, zone);
  if (before.as === "places" && after.as === "places") return comparePlaces(before, after);
  if (equalValues(before, after)) return null;
  if (after.as === "unknown" || before.as === "unknown")
    return { way: "unknown", why: whyUnknown(before) ?? whyUnknown(after) ?? "" };
  return { way: "unknown", why: `${wordsOf(before)} → ${wordsOf(after)}` };
}

/** A dimension that only one side has: the object is not there, or not switched on, on the other. */
function compareWithNothing(
  before: Strength | undefined,
  after: Strength | undefined,
  zone: ZoneName,
): Move | null {
  const way = before === undefined ? "stronger" : "weaker";
  const there = before ?? after;
  switch (there?.as) {
    case undefined:
    case "opaque":
    // Whether it is sent at all is what comes or goes.
    case "places":
      return null;
    case "unknown":
      return { way: "unknown", why: there.why };
    case "rank":
      return isSomething(there) ? { way, why: comesOrGoes(there, way) } : null;
    case "ranks":
      return Object.values(there.of).some(isSomething) ? { way, why: comesOrGoes(there, way) } : null;
    case "set":
      return setAlone(there, way);
    case "scope":
      return scopeAlone(there.of, way, zone);
    case "layers": {
      // What nobody knows of it comes or goes too.
      const { beside: _, ...known } = there;
      const none = { ...known, layers: [] };
      return before === undefined ? compareLayers(none, there, zone) : compareLayers(there, none, zone);
    }
  }
}

function whyUnknown(strength: Strength): string | null {
  return strength.as === "unknown" ? strength.why : null;
}

function isSomething(does: Does): boolean {
  return does !== "off" && (does.as === "opaque" || (does.value !== 0 && does.isDetail !== true));
}

function comesOrGoes(there: Strength, way: "stronger" | "weaker"): string {
  if (there.as === "rank" && there.is === undefined) return SWITCHED[way];
  return `${wordsOf(there)} ${way === "stronger" ? "comes into force" : "is no longer in force"}`;
}
