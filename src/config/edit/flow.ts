import { lineEnd, lineStart, linesOf, type Page } from "./layout.js";
import type { Splice } from "./splice.js";

/** An item of a list between brackets, or a pair of a map. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Null: none is left. */
export function lastLeft(parts: readonly Part[], removed: readonly number[]): Part | null {
  return parts.findLast((_, index) => !removed.includes(index)) ?? null;
}

/**
 * Parts of a flow collection, each with the comma that it does not need any more; at least one stays. One that stands on
 * a line of its own goes with that.
 */
export function flowRemovals(
  page: Page,
  parts: readonly Part[],
  removed: readonly number[],
): readonly Splice[] {
  const firstLeft = parts.findIndex((_, index) => !removed.includes(index));
  return removed.flatMap((index) => {
    const part = parts[index];
    const neighbour = index < firstLeft ? parts[index + 1] : parts[index - 1];
    if (part === undefined || neighbour === undefined) return [];
    const rest = page.text.slice(part.end, lineEnd(page, part.end));
    const lines = /^\s*,?\s*(#.*)?\s*$/.test(rest)
      ? linesOf(page, part.start, part.end, index < firstLeft ? lineStart(page, part.start) : neighbour.end)
      : null;
    if (lines !== null) return [lines];
    return index < firstLeft
      ? [{ start: part.start, end: neighbour.start, text: "" }]
      : [{ start: neighbour.end, end: part.end, text: "" }];
  });
}
