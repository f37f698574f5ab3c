import { parse } from "../expression/parse/parse.js";
import { remembered } from "../model/remembered.js";
import type { Layer } from "../model/strength.js";
import type { Questions } from "./questions.js";

/**
 * What both stop is what a layer of before and a layer of after both stop, pair by pair. Each pair needs a layer now,
 * or several together, that apply wherever both do and refuse as much as one of them.
 */
export function* layerGaps(
  now: readonly Layer[],
  before: readonly Layer[],
  after: readonly Layer[],
  ask: Questions,
): Generator<string, undefined> {
  const there = new Set(now.map(identity));
  const isGone = (layer: Layer) => !there.has(identity(layer)) && !hasHeir(layer, now, ask);
  const coming = after.filter(isGone);
  if (coming.length === 0) return;
  for (const old of before.filter(isGone)) {
    for (const next of coming) if (!isKept({ old, next }, now, ask)) yield wordsFor(old, next);
  }
}

/** A layer as one text, for finding the same one again. */
export const identity = remembered(({ mode, where, csp }: Layer) => JSON.stringify([mode, where, csp]));

/** Whether the same pages have a layer that does as much: mostly the one that its object has before or after a change. */
function hasHeir({ mode, where, csp }: Layer, now: readonly Layer[], ask: Questions): boolean {
  return now.some(
    (each) =>
      each.where === where && (each.mode === mode || each.mode === "enforce") && ask.refuses(each.csp, csp),
  );
}

interface Pair {
  readonly old: Layer;
  readonly next: Layer;
}

function isKept(pair: Pair, now: readonly Layer[], ask: Questions): boolean {
  if (ask.areApart(pair.old.where, pair.next.where)) return true;
  if (ask.refuseApart(pair.old.csp, pair.next.csp)) return true;
  const able = now.filter(({ mode }) => mode === "enforce" || isReported(pair));
  const isAlike = ({ csp }: Layer) => csp === pair.old.csp || csp === pair.next.csp;
  // Those first of which only the expression is in question.
  const keeps = (layer: Layer) => keepsAlone(layer, pair, ask);
  return able.filter(isAlike).some(keeps) || able.some(keeps) || keepTogether(able, pair, ask);
}

/** What blocks reports as well, so of two layers the weaker mode is what they have in common. */
function isReported({ old, next }: Pair): boolean {
  return old.mode === "report" || next.mode === "report";
}

function keepsAlone(layer: Layer, { old, next }: Pair, ask: Questions): boolean {
  const coversEither = () => ask.covers(layer.where, old.where) || ask.covers(layer.where, next.where);
  return refusesEnough(layer, { old, next }, ask) && coversEither();
}

function refusesEnough({ csp }: Layer, { old, next }: Pair, ask: Questions): boolean {
  return ask.refuses(csp, old.csp) || ask.refuses(csp, next.csp);
}

function keepTogether(able: readonly Layer[], pair: Pair, ask: Questions): boolean {
  const { old, next } = pair;
  const areExpressions = parse(old.where).ok && parse(next.where).ok;
  if (!areExpressions) return false;
  const strong = able.filter((layer) => refusesEnough(layer, pair, ask));
  return coverTogether(strong, `(${old.where}) and (${next.where})`, ask);
}

/** Whether one or another of the layers applies to every request that the expression matches. */
export function coverTogether(layers: readonly Layer[], where: string, ask: Questions): boolean {
  // In parentheses, what is no expression could become one.
  const parts = [...new Set(layers.map((layer) => layer.where))].filter((each) => parse(each).ok);
  if (parts.length === 0 || parts.length > MOST_PARTS) return false;
  return ask.covers(parts.map((each) => `(${each})`).join(" or "), where);
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
