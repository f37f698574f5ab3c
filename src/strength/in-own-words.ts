import type { Shift } from "../model/strength.js";

/**
 * What a change does to what blocks, for the reasons of the change itself: of an object that begins to block, or
 * ceases to, all that it is would count as come or gone.
 */
export function inOwnWords(blocking: readonly Shift[], own: readonly Shift[]): readonly Shift[] {
  const told = blocking.flatMap((shift) => {
    const same = own.find(({ dimension, way }) => dimension === shift.dimension && isAlike(way, shift.way));
    if (same !== undefined) return [{ ...shift, why: same.why }];
    const others = own.filter(({ way }) => way === shift.way);
    return others.length === 0 ? [shift] : others;
  });
  return [...new Map(told.map((shift) => [shift.dimension, shift])).values()];
}

/** The reasons for what goes both ways have the one way in them. */
function isAlike(own: Shift["way"], way: Shift["way"]): boolean {
  return own === way || own === "mixed" || own === "unknown";
}
