import { coverage } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { cut } from "../model/cut.js";
import { equal as equalValues } from "../model/json.js";
import type {
  Dimensions,
  Does,
  Effect,
  Hindrance,
  Members,
  Place,
  Places,
  Rank,
  Ranks,
  Shift,
  Strength,
} from "../model/strength.js";
import { compareLayers } from "./compare-layers.js";
import { compareOverridden } from "./compare-overridden.js";
import { listed, type Move, together } from "./move.js";
import { matchesAllOf, NOTHING, requestsOf } from "./scope-words.js";
import { compareScopes, onOwnHosts, scopeAlone, type ZoneName } from "./scopes.js";
import { compareSkips } from "./skips.js";

/**
 * What a change of one object does to protection, dimension by dimension. An object that is not there has none.
 *
 * @param zone whose hosts count; null: any may
 */
export function shifts(before: Dimensions, after: Dimensions, zone: ZoneName = null): readonly Shift[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((dimension) => {
    const [was, is] = [before[dimension], after[dimension]];
    const move = compare(was, is, zone);
    if (move === null) return [];
    const isDoubtful = move.way === "stronger" && !equalValues(unreadIn(was), unreadIn(is));
    return [{ dimension, witness: null, ...move, ...(isDoubtful ? doubted(move) : {}) }];
  });
}

/**
 * The expressions that this version knows in part or not at all, of what protects where they match. To skip less is a gain
 * wherever that is.
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

/** A gain for requests that nothing is known of is none. */
function doubted({ why }: Move): Move {
  return { way: "unknown", why: `${why}; the expression has parts unknown to this version` };
}

const EFFECTS = { stronger: "strengthens", weaker: "weakens", mixed: "mixed", unknown: "unknown" } as const;

/** The sum of shifts. */
export function effectOf(all: readonly Shift[]): Effect {
  const way = together(all.flatMap((each) => (each.way === "neutral" ? [] : [each.way])));
  return way === null ? "neutral" : EFFECTS[way];
}

function compare(before: Strength | undefined, after: Strength | undefined, zone: ZoneName): Move | null {
  if (before === undefined || after === undefined) return compareWithNothing(before, after, zone);
  if (before.as === "rank" && after.as === "rank") return compareRanks(before, after);
  if (before.as === "ranks" && after.as === "ranks") return compareSeveral(before, after);
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

/** A dimension that only one side has: the object is not there, or not switched on, on the other. */
function compareWithNothing(
  before: Strength | undefined,
  after: Strength | undefined,
  zone: ZoneName,
): Move | null {
  const way = before === undefined ? "stronger" : "weaker";
  const there = before ?? after;
  switch (there?.as) {
    case undefined:
      return null;
    case "opaque":
      return before === undefined && there.isDoubtful === true ? { way: "unknown", why: there.is } : null;
    // Whether it is sent at all is what comes or goes.
    case "places":
    // So do rules with what runs them.
    case "overridden":
      return null;
    case "unknown":
      return { way: "unknown", why: there.why };
    case "rank":
      return isSomething(there) ? { way, why: comesOrGoes(there, way) } : null;
    case "ranks":
      return Object.values(there.of).some(isSomething) ? { way, why: comesOrGoes(there, way) } : null;
    case "set":
      return setAlone(there, way);
    case "scope":
      return scopeAlone(there.of, way, zone);
    case "skips":
      return before === undefined ? compareSkips(null, there, zone) : compareSkips(there, null, zone);
    case "layers": {
      // What is unknown of it comes or goes with it.
      const { beside: _, ...known } = there;
      const none = { ...known, layers: [] };
      return before === undefined ? compareLayers(none, there, zone) : compareLayers(there, none, zone);
    }
  }
}

function whyUnknown(strength: Strength): string | null {
  return strength.as === "unknown" ? strength.why : null;
}

function isSomething(does: Does): boolean {
  return does !== "off" && (does.as === "opaque" || (does.value !== 0 && does.isDetail !== true));
}

function comesOrGoes(there: Strength, way: "stronger" | "weaker"): string {
  if (there.as === "rank" && there.is === undefined) return SWITCHED[way];
  return `${wordsOf(there)} ${way === "stronger" ? "comes into force" : "is no longer in force"}`;
}

/**
 * The shifts of an object that a hindrance keeps from taking effect. Where an unmanaged rule makes every request skip it, a
 * gain is neutral, and where it may, unknown. A loss still counts, since that rule may be removed.
 *
 * @param before null: the object is not there
 * @param declared the ids of live objects that the files declare
 * @param zone whose hosts count; null: any may
 */
export function hindered(
  own: readonly Shift[],
  before: readonly Hindrance[] | null,
  after: readonly Hindrance[] | null,
  declared: ReadonlySet<string> = NONE,
  zone: ZoneName = null,
): readonly Shift[] {
  const now = after ?? before ?? [];
  const skips = now.flatMap((each) => (each.as === "skip" ? whySkipped(each, declared.has(each.id)) : []));
  const gain = GAINS[`${passedBy(now, zone)}`];
  const counted = own.map((shift) => (shift.way === "stronger" ? { ...shift, way: gain } : shift));
  const isIdle = [before ?? now, after ?? now].every((side) => side.some(({ as }) => as === "off"));
  const reasons = own.length === 0 && isIdle ? ["it is switched off"] : skips;
  return [
    ...counted,
    ...reasons.map((why): Shift => ({ dimension: IN_FORCE, way: "neutral", why, witness: null })),
  ];
}

/** What a gain counts as, by whether every request goes past the object. */
const GAINS = { true: "neutral", unknown: "unknown", false: "stronger" } as const;

/** The dimension of what says whether the object does anything at all. */
const IN_FORCE = "in_force";

type Skip = Extract<Hindrance, { readonly as: "skip" }>;

/**
 * Whether one or another of the rules in front lets every request past that the object is for. On the zone's own hosts
 * alone, it is unknown.
 */
function passedBy(hindrances: readonly Hindrance[], zone: ZoneName): boolean | "unknown" {
  const whole = hindrances.flatMap((each) => (each.as === "skip" && each.of === "all" ? each : []));
  const [first] = whole;
  if (first === undefined) return false;
  const wheres = [...new Set(whole.map(({ where }) => where))];
  // In parentheses, what is no expression could become one.
  const known = wheres.filter((each) => parsedExpression(each).ok);
  const any = known.map((each) => `(${each})`).join(" or ") || NOTHING;
  const isPassed = matchesAllOf(any, first.own);
  if (isPassed !== false) return isPassed;
  const isWithin = zone !== null && matchesAllOf(any, onOwnHosts(first.own, zone)) === true;
  return isWithin || known.length < wheres.length ? "unknown" : false;
}

const NONE: ReadonlySet<string> = new Set();

function whySkipped({ by, where, own, of, called, isSure }: Skip, isDeclared: boolean): readonly string[] {
  if (coverage(where, own) === "disjoint") return [];
  const what = isSure === false ? "may skip it" : of === "all" ? "skips it" : "skips some of its rules";
  const rule = called === undefined ? "" : `the ${called} `;
  const name = `${rule}${JSON.stringify(cut(by, MAX_CHARS))}${isDeclared ? "" : " (not managed)"}`;
  return [`except where ${name} ${what}: ${requestsOf(where)}`];
}

const MAX_CHARS = 80;

/**
 * The shifts of what blocks, with the reasons that the change itself has. Compared alone, an object that starts to block
 * seems to come as a whole: `starts to block on every page`, where the change is `from reporting to blocking`.
 */
export function withOwnReasons(blocking: readonly Shift[], own: readonly Shift[]): readonly Shift[] {
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

function compareRanks(before: Rank, after: Rank): Move | null {
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
const SWITCHED = { stronger: "switched on", weaker: "switched off" } as const;

/** Name by name. What one side does not name does as `others` says; where that does not say it either, it is unknown. */
function compareSeveral(before: Ranks, after: Ranks): Move | null {
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

function compareSets(before: Members, after: Members): Move | null {
  const added = after.of.filter((each) => !before.of.includes(each));
  const removed = before.of.filter((each) => !after.of.includes(each));
  if (added.length === 0 && removed.length === 0) return null;
  const why = wordsFor(added, removed, after);
  if (added.length === 0 || removed.length === 0) {
    const way = added.length > 0 === (after.stronger === "more") ? "stronger" : "weaker";
    const doubts = way === "stronger" && after.doubt !== undefined ? [after.doubt] : [];
    return {
      way: doubts.length > 0 ? "unknown" : way,
      why: [...switchWords(before, after), why, ...doubts].join("; "),
    };
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

/** A set that comes or goes with its object. What is switched off in an object takes nothing from others. */
function setAlone(set: Members, way: "stronger" | "weaker"): Move | null {
  if (set.stronger === "fewer" || set.of.length === 0 || set.isDetail === true) return null;
  const of = set.from === undefined ? "" : ` of ${set.from}`;
  return { way, why: way === "stronger" ? wordsFor(set.of, [], set, of) : wordsFor([], set.of, set, of) };
}

function wordsFor(added: readonly string[], removed: readonly string[], set: Members, of = ""): string {
  const { come: comes, go: goes } = set.said ?? { come: "added", go: "removed" };
  const parts: readonly (readonly [readonly string[], string])[] = [
    [removed, goes],
    [added, comes],
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
function comparePlaces(before: Places, after: Places): Move | null {
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

/** Places of a switched-off object that is switched on, and that no file has named before. */
function startedBetween(before: Places, after: Places): readonly Place[] {
  const isStarted = before.isOff !== undefined && after.isOff !== true && before.isOff !== after.isOff;
  return isStarted ? after.of.filter(({ isUndeclared }) => isUndeclared === true) : [];
}

/**
 * What goes after a change to where it did not go before, in words. A place of what is switched off counts: where a file
 * says it, the object is switched on without another word of it.
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

function sentWords({ sends }: Places, of: readonly Place[]): string {
  return `${sends} sent to ${placeWords({ of })}`;
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
    case "skips":
      return `skips ${strength.is}: ${requestsOf(strength.where)}`;
    case "scope":
      return strength.of;
    case "layers":
      return "a policy";
    case "overridden":
      return "what its rules do";
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
