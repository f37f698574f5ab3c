import { cut } from "../model/cut.js";
import type { Shift } from "../model/strength.js";

/** How a change moves something: which way, in words, and of what gets weaker something that shows it. */
export interface Move extends Pick<Shift, "why"> {
  readonly way: Way;
  readonly witness?: Shift["witness"];
}

/** What does nothing is no move. */
export type Way = Exclude<Shift["way"], "neutral">;

/** Several moves in one; null: nothing moves. What cannot be decided outweighs the rest: it may be the worst of all. */
export function together(ways: Iterable<Way>): Way | null {
  const kinds = new Set(ways);
  if (kinds.has("unknown")) return "unknown";
  if (kinds.has("mixed") || kinds.size > 1) return "mixed";
  return kinds.values().next().value ?? null;
}

/** Some of a sentence: of many only the first few. */
export function listed(parts: readonly string[], separator = ", "): string {
  const few = parts.slice(0, MOST).map((part) => cut(part, MOST_CHARS));
  const rest = parts.length - few.length;
  return [...few, ...(rest > 0 ? [`${rest} more`] : [])].join(separator);
}

const MOST = 3;
const MOST_CHARS = 300;
