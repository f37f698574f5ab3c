import type { Dimensions, Place, Places } from "../model/strength.js";
import { listed } from "./listed.js";
import type { Move } from "./ways.js";

/** What is sent elsewhere may be read by anybody. What is sent to no place before and after goes nowhere. */
export function comparePlaces(before: Places, after: Places): Move | null {
  const isIdle = before.isOff === true && after.isOff === true;
  const isMoved = without(before.of, after.of).length + without(after.of, before.of).length > 0;
  if (isIdle || !isMoved) return null;
  return {
    way: "unknown",
    why: `${after.sends} sent elsewhere: ${placeWords(before)} → ${placeWords(after)}`,
  };
}

/**
 * What goes after a change to where it did not go before, in words. What is switched off counts: it is switched on
 * without another word of where it sends.
 */
export function redirects(before: Dimensions, after: Dimensions): readonly string[] {
  return Object.entries(after).flatMap(([dimension, places]) => {
    if (places.as !== "places") return [];
    const old = before[dimension];
    const come = without(places.of, old?.as === "places" ? old.of : []);
    return come.length === 0 ? [] : [`${places.sends} sent to ${placeWords({ of: come })}`];
  });
}

function without(places: readonly Place[], others: readonly Place[]): readonly Place[] {
  const known = new Set(others.map(({ id }) => id));
  return places.filter(({ id }) => !known.has(id));
}

export function placeWords({ of }: Pick<Places, "of">): string {
  return of.length === 0 ? "nowhere" : listed(of.map(({ is }) => is));
}
