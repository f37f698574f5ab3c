import { toldBy } from "../kinds/logged-fields.js";
import { quoted } from "../model/cut.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { parseStrictly } from "../model/json-text.js";
import type { LogWriter } from "../model/zone-tests.js";
import type { Match, Question } from "./question.js";

/**
 * Whether the filter of a job lets the line of a request through. A filter asks fields of log lines, and where a line has a
 * field of expressions as it is, what it asks is an expression: https://developers.cloudflare.com/logs/logpush/logpush-job/filters/
 */
export function letsThrough({ name, isOff, filter }: LogWriter, question: Question): Match {
  if (isOff) return { truth: false, why: "" };
  if (filter === "") return LET;
  const read = filter === null ? null : parseStrictly(filter);
  const where = read?.ok && isObject(read.value) ? read.value.where : undefined;
  const match = where === undefined ? open("is not known") : matchOf(where, question, 0);
  return match.truth === "unknown"
    ? { ...match, why: `the filter of the job ${quoted(name)} ${match.why}` }
    : match;
}

const LET: Match = { truth: true, why: "" };

function open(why: string): Match {
  return { truth: "unknown", why };
}

/** Deeper than anybody writes one. */
const MOST_DEPTH = 30;

function matchOf(where: Json, question: Question, depth: number): Match {
  if (!isObject(where) || depth > MOST_DEPTH) return open("is in a form that is not known");
  const all = (list: readonly Json[]) => list.map((each) => matchOf(each, question, depth + 1));
  if (isList(where.and)) return joined(all(where.and), false);
  if (isList(where.or)) return joined(all(where.or), true);
  const expression = expressionOf(where);
  if (expression === null) return open(`asks of ${quoted(String(where.key))} what cannot be worked out here`);
  const match = question.matches(expression);
  return match.truth === "unknown" ? open(`is open, as ${match.why}`) : match;
}

/** @param deciding what one of them has to be to decide it: for `or` true, for `and` false */
function joined(all: readonly Match[], deciding: boolean): Match {
  return (
    all.find(({ truth }) => truth === deciding) ??
    all.find(({ truth }) => truth === "unknown") ?? { truth: !deciding, why: "" }
  );
}

/** What a condition asks, as an expression; null: no expression is known to ask the same. */
function expressionOf({ key, operator, value }: JsonObject): string | null {
  const told = typeof key === "string" ? toldBy(key) : null;
  if (told === null || typeof operator !== "string") return null;
  const [, negation = "", name = ""] = /^(!?)(.*)$/.exec(operator) ?? [];
  const literal = told.as === "text" ? textLiteral : integerLiteral;
  const asked = name === "in" ? isIn(told.field, value, literal) : compared(told, name, literal(value));
  return asked === null || negation === "" ? asked : `not (${asked})`;
}

function compared({ field, as }: Told, operator: string, literal: string | null): string | null {
  if (literal === null) return null;
  if (operator === "eq") return `${field} eq ${literal}`;
  if (operator === "neq") return `not (${field} eq ${literal})`;
  if (as === "integer") {
    const comparison = COMPARISONS.get(operator);
    return comparison === undefined ? null : `${field} ${comparison} ${literal}`;
  }
  if (operator === "contains") return `${field} contains ${literal}`;
  const called = CALLS.get(operator);
  return called === undefined ? null : `${called}(${field}, ${literal})`;
}

type Told = NonNullable<ReturnType<typeof toldBy>>;

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

/** What needs an escape is not worth the risk of another meaning. */
function textLiteral(value: Json | undefined): string | null {
  return typeof value === "string" && /^[^"\\\p{Cc}]*$/u.test(value) ? `"${value}"` : null;
}

/** Numbers may be written as texts. */
function integerLiteral(value: Json | undefined): string | null {
  return /^-?[0-9]{1,15}$/.test(String(value)) ? String(value) : null;
}
