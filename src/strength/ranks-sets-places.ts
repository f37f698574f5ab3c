import type { Dimensions, Does, Members, Place, Places, Rank, Ranks, Strength } from "../model/strength.js";
import { listed, type Move, together } from "./move.js";

export function compareRanks(before: Rank, after: Rank): Move | null {
  const [was, is] = [before.least ?? before.value, after.least ?? after.value];
  if (before.value === after.value && was === is) return null;
  const way = is >= before.value ? "stronger" : after.value <= was ? "weaker" : "mixed";
  const called = after.called === undefined ? "" : `${after.called} `;
  if (way === "mixed") return { way, why: `${called}${before.is} → ${after.is}` };
  if (before.is === undefined || after.is === undefined) return { way, why: `${called}${SWITCHED[way]}` };
  const means = after.means === undefined ? "" : `: ${after.means[way]}`;
  return { way, why: `${called}${before.is} → ${after.is}${means}` };
}

/** What a rank says that has no words of its own. */
export const SWITCHED = { stronger: "switched on", weaker: "switched off" } as const;

/** Name by name. What one side does not name does as `others` says; where that does not say it either, it is unknown. */
export function compareSeveral(before: Ranks, after: Ranks): Move | null {
  const names = new Set([...Object.keys(before.of), ...Object.keys(after.of)]);
  const moves = [...names].flatMap((name) => {
    const move = compareOne(doneBy(before, name), doneBy(after, name));
    return move === null ? [] : [{ way: move.way, why: `${name}: ${move.why}` }];
  });
  const way = together(moves.map((each) => each.way));
  return way === null ? null : { way, why: listed(moves.map(({ why }) => why)) };
}

function doneBy({ of, others }: Ranks, name: string): Does | undefined {
  return Object.hasOwn(of, name) ? of[name] : others?.get(name);
}

/** That something is switched on or off is told elsewhere. */
function compareOne(before: Does | undefined, after: Does | undefined): Move | null {
  if (before === "off" || after === "off") return null;
  if (before?.as === "rank" && after?.as === "rank") return compareRanks(before, after);
  if (before?.as === "opaque" && after?.as === "opaque" && before.is === after.is) return null;
  return { way: "unknown", why: `${before?.is ?? ITS_OWN} → ${after?.is ?? ITS_OWN}` };
}

const ITS_OWN = "its own action";

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

function placeWords({ of }: Pick<Places, "of">): string {
  return of.length === 0 ? "nowhere" : listed(of.map(({ is }) => is));
}

/** A strength by itself, in words. */
export function wordsOf(strength: Strength): string {
  switch (strength.as) {
    case "rank":
      return rankWords(strength);
    case "ranks":
      return listed(
        Object.entries(strength.of).flatMap(([name, does]) =>
          does === "off" ? [] : [`${name}: ${wordsOf(does)}`],
        ),
      );
    case "set":
      return listed(strength.of);
    case "scope":
      return strength.of;
    case "layers":
      return "a policy";
    case "opaque":
    case "unknown":
      return strength.is;
    case "places":
      return placeWords(strength);
  }
}

function rankWords({ value, is, called }: Rank): string {
  const text = is ?? String(value);
  return called === undefined ? text : `${called} ${text}`;
}
