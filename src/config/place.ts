import type { Span } from "../model/problem.js";
import { masked, type Range } from "./masked.js";

/** An offset into a file's text as a place. */
export type PlaceOf = (offset: number, pointer: string) => Span;

/**
 * Where the lines begin is found out when the first place is asked for: most files have no problem.
 *
 * @param sensitive what in the text may not be shown, besides what looks so
 */
export function placesIn(file: string, text: string, sensitive: () => readonly Range[] = () => []): PlaceOf {
  let starts: readonly number[] | null = null;
  let shown = "";
  return (offset, pointer) => {
    if (starts === null) shown = masked(text, sensitive());
    starts ??= lineStarts(text);
    const index = lineAt(starts, offset);
    const start = starts[index] ?? 0;
    const line = shown.slice(start, starts[index + 1]).replace(/\r?\n$/, "");
    const column = Math.min(offset - start, line.length) + 1;
    return { file, line: index + 1, column, pointer, text: line };
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** The last line that starts at the offset or before it. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
