import { areApart, includes } from "../csp/inclusion/includes.js";
import { coverage } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { groupBy } from "../model/group-by.js";
import { equal } from "../model/json.js";
import type { Dimensions, Layer, Strength } from "../model/strength.js";
import { wordsOf as inWords } from "./shifts.js";

/** Something that is stopped before and after, and may not be stopped now. */
export interface Gap {
  readonly dimension: string;
  /** What may be open, in words. */
  readonly why: string;
}

/**
 * Whether a state on the way from one to another protects as they do: in every dimension, what both before and after
 * stop, now stops. What cannot be decided does not hold.
 */
export function keepsProtection(now: Dimensions, before: Dimensions, after: Dimensions): boolean {
  return protectionGaps(now, before, after).next().done === true;
}

export function* protectionGaps(
  now: Dimensions,
  before: Dimensions,
  after: Dimensions,
): Generator<Gap, undefined> {
  for (const [dimension, old] of Object.entries(before)) {
    const next = after[dimension];
    // What stops nothing on one side has nothing in common with the other.
    if (next === undefined) continue;
    for (const why of strengthGaps(now[dimension], old, next)) yield { dimension, why };
  }
}

function strengthGaps(now: Strength | undefined, before: Strength, after: Strength): Iterable<string> {
  if (before.as === "rank" && after.as === "rank" && isAs("rank", now)) return rankGaps(now, before, after);
  if (before.as === "set" && after.as === "set" && isAs("set", now)) return setGaps(now, before, after);
  if (before.as === "layers" && after.as === "layers" && isAs("layers", now))
    return layerGaps(now?.layers ?? [], before.layers, after.layers);
  if (stopsNothing(before) && stopsNothing(after)) return [];
  const isEither = now !== undefined && (equal(now, before) || equal(now, after));
  return isEither ? [] : [wordsOf(now)];
}

/** Such as where something is sent. */
function stopsNothing(strength: Strength): boolean {
  return strength.as === "places" || (strength.as === "opaque" && strength.stopsNothing === true);
}

/** A dimension that nothing has now counts as the weakest of its form. */
function isAs<As extends Strength["as"]>(as: As, now: Strength | undefined): now is Of<As> | undefined {
  return now === undefined || now.as === as;
}

type Of<As extends Strength["as"]> = Extract<Strength, { readonly as: As }>;

function rankGaps(now: Of<"rank"> | undefined, before: Of<"rank">, after: Of<"rank">): readonly string[] {
  const least = before.value < after.value ? before : after;
  const isKept = now !== undefined && now.value >= least.value;
  return isKept ? [] : [`${wordsOf(now)} instead of ${wordsOf(least)}`];
}

function setGaps(now: Of<"set"> | undefined, before: Of<"set">, after: Of<"set">): readonly string[] {
  if (before.stronger === "more") {
    const common = before.of.filter((each) => after.of.includes(each));
    const lost = common.filter((each) => now?.of.includes(each) !== true);
    return lost.length === 0 ? [] : [`without ${lost.join(", ")}`];
  }
  if (now === undefined) return ["off"];
  const extra = now.of.filter((each) => !before.of.includes(each) && !after.of.includes(each));
  return extra.length === 0 ? [] : [extra.join(", ")];
}

function wordsOf(strength: Strength | undefined): string {
  if (strength === undefined) return "nothing";
  return strength.as === "layers" ? "other policies" : inWords(strength);
}

/**
 * What both stop is what a layer of before and a layer of after both stop, pair by pair. Each pair needs a layer now,
 * or several together, that apply wherever both do and refuse as much as one of them.
 */
function* layerGaps(
  now: readonly Layer[],
  before: readonly Layer[],
  after: readonly Layer[],
): Generator<string, undefined> {
  const there = new Set(now.map(identity));
  const isThere = (layer: Layer) => there.has(identity(layer));
  const lost = before.filter((layer) => !isThere(layer));
  const awaited = after.filter((layer) => !isThere(layer));
  // Mostly one side has nothing: what is new comes before anything goes.
  if (lost.length === 0 || awaited.length === 0) return;
  const byPages = groupBy(now, ({ where }) => where);
  const isGone = (layer: Layer) => !hasHeir(layer, byPages.get(layer.where) ?? []);
  const coming = awaited.filter(isGone);
  if (coming.length === 0) return;
  for (const old of lost.filter(isGone)) {
    for (const next of coming) if (!isKept({ old, next }, now)) yield wordsFor(old, next);
  }
}

/** A layer as one text, for finding the same one again: after each step all layers are asked for theirs. */
function identity(layer: Layer): string {
  const text = identities.get(layer) ?? JSON.stringify([layer.mode, layer.where, layer.csp]);
  identities.set(layer, text);
  return text;
}

const identities = new WeakMap<Layer, string>();

/**
 * Whether the same pages have a layer that does as much: mostly the one that its object has before or after a change.
 *
 * @param there what these pages have
 */
function hasHeir({ mode, csp }: Layer, there: readonly Layer[]): boolean {
  return there.some((each) => (each.mode === mode || each.mode === "enforce") && refuses(each.csp, csp));
}

interface Pair {
  readonly old: Layer;
  readonly next: Layer;
}

function isKept(pair: Pair, now: readonly Layer[]): boolean {
  if (matchApart(pair.old.where, pair.next.where)) return true;
  if (areApart(pair.old.csp, pair.next.csp)) return true;
  const able = now.filter(({ mode }) => mode === "enforce" || isReported(pair));
  const isAlike = ({ csp }: Layer) => csp === pair.old.csp || csp === pair.next.csp;
  // Those first of which only the expression is in question.
  const keeps = (layer: Layer) => keepsAlone(layer, pair);
  return able.filter(isAlike).some(keeps) || able.some(keeps) || keepTogether(able, pair);
}

/** What blocks reports as well, so of two layers the weaker mode is what they have in common. */
function isReported({ old, next }: Pair): boolean {
  return old.mode === "report" || next.mode === "report";
}

function keepsAlone(layer: Layer, { old, next }: Pair): boolean {
  const coversEither = () => covers(layer.where, old.where) || covers(layer.where, next.where);
  return refusesEnough(layer, { old, next }) && coversEither();
}

function refusesEnough({ csp }: Layer, { old, next }: Pair): boolean {
  return refuses(csp, old.csp) || refuses(csp, next.csp);
}

function keepTogether(able: readonly Layer[], pair: Pair): boolean {
  const { old, next } = pair;
  const areExpressions = parsedExpression(old.where).ok && parsedExpression(next.where).ok;
  if (!areExpressions) return false;
  const strong = able.filter((layer) => refusesEnough(layer, pair));
  return coverTogether(strong, `(${old.where}) and (${next.where})`);
}

/** Whether one or another of the layers applies to every request that the expression matches. */
function coverTogether(layers: readonly Layer[], where: string): boolean {
  // In parentheses, what is no expression could become one.
  const parts = [...new Set(layers.map((layer) => layer.where))].filter((each) => parsedExpression(each).ok);
  if (parts.length === 0 || parts.length > MOST_PARTS) return false;
  return covers(parts.map((each) => `(${each})`).join(" or "), where);
}

/** Expressions of more parts are rarely decided. */
const MOST_PARTS = 32;

function wordsFor(old: Layer, next: Layer): string {
  const does = isReported({ old, next }) ? "report" : "block";
  if (isSame(old, next)) return `what ${described(old)} ${does}s`;
  return `what both ${described(old)} and ${described(next)} ${does}`;
}

function isSame(a: Layer, b: Layer): boolean {
  return a.where === b.where && a.csp === b.csp;
}

function described({ csp, where }: Layer): string {
  return `\`${csp}\` on \`${where}\``;
}

/**
 * Whether a state on the way may block what both before and after allow. States in which every object is as before or
 * as after cannot: layers only add up.
 */
export function blocksBeyond(now: Dimensions, before: Dimensions, after: Dimensions): boolean {
  return Object.keys(now).some((dimension) => {
    const known = [...blockingIn(before, dimension), ...blockingIn(after, dimension)];
    const identities = new Set(known.map(identity));
    const odd = blockingIn(now, dimension).filter((layer) => !identities.has(identity(layer)));
    return odd.some((layer) => !isWithin(layer, known));
  });
}

function blockingIn(dimensions: Dimensions, dimension: string): readonly Layer[] {
  const strength = dimensions[dimension];
  return strength?.as === "layers" ? strength.layers.filter(({ mode }) => mode === "enforce") : [];
}

function isWithin({ csp, where }: Layer, known: readonly Layer[]): boolean {
  const same = known.filter((each) => each.csp === csp);
  const stricter = known.filter((each) => refuses(each.csp, csp));
  return coverTogether(same, where) || coverTogether(stricter, where);
}

/** Whether the first expression matches every request that the second one matches. "No" may mean undecided, here and below. */
function covers(where: string, other: string): boolean {
  return where === other || ["equal", "superset"].includes(coverage(where, other));
}

/** Whether no request matches both. The order of the two is always the same, so that a pair is compared once. */
function matchApart(where: string, other: string): boolean {
  const [first, second] = where < other ? [where, other] : [other, where];
  return where !== other && coverage(first, second) === "disjoint";
}

/** Whether the first CSP refuses all that the second one refuses. */
function refuses(csp: string, other: string): boolean {
  return csp === other || includes(other, csp) === true;
}
