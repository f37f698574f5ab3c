import { review } from "../expression/check/check.js";
import { type Fields, learntFields } from "../expression/check/learn.js";
import { constantTruth } from "../expression/coverage/coverage.js";
import { parsedExpression } from "../expression/parse/parse.js";
import { type ExpressionProblem, summaryOf } from "../expression/problem.js";
import { normalise } from "../expression/spelling/canonical.js";
import { meaning } from "../expression/spelling/meaning.js";
import type { ExpressionPhase } from "../expression/tables/phases.js";
import { TYPE_NAMES } from "../expression/tables/types.js";
import { cutEnd } from "../model/cut.js";
import type { Service } from "../model/declared-zone.js";
import { asText, type Json, type JsonObject } from "../model/json.js";
import { rememberedText } from "../model/remembered.js";
import type { Field } from "./fields.js";
import type { Finding, Kind } from "./kind.js";

/**
 * Two filter expressions are equal if they surely match the same requests. Parentheses, whitespace, spelling and the
 * order of sets and conditions make no difference.
 */
export const expressionField = {
  form: "text",
  maxChars: { limit: "expression_chars", name: "The expression" },
  spell: (value) => (typeof value === "string" ? normalise(value) : value),
  canonical: (value) => (typeof value === "string" ? meaning(value) : value),
} satisfies Field;

/**
 * The check of declared expressions for the phase that evaluates them. Each kind creates one check, which remembers its
 * findings by text.
 */
export function expressionCheck(
  phase: ExpressionPhase,
  key = "expression",
): (declared: JsonObject, service: Service) => readonly Finding[] {
  const findings = rememberedText((text) =>
    review(text, { phase }).map((each) => findingOf(each, text, key)),
  );
  return ({ [key]: expression }, { limits, extra_expression_fields: extra }) => {
    if (typeof expression !== "string") return [];
    // The error about the length is enough.
    if (expression.length > 4 * limits.expression_chars) return [];
    const known = findings(expression);
    return known.some(({ code }) => code === UNKNOWN_NAME || code === UNKNOWN_FIELD)
      ? review(expression, { phase, extra }).map((each) => findingOf(each, expression, key))
      : known;
  };
}

export const FIELD_TYPES: readonly string[] = TYPE_NAMES;

/** The requests that a live expression matches, as the end of a sentence. */
export function requestsOf(expression: Json): string {
  return requestsOfText(asText(expression));
}

const requestsOfText = rememberedText((text) => {
  const parsed = isCostly(text) ? null : parsedExpression(text);
  const truth = parsed?.ok === true ? constantTruth(parsed.tree) : null;
  if (truth !== null) return truth ? "every request" : "no request";
  return `requests that match ${cutEnd(normalise(text), MAX_SHOWN_CHARS)}`;
});

/** A live list has thousands of rules, and one long search or pattern may take a second to decide. */
function isCostly(text: string): boolean {
  return text.length > MOST_DECIDED_CHARS || /~|contains|matches|wildcard/i.test(text);
}

const MOST_DECIDED_CHARS = 500;

const MAX_SHOWN_CHARS = 160;

const UNKNOWN_NAME = "expression_unknown_name";
const UNKNOWN_FIELD = "expression_unknown_field";

/** Remembered, as a text is asked for each of its unknown fields. */
const learntIn = rememberedText((text) => learntFields([text]));

/** The YAML line that declares the type of an unknown field, if its use shows the type. */
function typeHint(name: string, text: string): string {
  const { [name]: type } = learntIn(text);
  return type === undefined
    ? "To check its type, add the field to service.extra_expression_fields."
    : `To check its type, add: service: { extra_expression_fields: { ${name}: ${type} } }.`;
}

/** Fields of declared expressions that the tables lack, with types that fit every use. */
export function learntFieldsIn(
  objects: readonly { readonly kind: Kind; readonly body: JsonObject }[],
  known: Fields,
): Fields {
  return learntFields(
    objects.flatMap(({ kind, body }) => expressionsIn(kind, body)),
    known,
  );
}

export function expressionsIn({ fields }: Pick<Kind, "fields">, declared: JsonObject): readonly string[] {
  return Object.entries(declared).flatMap(([key, value]) =>
    fields[key]?.canonical === expressionField.canonical && typeof value === "string" ? [value] : [],
  );
}

function findingOf(problem: ExpressionProblem, text: string, key: string): Finding {
  const { severity, code, message, start, end, shown } = problem;
  const common = { path: [key], offset: shown.start, severity, code };
  return {
    ...common,
    summary: summaryOf(problem, text),
    detail: code === UNKNOWN_FIELD ? `${message} ${typeHint(text.slice(start, end), text)}` : message,
  };
}
