import { coverage } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { cut } from "../model/cut.js";
import { equal as equalValues } from "../model/json.js";
import type {
  Destination,
  Destinations,
  Dimensions,
  Does,
  Effect,
  Hindrance,
  Members,
  Rank,
  Ranks,
  Shift,
  Strength,
} from "../model/strength.js";
import { compareLayers } from "./compare-csp-layers.js";
import { compareOverridden } from "./compare-overridden.js";
import { combinedWay, listText, type Move, reasonOf } from "./move.js";
import { matchesAllOf, NOTHING, requestsOf } from "./scope-words.js";
import { compareScopes, onOwnHosts, scopeAlone, type ZoneName } from "./scopes.js";
import { compareSkips } from "./skips.js";

/**
 * The effect of one object's change on protection, dimension by dimension. A missing object protects nothing.
 *
 * @param zone the zone whose hosts count; null: any host counts
 */
export function shifts(before: Dimensions, after: Dimensions, zone: ZoneName = null): readonly Shift[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((dimension) => {
    const [old, next] = [before[dimension], after[dimension]];
    const move = compare(old, next, zone);
    if (move === null) return [];
    const isDoubtful = move.way === "stronger" && !equalValues(unreadIn(old), unreadIn(next));
    return [{ dimension, witness: null, ...(isDoubtful ? unknownGain(move) : move) }];
  });
}

/**
 * The protecting expressions that this version cannot parse. Skip expressions are left out: skipping less is a gain
 * everywhere.
 */
function unreadIn(strength: Strength | undefined): readonly string[] {
  return expressionsOf(strength).filter((where) => !parsedExpression(where).ok);
}

function expressionsOf(strength: Strength | undefined): readonly string[] {
  switch (strength?.as) {
    case "scope":
      return [strength.of];
    case "layers":
      return strength.layers.map(({ where }) => where);
    default:
      return [];
  }
}

/** A gain for unreadable requests is no proven gain. */
function unknownGain({ why, witness = null }: Move): Move {
  return { way: "unknown", why: `${why}; the expression has parts unknown to this version`, witness };
}

const EFFECTS = { stronger: "strengthens", weaker: "weakens", mixed: "mixed", unknown: "unknown" } as const;

export function effectOf(objectShifts: readonly Shift[]): Effect {
  const way = combinedWay(objectShifts.flatMap((each) => (each.way === "neutral" ? [] : [each.way])));
  return way === null ? "neutral" : EFFECTS[way];
}

function compare(before: Strength | undefined, after: Strength | undefined, zone: ZoneName): Move | null {
  if (before === undefined || after === undefined) return compareWithNothing(before, after, zone);
  if (before.as === "rank" && after.as === "rank") return compareRanks(before, after);
  if (before.as === "ranks" && after.as === "ranks") return compareRanksByName(before, after);
  if (before.as === "overridden" && after.as === "overridden") return compareOverridden(before, after);
  if (before.as === "set" && after.as === "set") return compareSets(before, after);
  if (before.as === "scope" && after.as === "scope") return compareScopes(before.of, after.of, zone);
  if (before.as === "skips" && after.as === "skips") return compareSkips(before, after, zone);
  if (before.as === "layers" && after.as === "layers") return compareLayers(before, after, zone);
  if (before.as === "places" && after.as === "places") return comparePlaces(before, after);
  if (equalValues(before, after)) return null;
  if (after.as === "unknown" || before.as === "unknown")
    return { way: "unknown", why: whyUnknown(before) ?? whyUnknown(after) ?? "" };
  return { way: "unknown", why: `${wordsOf(before)} → ${wordsOf(after)}` };
}

/** A dimension that only one side has. On the other side the object is missing or switched off. */
function compareWithNothing(
  before: Strength | undefined,
  after: Strength | undefined,
  zone: ZoneName,
): Move | null {
  const way = before === undefined ? "stronger" : "weaker";
  const present = before ?? after;
  switch (present?.as) {
    case undefined:
      return null;
    case "opaque":
      return before === undefined && present.isDoubtful === true ? { way: "unknown", why: present.is } : null;
    // Starting or stopping to send is a dimension of its own.
    case "places":
    // Rules come and go with the ruleset that runs them.
    case "overridden":
      return null;
    case "unknown":
      return { way: "unknown", why: present.why };
    case "rank":
      return isSomething(present) ? { way, why: comesOrGoes(present, way) } : null;
    case "ranks":
      return Object.values(present.of).some(isSomething) ? { way, why: comesOrGoes(present, way) } : null;
    case "set":
      return setAlone(present, way);
    case "scope":
      return scopeAlone(present.of, way, zone);
    case "skips":
      return before === undefined ? compareSkips(null, present, zone) : compareSkips(present, null, zone);
    case "layers": {
      // The unknown part comes or goes with the rest.
      const { beside: _, ...comparable } = present;
      const empty = { ...comparable, layers: [] };
      return before === undefined ? compareLayers(empty, present, zone) : compareLayers(present, empty, zone);
    }
  }
}

function whyUnknown(strength: Strength): string | null {
  return strength.as === "unknown" ? strength.why : null;
}

function isSomething(does: Does): boolean {
  return does !== "off" && (does.as === "opaque" || (does.value !== 0 && does.isDetail !== true));
}

function comesOrGoes(strength: Strength, way: "stronger" | "weaker"): string {
  if (strength.as === "rank" && strength.is === undefined) return SWITCHED[way];
  return `${wordsOf(strength)} ${way === "stronger" ? "comes into force" : "is no longer in force"}`;
}

/**
 * The shifts of an object that a hindrance may keep from taking effect. If earlier rules make every request skip the
 * object, a gain is neutral; if they may do so, a gain is unknown. A loss still counts, because those rules may be
 * removed.
 *
 * @param before null: the object does not exist
 * @param declared the ids of live objects that the files declare
 * @param zone the zone whose hosts count; null: any host counts
 */
export function withHindrances(
  ownShifts: readonly Shift[],
  before: readonly Hindrance[] | null,
  after: readonly Hindrance[] | null,
  declared: ReadonlySet<string> = NONE,
  zone: ZoneName = null,
): readonly Shift[] {
  const latest = after ?? before ?? [];
  const gain = GAINS[`${passedBy(latest, zone)}`];
  const counted = ownShifts.map((shift) => (shift.way === "stronger" ? { ...shift, way: gain } : shift));
  const isIdle = [before ?? latest, after ?? latest].every((side) => side.some(({ as }) => as === "off"));
  return [
    ...counted,
    ...(ownShifts.length === 0 && isIdle ? [inForce("is switched off")] : exceptions(latest, declared)),
  ];
}

/** The requests that skip an object, as reasons of no effect. */
export function exceptions(
  hindrances: readonly Hindrance[],
  declared: ReadonlySet<string>,
): readonly Shift[] {
  const skips = hindrances.flatMap((each) =>
    each.as === "skip" && coverage(each.where, each.scope) !== "disjoint" ? each : [],
  );
  const named = skips
    .slice(0, MOST_NAMED)
    .map((each) => whySkipped(each, each.id === null || declared.has(each.id)));
  const unnamed = skips.length - MOST_NAMED;
  const rest = `applies except where ${unnamed} more ${unnamed === 1 ? "rule" : "rules"} may skip it`;
  return [...named, ...(unnamed > 0 ? [rest] : [])].map(inForce);
}

/** Thousands of rules can skip each of thousands of objects. */
const MOST_NAMED = 20;

function inForce(why: string): Shift {
  return { dimension: IN_FORCE, way: "neutral", why, witness: null };
}

/** How a gain counts, by whether every request skips the object. */
const GAINS = { true: "neutral", unknown: "unknown", false: "stronger" } as const;

/** The dimension that tells whether the object does anything at all. */
const IN_FORCE = "in_force";

type Skip = Extract<Hindrance, { readonly as: "skip" }>;

/**
 * Whether earlier rules together skip every request of the object. If they do so only on the zone's own hosts, the
 * answer is unknown.
 */
function passedBy(hindrances: readonly Hindrance[], zone: ZoneName): boolean | "unknown" {
  const wholeSkips = hindrances.flatMap((each) => (each.as === "skip" && each.of === "all" ? each : []));
  const [first] = wholeSkips;
  if (first === undefined) return false;
  const wheres = [...new Set(wholeSkips.map(({ where }) => where))];
  // Parentheses could turn an invalid expression into a valid one.
  const readable = wheres.filter((each) => parsedExpression(each).ok);
  const union = readable.map((each) => `(${each})`).join(" or ") || NOTHING;
  const isPassed = matchesAllOf(union, first.scope);
  if (isPassed !== false) return isPassed;
  const isWithin = zone !== null && matchesAllOf(union, onOwnHosts(first.scope, zone)) === true;
  return isWithin || readable.length < wheres.length ? "unknown" : false;
}

const NONE: ReadonlySet<string> = new Set();

function whySkipped({ by, where, of, called, isSure }: Skip, isDeclared: boolean): string {
  const verb = isSure === false ? "may skip it" : of === "all" ? "skips it" : "skips some of its rules";
  const rule = called === undefined ? "" : `the ${called} `;
  const name = `${rule}${JSON.stringify(cut(by, MAX_CHARS))}${isDeclared ? "" : " (undeclared)"}`;
  return `applies except where ${name} ${verb}: ${requestsOf(where)}`;
}

const MAX_CHARS = 80;

/**
 * The blocking shifts, with the reasons of the change itself. Compared alone, an object that starts to block looks new:
 * `starts to block on every page` instead of `from reporting to blocking`.
 */
export function withOwnReasons(blocking: readonly Shift[], causes: readonly Shift[]): readonly Shift[] {
  const explained = blocking.flatMap((shift) => {
    const { dimension, way, witness } = shift;
    const cause = causes.find((each) => each.dimension === dimension && isAlike(each.way, way));
    if (cause !== undefined) return [{ dimension, way, why: cause.why, witness }];
    const sameWay = causes.filter((each) => each.way === way);
    return sameWay.length === 0 ? [shift] : sameWay;
  });
  return [...new Map(explained.map((shift) => [shift.dimension, shift])).values()];
}

/** The reason of a mixed or unknown shift also covers a single direction. */
function isAlike(changeWay: Shift["way"], way: Shift["way"]): boolean {
  return changeWay === way || changeWay === "mixed" || changeWay === "unknown";
}

function compareRanks(before: Rank, after: Rank): Move | null {
  const [leastBefore, leastAfter] = [before.least ?? before.value, after.least ?? after.value];
  if (before.value === after.value && leastBefore === leastAfter) return null;
  const way = leastAfter >= before.value ? "stronger" : after.value <= leastBefore ? "weaker" : "mixed";
  const called = after.called === undefined ? "" : `${after.called} `;
  if (way === "mixed") return { way, why: `${called}${before.is} → ${after.is}` };
  if (before.is === undefined || after.is === undefined) return { way, why: `${called}${SWITCHED[way]}` };
  const means = after.means === undefined ? "" : `: ${after.means[way]}`;
  return { way, why: `${called}${before.is} → ${after.is}${means}` };
}

/** The words for a rank without words of its own. */
const SWITCHED = { stronger: "switched on", weaker: "switched off" } as const;

/** Compares name by name. A name missing on one side counts as in `others`. If it is missing there, its effect is unknown. */
function compareRanksByName(before: Ranks, after: Ranks): Move | null {
  const names = new Set([...Object.keys(before.of), ...Object.keys(after.of)]);
  const moves = [...names].flatMap((name) => {
    const move = compareDoing(doneBy(before, name), doneBy(after, name));
    return move === null ? [] : [{ way: move.way, why: `${name}: ${move.why}` }];
  });
  const way = combinedWay(moves.map((each) => each.way));
  return way === null ? null : { way, why: listText(moves.map(({ why }) => why)) };
}

function doneBy({ of, others }: Ranks, name: string): Does | undefined {
  return Object.hasOwn(of, name) ? of[name] : others?.get(name);
}

/** Switching on or off is reported in another dimension. */
function compareDoing(before: Does | undefined, after: Does | undefined): Move | null {
  if (before === "off" || after === "off") return null;
  if (before?.as === "rank" && after?.as === "rank") return compareRanks(before, after);
  if (before?.as === "opaque" && after?.as === "opaque" && before.is === after.is) return null;
  return { way: "unknown", why: `${before?.is ?? ITS_OWN} → ${after?.is ?? ITS_OWN}` };
}

const ITS_OWN = "its own action";

function compareSets(before: Members, after: Members): Move | null {
  const added = after.of.filter((each) => !before.of.includes(each));
  const removed = before.of.filter((each) => !after.of.includes(each));
  if (added.length === 0 && removed.length === 0) return null;
  const why = wordsFor(added, removed, after);
  if (added.length === 0 || removed.length === 0) {
    const way = added.length > 0 === (after.stronger === "more") ? "stronger" : "weaker";
    const doubts = way === "stronger" && after.doubt !== undefined ? [after.doubt] : [];
    const sureWay = doubts.length > 0 ? "unknown" : way;
    return { way: sureWay, ...reasonOf(sureWay, [...switchWords(before, after), why, ...doubts]) };
  }
  const { whole, vague = [] } = after;
  if (whole !== undefined && added.includes(whole))
    return { way: "stronger", why: wordsFor(added, [], after) };
  if (whole !== undefined && removed.includes(whole))
    return { way: "weaker", why: `only ${wordsFor(added, [], after)}` };
  return { way: [...added, ...removed].some((each) => vague.includes(each)) ? "unknown" : "mixed", why };
}

function switchWords(before: Members, { of, switched }: Members): readonly string[] {
  if (switched === undefined) return [];
  if (before.of.length === 0) return [switched.on];
  return of.length === 0 ? [switched.off] : [];
}

/** A set that appears or disappears with its object. Switching off a part of a new object weakens no other object. */
function setAlone(set: Members, way: "stronger" | "weaker"): Move | null {
  if (set.stronger === "fewer" || set.of.length === 0 || set.isDetail === true) return null;
  const of = set.from === undefined ? "" : ` of ${set.from}`;
  return { way, why: way === "stronger" ? wordsFor(set.of, [], set, of) : wordsFor([], set.of, set, of) };
}

function wordsFor(added: readonly string[], removed: readonly string[], set: Members, of = ""): string {
  const { come: comes, go: goes } = set.words ?? { come: "added", go: "removed" };
  const parts: readonly (readonly [readonly string[], string])[] = [
    [removed, goes],
    [added, comes],
  ];
  return parts
    .filter(([names]) => names.length > 0)
    .map(([names, happens]) => `${listText(names)}${of} ${happens}${rulesIn(names, set)}`)
    .join("; ");
}

function rulesIn(names: readonly string[], { rules }: Members): string {
  const counts = names.map((name) => rules?.get(name));
  if (counts.includes(undefined)) return "";
  return ` (${counts.join(" + ")} ${counts.length === 1 && counts[0] === 1 ? "rule" : "rules"})`;
}

/** A new destination may be read by anyone. An object that is off before and after sends nothing. */
function comparePlaces(before: Destinations, after: Destinations): Move | null {
  if (before.isOff === true && after.isOff === true) return null;
  const isMoved = without(before.of, after.of).length + without(after.of, before.of).length > 0;
  if (isMoved)
    return {
      way: "unknown",
      why: `${after.sends} sent elsewhere: ${placeWords(before)} → ${placeWords(after)}`,
    };
  const started = startedBetween(before, after);
  return started.length === 0 ? null : { way: "unknown", why: sentWords(after, started) };
}

/** Undeclared destinations of an object that this change switches on. */
function startedBetween(before: Destinations, after: Destinations): readonly Destination[] {
  const isStarted = before.isOff !== undefined && after.isOff !== true && before.isOff !== after.isOff;
  return isStarted ? after.of.filter(({ isUndeclared }) => isUndeclared === true) : [];
}

/**
 * The new destinations after a change, in words. The destination of a switched-off object counts if the files declare
 * it: switching the object on needs no further word about it.
 */
export function redirects(before: Dimensions, after: Dimensions): readonly string[] {
  return Object.entries(after).flatMap(([dimension, places]) => {
    if (places.as !== "places") return [];
    const old = before[dimension];
    const added =
      old?.as === "places" ? [...without(places.of, old.of), ...startedBetween(old, places)] : places.of;
    return added.length === 0 ? [] : [sentWords(places, added)];
  });
}

function sentWords({ sends }: Destinations, of: readonly Destination[]): string {
  return `${sends} sent to ${placeWords({ of })}`;
}

function without(
  places: readonly Destination[],
  otherPlaces: readonly Destination[],
): readonly Destination[] {
  const otherIds = new Set(otherPlaces.map(({ id }) => id));
  return places.filter(({ id }) => !otherIds.has(id));
}

function placeWords({ of }: Pick<Destinations, "of">): string {
  return of.length === 0 ? "nowhere" : listText(of.map(({ is }) => is));
}

export function wordsOf(strength: Strength): string {
  switch (strength.as) {
    case "rank":
      return rankWords(strength);
    case "ranks":
      return listText(
        Object.entries(strength.of).flatMap(([name, does]) =>
          does === "off" ? [] : [`${name}: ${wordsOf(does)}`],
        ),
      );
    case "set":
      return listText(strength.of);
    case "skips":
      return `skips ${strength.is}: ${requestsOf(strength.where)}`;
    case "scope":
      return strength.of;
    case "layers":
      return "a policy";
    case "overridden":
      return "the actions of its rules";
    case "opaque":
      return strength.words ?? strength.is;
    case "unknown":
      return `unknown, since ${strength.why}`;
    case "places":
      return placeWords(strength);
  }
}

function rankWords({ value, is, called }: Rank): string {
  const text = is ?? String(value);
  return called === undefined ? text : `${called} ${text}`;
}
