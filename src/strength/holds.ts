import { equal } from "../model/json.js";
import type { Dimensions, Strength } from "../model/strength.js";
import { layerGaps } from "./layers.js";
import type { Questions } from "./questions.js";
import { wordsOf as inWords } from "./words.js";

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
export function holds(now: Dimensions, before: Dimensions, after: Dimensions, ask: Questions): boolean {
  return gaps(now, before, after, ask).next().done === true;
}

export function* gaps(
  now: Dimensions,
  before: Dimensions,
  after: Dimensions,
  ask: Questions,
): Generator<Gap, undefined> {
  for (const [dimension, old] of Object.entries(before)) {
    const next = after[dimension];
    // What stops nothing on one side has nothing in common with the other.
    if (next === undefined) continue;
    for (const why of strengthGaps(now[dimension], old, next, ask)) yield { dimension, why };
  }
}

function strengthGaps(
  now: Strength | undefined,
  before: Strength,
  after: Strength,
  ask: Questions,
): Iterable<string> {
  if (before.as === "rank" && after.as === "rank" && isAs("rank", now)) return rankGaps(now, before, after);
  if (before.as === "set" && after.as === "set" && isAs("set", now)) return setGaps(now, before, after);
  if (before.as === "layers" && after.as === "layers" && isAs("layers", now))
    return layerGaps(now?.layers ?? [], before.layers, after.layers, ask);
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
