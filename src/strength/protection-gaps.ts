import { areApart, includes } from "../csp/inclusion/includes.js";
import { coverage } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { groupBy } from "../model/group-by.js";
import { equal } from "../model/json.js";
import type { Dimensions, Layer, Strength } from "../model/strength.js";
import { wordsOf as inWords } from "./shifts.js";

/** Protection that exists before and after an apply, and may be missing at a step between. */
export interface Gap {
  readonly dimension: string;
  /** The loads or features that may be open, in words. */
  readonly why: string;
}

/** Whether an intermediate state stops, in every dimension, what both before and after stop. Undecided counts as false. */
export function keepsProtection(current: Dimensions, before: Dimensions, after: Dimensions): boolean {
  return protectionGaps(current, before, after).next().done === true;
}

export function* protectionGaps(
  current: Dimensions,
  before: Dimensions,
  after: Dimensions,
): Generator<Gap, undefined> {
  for (const [dimension, old] of Object.entries(before)) {
    const next = after[dimension];
    // A dimension missing after has no protection in common with before.
    if (next === undefined) continue;
    for (const why of strengthGaps(current[dimension], old, next)) yield { dimension, why };
  }
}

function strengthGaps(current: Strength | undefined, before: Strength, after: Strength): Iterable<string> {
  if (before.as === "rank" && after.as === "rank" && hasForm("rank", current))
    return rankGaps(current, before, after);
  if (before.as === "set" && after.as === "set" && hasForm("set", current))
    return setGaps(current, before, after);
  if (before.as === "layers" && after.as === "layers" && hasForm("layers", current))
    return layerGaps(current?.layers ?? [], before.layers, after.layers);
  if (stopsNothing(before) && stopsNothing(after)) return [];
  const isEither = current !== undefined && (equal(current, before) || equal(current, after));
  return isEither ? [] : [wordsOf(current)];
}

/** For example, the destinations of logs. */
function stopsNothing(strength: Strength): boolean {
  return strength.as === "places" || (strength.as === "opaque" && strength.stopsNothing === true);
}

/** A missing dimension counts as the weakest of its form. */
function hasForm<As extends Strength["as"]>(
  form: As,
  current: Strength | undefined,
): current is Of<As> | undefined {
  return current === undefined || current.as === form;
}

type Of<As extends Strength["as"]> = Extract<Strength, { readonly as: As }>;

function rankGaps(current: Of<"rank"> | undefined, before: Of<"rank">, after: Of<"rank">): readonly string[] {
  const least = before.value < after.value ? before : after;
  const isKept = current !== undefined && current.value >= least.value;
  return isKept ? [] : [`${wordsOf(current)} instead of ${wordsOf(least)}`];
}

function setGaps(current: Of<"set"> | undefined, before: Of<"set">, after: Of<"set">): readonly string[] {
  if (before.stronger === "more") {
    const common = before.of.filter((each) => after.of.includes(each));
    const lost = common.filter((each) => current?.of.includes(each) !== true);
    return lost.length === 0 ? [] : [`without ${lost.join(", ")}`];
  }
  if (current === undefined) return ["off"];
  const extra = current.of.filter((each) => !before.of.includes(each) && !after.of.includes(each));
  return extra.length === 0 ? [] : [extra.join(", ")];
}

function wordsOf(strength: Strength | undefined): string {
  if (strength === undefined) return "nothing";
  return strength.as === "layers" ? "other policies" : inWords(strength);
}

/**
 * Before and after both stop exactly what some pair of an old and a new layer both stop. Each pair needs one current
 * layer, or several together, on all pages of both, refusing as much as one of the two.
 */
function* layerGaps(
  current: readonly Layer[],
  before: readonly Layer[],
  after: readonly Layer[],
): Generator<string, undefined> {
  const currentIdentities = new Set(current.map(identity));
  const isCurrent = (layer: Layer) => currentIdentities.has(identity(layer));
  const lost = before.filter((layer) => !isCurrent(layer));
  const awaited = after.filter((layer) => !isCurrent(layer));
  // Usually one side is empty: new layers are added before old layers are removed.
  if (lost.length === 0 || awaited.length === 0) return;
  const byPages = groupBy(current, ({ where }) => where);
  const isGone = (layer: Layer) => !hasHeir(layer, byPages.get(layer.where) ?? []);
  const coming = awaited.filter(isGone);
  if (coming.length === 0) return;
  for (const old of lost.filter(isGone)) {
    for (const next of coming) if (!isKept({ old, next }, current)) yield wordsFor(old, next);
  }
}

/** A layer as a text, to find equal layers. Cached, because every step compares all layers. */
function identity(layer: Layer): string {
  const text = identities.get(layer) ?? JSON.stringify([layer.mode, layer.where, layer.csp]);
  identities.set(layer, text);
  return text;
}

const identities = new WeakMap<Layer, string>();

/**
 * Whether another layer on the same pages does as much: usually the object's own layer before or after its change.
 *
 * @param neighbours the current layers of the same pages
 */
function hasHeir({ mode, csp }: Layer, neighbours: readonly Layer[]): boolean {
  return neighbours.some((each) => (each.mode === mode || each.mode === "enforce") && refuses(each.csp, csp));
}

interface Pair {
  readonly old: Layer;
  readonly next: Layer;
}

function isKept(pair: Pair, current: readonly Layer[]): boolean {
  if (matchApart(pair.old.where, pair.next.where)) return true;
  if (areApart(pair.old.csp, pair.next.csp)) return true;
  const able = current.filter(({ mode }) => mode === "enforce" || isReported(pair));
  const isAlike = ({ csp }: Layer) => csp === pair.old.csp || csp === pair.next.csp;
  // Layers with one of the two CSPs come first: only their expressions need comparing.
  const keeps = (layer: Layer) => keepsAlone(layer, pair);
  return able.filter(isAlike).some(keeps) || able.some(keeps) || keepTogether(able, pair);
}

/** A blocking layer also reports, so the weaker mode is what the two have in common. */
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

/** Whether the layers together apply to every request that the expression matches. */
function coverTogether(layers: readonly Layer[], where: string): boolean {
  // Parentheses could turn an invalid expression into a valid one.
  const parts = [...new Set(layers.map((layer) => layer.where))].filter((each) => parsedExpression(each).ok);
  if (parts.length === 0 || parts.length > MOST_PARTS) return false;
  return covers(parts.map((each) => `(${each})`).join(" or "), where);
}

/** Unions of more parts are rarely decided. */
const MOST_PARTS = 32;

function wordsFor(old: Layer, next: Layer): string {
  const refused = isReported({ old, next }) ? "reported" : "blocked";
  if (isSame(old, next)) return `loads ${refused} by ${layerText(old)}`;
  return `loads ${refused} by both ${layerText(old)} and ${layerText(next)}`;
}

function isSame(a: Layer, b: Layer): boolean {
  return a.where === b.where && a.csp === b.csp;
}

function layerText({ csp, where }: Layer): string {
  return `\`${csp}\` on \`${where}\``;
}

/**
 * Whether an intermediate state may block something that both before and after allow. A mix of objects as before and
 * objects as after never does, because layers only add up.
 */
export function blocksBeyond(current: Dimensions, before: Dimensions, after: Dimensions): boolean {
  return Object.keys(current).some((dimension) => {
    const onSides = [...blockingIn(before, dimension), ...blockingIn(after, dimension)];
    const identitiesOnSides = new Set(onSides.map(identity));
    const newLayers = blockingIn(current, dimension).filter(
      (layer) => !identitiesOnSides.has(identity(layer)),
    );
    return newLayers.some((layer) => !isWithin(layer, onSides));
  });
}

function blockingIn(dimensions: Dimensions, dimension: string): readonly Layer[] {
  const strength = dimensions[dimension];
  return strength?.as === "layers" ? strength.layers.filter(({ mode }) => mode === "enforce") : [];
}

function isWithin({ csp, where }: Layer, layers: readonly Layer[]): boolean {
  const same = layers.filter((each) => each.csp === csp);
  const stricter = layers.filter((each) => refuses(each.csp, csp));
  return coverTogether(same, where) || coverTogether(stricter, where);
}

/** Whether the first expression matches every request that the second matches. Here and below, false may mean undecided. */
function covers(where: string, other: string): boolean {
  return where === other || ["equal", "superset"].includes(coverage(where, other));
}

/** Whether no request matches both expressions. The arguments are sorted, so that each pair is compared once. */
function matchApart(where: string, other: string): boolean {
  const [first, second] = where < other ? [where, other] : [other, where];
  return where !== other && coverage(first, second) === "disjoint";
}

/** Whether the first CSP refuses everything that the second refuses. */
function refuses(csp: string, other: string): boolean {
  return csp === other || includes(other, csp) === true;
}
