import type { Members } from "../model/strength.js";
import { listed } from "./listed.js";
import type { Move } from "./ways.js";

export function compareSets(before: Members, after: Members): Move | null {
  const come = after.of.filter((each) => !before.of.includes(each));
  const gone = before.of.filter((each) => !after.of.includes(each));
  if (come.length === 0 && gone.length === 0) return null;
  const why = wordsFor(come, gone, after);
  if (come.length === 0 || gone.length === 0) {
    const way = come.length > 0 === (after.stronger === "more") ? "stronger" : "weaker";
    return { way, why: [...switchWords(before, after), why].join("; ") };
  }
  const { whole, vague = [] } = after;
  if (whole !== undefined && come.includes(whole)) return { way: "stronger", why: wordsFor(come, [], after) };
  if (whole !== undefined && gone.includes(whole))
    return { way: "weaker", why: `only ${wordsFor(come, [], after)}` };
  return { way: [...come, ...gone].some((each) => vague.includes(each)) ? "unknown" : "mixed", why };
}

function switchWords(before: Members, { of, switched }: Members): readonly string[] {
  if (switched === undefined) return [];
  if (before.of.length === 0) return [switched.on];
  return of.length === 0 ? [switched.off] : [];
}

/** A set that comes or goes with its object. What is switched off in an object takes nothing from others. */
export function setAlone(set: Members, way: "stronger" | "weaker"): Move | null {
  if (set.stronger === "fewer" || set.of.length === 0 || set.isDetail === true) return null;
  const of = set.from === undefined ? "" : ` of ${set.from}`;
  return { way, why: way === "stronger" ? wordsFor(set.of, [], set, of) : wordsFor([], set.of, set, of) };
}

function wordsFor(come: readonly string[], gone: readonly string[], set: Members, of = ""): string {
  const { come: comes, go: goes } = set.said ?? { come: "added", go: "removed" };
  const parts: readonly (readonly [readonly string[], string])[] = [
    [gone, goes],
    [come, comes],
  ];
  return parts
    .filter(([names]) => names.length > 0)
    .map(([names, happens]) => `${listed(names)}${of} ${happens}${rulesIn(names, set)}`)
    .join("; ");
}

function rulesIn(names: readonly string[], { rules }: Members): string {
  const counts = names.map((name) => rules?.get(name));
  if (counts.includes(undefined)) return "";
  return ` (${counts.join(" + ")} ${counts.length === 1 && counts[0] === 1 ? "rule" : "rules"})`;
}
