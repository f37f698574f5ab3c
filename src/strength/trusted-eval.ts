import { requiresTrustedTypes, TRUSTED_EVAL, trustsEval } from "../csp/inclusion/compare-inline.js";
import { compile } from "../csp/match/allows.js";
import { withoutSources } from "../csp/syntax.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { equal as sameExpression } from "../expression/spelling/canonical.js";
import { rememberedText } from "../model/remembered.js";
import type { Dimensions, Layer, Shift } from "../model/strength.js";
import { isNowhere } from "./scope-words.js";

/**
 * The effect of a changed trusted types requirement on policies with `'trusted-types-eval'`. These evaluate trusted
 * types only where a policy of the page requires them (CSP3, "EnsureCSPDoesNotBlockStringCompilation").
 */
export function requirementShifts(before: Dimensions, after: Dimensions): readonly Shift[] {
  const [old, next] = [before, after].map((dimensions) =>
    requiredIn(Object.values(dimensions).flatMap((each) => (each.as === "layers" ? each.layers : []))),
  ) as [readonly string[], readonly string[]];
  const isKept =
    old.length === next.length && old.every((where) => next.some((each) => sameExpression(where, each)));
  return isKept ? [] : [{ dimension: "trusted_eval", way: "unknown", why: WHY, witness: null }];
}

const WHY = "'trusted-types-eval' evaluates trusted types only where they are required";

/** The expressions under which layers require trusted types. A reporting layer requires nothing. */
function requiredIn(layers: readonly Layer[]): readonly string[] {
  return layers.filter(({ mode, csp }) => mode === "enforce" && isRequired(csp)).map(({ where }) => where);
}

const isRequired = rememberedText((csp) => compile(csp).policies.some(requiresTrustedTypes));

/** Whether a layer evaluates trusted types where they are required. */
export function mayEvaluate({ csp }: Layer): boolean {
  return isEvaluating(csp);
}

const isEvaluating = rememberedText((csp) => compile(csp).policies.some(trustsEval));

/** The layers, plus the refusals of `'trusted-types-eval'` policies on pages where no layer requires trusted types. */
export function readTogether(layers: readonly Layer[]): readonly Layer[] {
  const evaluating = layers.filter(mayEvaluate);
  if (evaluating.length === 0) return layers;
  const required = [...new Set(requiredIn(layers))];
  return [...layers, ...evaluating.flatMap((layer) => refusingLayer(layer, required) ?? [])];
}

/** Null: the layer refuses no evaluation, as far as this can be decided. */
function refusingLayer(layer: Layer, required: readonly string[]): Layer | null {
  const csp = withoutTrustedEval(layer.csp);
  if (required.length === 0) return { ...layer, csp };
  // Parentheses could turn an invalid expression into a valid one.
  if (![layer.where, ...required].every((each) => parsedExpression(each).ok)) return null;
  const where = [`(${layer.where})`, ...required.map((each) => `not (${each})`)].join(" and ");
  return isNowhere(where) ? null : { ...layer, where, csp };
}

const withoutTrustedEval = rememberedText((csp) =>
  withoutSources(csp, (source) => source.toLowerCase() === TRUSTED_EVAL),
);
