import { expressionFieldOf } from "../kinds/logged-fields.js";
import { quoted } from "../model/cut.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { parseStrictly } from "../model/json-text.js";
import { charged } from "../model/work-budget.js";
import type { LogWriter } from "../model/zone-tests.js";
import { type Match, type Question, TOO_MUCH_WORK } from "./question.js";

/**
 * Whether a job's filter lets the log line of a request through. A condition on a log field that copies an expression
 * field becomes an expression: https://developers.cloudflare.com/logs/logpush/logpush-job/filters/
 */
export function letsThrough({ name, isOff, filter }: LogWriter, question: Question): Match {
  if (isOff) return { truth: false, why: "" };
  if (filter === "") return MATCHES;
  const answer = () => ({ value: matchOfFilter(filter, question), work: filter?.length ?? 0 });
  const match = charged(() => ["filter", name, question.subject], answer, TOO_MUCH_WORK);
  return match.truth === "unknown"
    ? { ...match, why: `the filter of the job ${quoted(name)} ${match.why}` }
    : match;
}

function matchOfFilter(filter: string | null, question: Question): Match {
  const parsed = filter === null ? null : parseStrictly(filter);
  const where = parsed?.ok && isObject(parsed.value) ? parsed.value.where : undefined;
  return where === undefined ? open("is unknown") : matchOf(where, question, 0);
}

const MATCHES: Match = { truth: true, why: "" };

function open(why: string): Match {
  return { truth: "unknown", why };
}

/** Deeper than any real filter. */
const MOST_DEPTH = 30;

function matchOf(where: Json, question: Question, depth: number): Match {
  if (!isObject(where) || depth > MOST_DEPTH) return open("has an unknown form");
  const matchesOf = (list: readonly Json[]) => list.map((each) => matchOf(each, question, depth + 1));
  if (isList(where.and)) return combined(matchesOf(where.and), false);
  if (isList(where.or)) return combined(matchesOf(where.or), true);
  const expression = expressionOf(where);
  if (expression === null)
    return open(`has a condition on ${quoted(String(where.key))} that cannot be evaluated here`);
  const match = question.matches(expression);
  return match.truth === "unknown" ? open(`is undecided: ${match.why}`) : match;
}

/** @param deciding the truth that decides at once: true for `or`, false for `and` */
function combined(matches: readonly Match[], deciding: boolean): Match {
  return (
    matches.find(({ truth }) => truth === deciding) ??
    matches.find(({ truth }) => truth === "unknown") ?? { truth: !deciding, why: "" }
  );
}

/** A condition as an expression. Null: no equivalent expression is known. */
function expressionOf({ key, operator, value }: JsonObject): string | null {
  const logged = typeof key === "string" ? expressionFieldOf(key) : null;
  if (logged === null || typeof operator !== "string") return null;
  const [, negation = "", name = ""] = /^(!?)(.*)$/.exec(operator) ?? [];
  const literal = logged.as === "text" ? textLiteral : integerLiteral;
  const expression =
    name === "in" ? isIn(logged.field, value, literal) : comparisonOf(logged, name, literal(value));
  return expression === null || negation === "" ? expression : `not (${expression})`;
}

function comparisonOf({ field, as }: LoggedField, operator: string, literal: string | null): string | null {
  if (literal === null) return null;
  if (operator === "eq") return `${field} eq ${literal}`;
  if (operator === "neq") return `not (${field} eq ${literal})`;
  if (as === "integer") {
    const comparison = COMPARISONS.get(operator);
    return comparison === undefined ? null : `${field} ${comparison} ${literal}`;
  }
  if (operator === "contains") return `${field} contains ${literal}`;
  const functionName = CALLS.get(operator);
  return functionName === undefined ? null : `${functionName}(${field}, ${literal})`;
}

type LoggedField = NonNullable<ReturnType<typeof expressionFieldOf>>;

const COMPARISONS = new Map([
  ["lt", "lt"],
  ["leq", "le"],
  ["gt", "gt"],
  ["geq", "ge"],
]);

const CALLS = new Map([
  ["startsWith", "starts_with"],
  ["endsWith", "ends_with"],
]);

function isIn(field: string, value: Json | undefined, literal: (value: Json | undefined) => string | null) {
  if (!isList(value) || value.length === 0) return null;
  const literals = value.map(literal);
  return literals.includes(null) ? null : `${field} in {${literals.join(" ")}}`;
}

/** A text that needs escapes is left out, because its meaning could differ. */
function textLiteral(value: Json | undefined): string | null {
  return typeof value === "string" && /^[^"\\\p{Cc}]*$/u.test(value) ? `"${value}"` : null;
}

/** A number may be written as a text. */
function integerLiteral(value: Json | undefined): string | null {
  return /^-?[0-9]{1,15}$/.test(String(value)) ? String(value) : null;
}
