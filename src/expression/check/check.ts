import { parse } from "../parse/parse.js";
import { type ExpressionProblem, problemAt } from "../problem.js";
import { normalise } from "../spelling/normalise.js";
import { aboutFields } from "../tables/fields.js";
import { signatureOf } from "../tables/functions.js";
import { type Phase, phaseNamed } from "../tables/phases.js";
import type { Expression, Value } from "../tree.js";
import { valuesOf } from "../visit.js";

/** What an expression is checked for. */
export interface CheckOptions {
  /** The phase that the expression is for. What it lacks is a warning, as the lists of that are inferred. */
  readonly phase?: string | undefined;
}

/** What the service would refuse an expression for, without its limit of characters. */
export function check(text: string, options: CheckOptions = {}): readonly ExpressionProblem[] {
  const parsed = parse(text);
  return parsed.ok ? checkTree(text, parsed.tree, options) : [parsed.problem];
}

/** The same for a text that is an expression. */
export function checkTree(
  text: string,
  tree: Expression,
  { phase: name }: CheckOptions,
): readonly ExpressionProblem[] {
  const phase = name === undefined ? undefined : phaseNamed(name);
  if (phase === undefined) return [];
  if (name === ONLY_TRUE) return normalise(text) === "true" ? [] : [notTrue(text)];
  return lacking(text, tree, phase);
}

const ONLY_TRUE = "http_log_custom_fields";

function notTrue(text: string): ExpressionProblem {
  const message = "Rules that log custom fields apply to all requests: write the expression as `true` alone.";
  return problemAt(text, "error", "expression_not_true", message, 0, text.length);
}

function lacking(text: string, tree: Expression, phase: Phase): readonly ExpressionProblem[] {
  return valuesOf(tree).flatMap((value) => {
    const reason = value.as === "field" ? fieldReason(value.name, phase) : functionReason(value.name);
    return reason === null ? [] : [unavailable(text, value, phase, reason)];
  });
}

function fieldReason(name: string, phase: Phase): string | null {
  const only = aboutFields.get(name)?.only;
  return only === undefined ? null : (phase.lacks[only] ?? null);
}

function functionReason(name: string): string | null {
  const only = signatureOf(name)?.only ?? null;
  return only === null ? null : `the documentation has it for ${only} only`;
}

function unavailable(text: string, value: Value, phase: Phase, reason: string): ExpressionProblem {
  const message = `\`${value.name}\` is probably not available in ${phase.label}: ${reason}.`;
  const code = value.as === "field" ? "expression_field_unavailable" : "expression_function_unavailable";
  return problemAt(text, "warning", code, message, value.start, value.start + value.name.length);
}
