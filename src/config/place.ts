import type { Span } from "../model/problem.js";
import { lastIndexWhere } from "./last-index-where.js";
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
    const index = lastIndexWhere(starts, (start) => start <= offset);
    const start = starts[index] ?? 0;
    const line = withoutEnd(shown.slice(start, starts[index + 1]));
    const column = Math.min(offset - start, line.length) + 1;
    return { file, line: index + 1, column, pointer, text: line };
  };
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}

/** The line without its line break. One file may be one line, and have many problems. */
function withoutEnd(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
}
