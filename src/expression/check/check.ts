import { parse, readExpression } from "../parse/parse.js";
import { type ExpressionProblem, problemAt } from "../problem.js";
import { normalise } from "../spelling/canonical.js";
import { aboutFields } from "../tables/fields.js";
import { signatureOf } from "../tables/functions.js";
import { PHASES, type Phase } from "../tables/phases.js";
import type { Comparison, Expression, TextRange, Value } from "../tree.js";
import { comparisonsOf, negatedIn, valuesOf } from "../visit.js";
import { type Compared, type LiteralRule, literalRules, literalsOf } from "./literal-rules.js";

/** The context of a check. */
export interface CheckOptions {
  /** The phase of the expression. Missing fields are only warnings, because the lists of fields are inferred. */
  readonly phase?: string | undefined;
  /** Fields that the service has learnt since this version, with their types. */
  readonly extra?: { readonly [name: string]: string };
}

/**
 * The reasons why the service would refuse an expression, except for its limit of characters. Errors are certain.
 * Warnings are fields that the phase probably lacks, and names that the service may have learnt since this version.
 */
export function check(text: string, options: CheckOptions = {}): readonly ExpressionProblem[] {
  const parsed = parse(text, options.extra);
  const problems = parsed.ok ? checkTree(text, parsed.tree, options) : [parsed.problem];
  return inOrder([...parsed.unknown, ...problems]);
}

function inOrder(problems: readonly ExpressionProblem[]): readonly ExpressionProblem[] {
  return [...problems].sort((a, b) => a.start - b.start);
}

/** The checks of a valid expression. */
function checkTree(
  text: string,
  tree: Expression,
  { phase: name }: CheckOptions,
): readonly ExpressionProblem[] {
  const phase = name === undefined ? undefined : PHASES.get(name);
  if (phase === undefined) return [];
  if (name === ONLY_TRUE) return normalise(text) === "true" ? [] : [notTrue(text)];
  return unavailableValues(text, tree, phase);
}

const ONLY_TRUE = "http_log_custom_fields";

function notTrue(text: string): ExpressionProblem {
  const message = "Rules that log custom fields apply to all requests. Write `true` alone.";
  return problemAt(text, "error", "expression_not_true", message, 0, text.length);
}

function unavailableValues(text: string, tree: Expression, phase: Phase): readonly ExpressionProblem[] {
  return valuesOf(tree).flatMap((value) => {
    const reason = value.as === "field" ? fieldReason(value.name, phase) : functionReason(value.name);
    return reason === null ? [] : [unavailableProblem(text, value, phase, reason)];
  });
}

function fieldReason(name: string, phase: Phase): string | null {
  const only = aboutFields.get(name)?.only;
  return only === undefined ? null : (phase.lacks[only] ?? null);
}

function functionReason(name: string): string | null {
  const only = signatureOf(name)?.only ?? null;
  return only === null ? null : `Cloudflare documents it for ${only} only`;
}

function unavailableProblem(text: string, value: Value, phase: Phase, reason: string): ExpressionProblem {
  const message = `\`${value.name}\` is probably unavailable in ${phase.label}: ${reason}. Use another one.`;
  const code = value.as === "field" ? "expression_field_unavailable" : "expression_function_unavailable";
  return problemAt(text, "warning", code, message, value.start, value.start + value.name.length);
}

/** All findings about an expression on its own: reasons for a refusal, and likely mistakes. */
export function review(text: string, options: CheckOptions = {}): readonly ExpressionProblem[] {
  const parsed = options.extra === undefined ? readExpression(text) : parse(text, options.extra);
  if (!parsed.ok) return inOrder([...parsed.unknown, parsed.problem]);
  return inOrder([...parsed.unknown, ...checkTree(text, parsed.tree, options), ...advice(text, parsed.tree)]);
}

/** Valid parts that are surely mistakes, in the order of the text. */
export function advice(text: string, tree: Expression): readonly ExpressionProblem[] {
  const negated = negatedIn(tree);
  const ofComparison = (comparison: Comparison) => [
    ...emptySet(text, comparison, negated),
    ...dashedRange(text, comparison),
    ...literals(text, comparison, negated),
  ];
  return [
    ...valuesOf(tree).flatMap((value) => [...deprecatedName(text, value), ...capitalHeader(text, value)]),
    ...comparisonsOf(tree).flatMap(ofComparison),
  ].sort((a, b) => a.start - b.start);
}

function deprecatedName(text: string, { name, start }: Value): readonly ExpressionProblem[] {
  const replacement = aboutFields.get(name)?.replacement;
  const end = start + name.length;
  if (replacement !== undefined) {
    const message = `\`${name}\` is deprecated. Write \`${replacement}\`.`;
    return [problemAt(text, "warning", "expression_deprecated_field", message, start, end)];
  }
  if (name !== "cf.threat_score") return [];
  const message = "`cf.threat_score` is always 0 now. Remove the conditions that use it.";
  return [problemAt(text, "warning", "expression_deprecated_field", message, start, end)];
}

/** The keys of these maps are in lower case, by the service's documentation of the fields. */
function capitalHeader(
  text: string,
  { name, indexes: [first], start, end }: Value,
): readonly ExpressionProblem[] {
  if (name !== "http.request.headers" && name !== "http.response.headers") return [];
  if (first?.as !== "key" || !/[A-Z]/.test(first.key)) return [];
  const key = first.key.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  const message = `Header names are lowercase here, so this one never occurs. Write \`["${key}"]\`.`;
  return [problemAt(text, "warning", "expression_header_case", message, start, end)];
}

function emptySet(
  text: string,
  comparison: Comparison,
  negated: ReadonlySet<Expression>,
): readonly ExpressionProblem[] {
  const { test, start, end } = comparison;
  if (test.as !== "in" || test.ranges.length > 0) return [];
  const message = `The set is empty, so ${outcome("in", negated.has(comparison))}. Add values, or remove the condition.`;
  return [problemAt(text, "warning", "expression_never_true", message, start, end)];
}

/** `{80-90}` is read as 80 and -90. */
function dashedRange(text: string, { left, test, end }: Comparison): readonly ExpressionProblem[] {
  if (test.as !== "in" || test.ranges[0]?.type !== "Int") return [];
  return [...text.slice(left.end, end).matchAll(/([0-9a-fA-Fx]+)-([0-9]+)/g)].map(
    ({ 0: written, 1: from, 2: to, index }) => {
      const message = `This is read as two numbers, ${from} and -${to}. Write a range as \`${from}..${to}\`.`;
      const start = left.end + index;
      return problemAt(text, "warning", "expression_dashed_range", message, start, start + written.length);
    },
  );
}

/** A mistake shared by all elements of a set is reported once, for the comparison. */
function literals(
  text: string,
  comparison: Comparison,
  negated: ReadonlySet<Expression>,
): readonly ExpressionProblem[] {
  const compares = literalsOf(comparison);
  const broken = compares.flatMap((compared) => {
    const rule = literalRules.find((each) => breaks(each, compared));
    return rule === undefined ? [] : [{ rule, compared }];
  });
  const [first] = broken;
  if (first === undefined) return [];
  if (broken.length === compares.length && broken.every(({ rule }) => rule === first.rule)) {
    const result = outcome(first.compared.by, negated.has(comparison));
    return [ruleProblem(text, first.rule, first.compared, comparison, result)];
  }
  return broken.map(({ rule, compared }) =>
    ruleProblem(text, rule, compared, compared.place, "this one never matches"),
  );
}

function breaks({ applies, never }: LiteralRule, compared: Compared): boolean {
  // `ne` is false for a missing value, so the comparison is not always true.
  if (never !== undefined && compared.by === "ne" && compared.mayBeMissing) return false;
  return compared.needs.some((needed) => applies(compared, needed));
}

function ruleProblem(
  text: string,
  { never, code, message, instead }: LiteralRule,
  compared: Compared,
  { start, end }: TextRange,
  result: string,
): ExpressionProblem {
  const sentences = message === undefined ? `${never}, so ${result}.` : message(compared);
  const whole = instead === undefined ? sentences : `${sentences} ${instead}`;
  const isAlways = compared.by === "ne";
  const problemCode = code ?? (isAlways ? "expression_always_true" : "expression_never_true");
  return problemAt(text, "warning", problemCode, whole, start, end);
}

/** The result of a comparison with a value that never occurs. */
function outcome(by: Compared["by"], isNegated: boolean): string {
  const [itself, negation] = by === "ne" ? ["always", "never"] : ["never", "always"];
  return isNegated
    ? `this is ${itself} true, and with the \`not\` before it ${negation} true`
    : `this is ${itself} true`;
}
