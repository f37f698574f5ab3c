import type { Dimensions, Layer } from "../model/strength.js";
import { coverTogether, identity } from "./layers.js";
import type { Questions } from "./questions.js";

/**
 * Whether a state on the way may block what both before and after allow. States in which every object is as before or
 * as after cannot: layers only add up.
 */
export function blocksBeyond(
  now: Dimensions,
  before: Dimensions,
  after: Dimensions,
  ask: Questions,
): boolean {
  return Object.keys(now).some((dimension) => {
    const known = [...blockingIn(before, dimension), ...blockingIn(after, dimension)];
    const identities = new Set(known.map(identity));
    const odd = blockingIn(now, dimension).filter((layer) => !identities.has(identity(layer)));
    return odd.some((layer) => !isWithin(layer, known, ask));
  });
}

function blockingIn(dimensions: Dimensions, dimension: string): readonly Layer[] {
  const strength = dimensions[dimension];
  return strength?.as === "layers" ? strength.layers.filter(({ mode }) => mode === "enforce") : [];
}

function isWithin({ csp, where }: Layer, known: readonly Layer[], ask: Questions): boolean {
  const same = known.filter((each) => each.csp === csp);
  const stricter = known.filter((each) => ask.refuses(each.csp, csp));
  return coverTogether(same, where, ask) || coverTogether(stricter, where, ask);
}
