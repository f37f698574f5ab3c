import { cut } from "../model/cut.js";
import type { Shift } from "../model/strength.js";

/** A change in one dimension: its direction, the reason, and a witness for a loss. */
export interface Move extends Pick<Shift, "why" | "facts"> {
  readonly way: Way;
  readonly witness?: Shift["witness"];
}

/** A neutral shift is no move. */
export type Way = Exclude<Shift["way"], "neutral">;

/** The sum of several moves. Null: nothing moves. An undecided move outweighs the rest: it may be the worst of all. */
export function combinedWay(ways: Iterable<Way>): Way | null {
  const kinds = new Set(ways);
  if (kinds.has("unknown")) return "unknown";
  if (kinds.has("mixed") || kinds.size > 1) return "mixed";
  return kinds.values().next().value ?? null;
}

/** The reason of a move. Facts that go in different ways, or in an unknown way, are not told apart. */
export function reasonOf(way: Way, facts: readonly string[]): Pick<Shift, "why" | "facts"> {
  const why = facts.join("; ");
  return facts.length > 1 && (way === "stronger" || way === "weaker") ? { why, facts } : { why };
}

/** Part of a sentence. Only the first few items of a long list are shown. */
export function listText(parts: readonly string[], separator = ", "): string {
  const shown = parts.slice(0, MOST).map((part) => cut(part, MOST_CHARS));
  const hiddenCount = parts.length - shown.length;
  return [...shown, ...(hiddenCount > 0 ? [`${hiddenCount} more`] : [])].join(separator);
}

const MOST = 3;
const MOST_CHARS = 300;
