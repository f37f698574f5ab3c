import { requireObject } from "../../model/arguments.js";
import { isSpent, spend } from "../budget.js";
import { isOrder } from "../parse/operators.js";
import { readExpression } from "../parse/parse.js";
import { constantNamed, fieldType, namesInRequests } from "../tables/fields.js";
import { parameterAt, signatureOf } from "../tables/functions.js";
import type { Argument, Comparison, Expression, Literal, Test, Value } from "../tree.js";
import {
  combine,
  combineVerdicts,
  engineValue,
  isIp,
  isItems,
  isList,
  isMap,
  notVerdict,
  type Reading,
  type Seen,
  type Truth,
  type Verdict,
  walk,
} from "../value.js";
import { call } from "./call.js";
import { compare, type Effort, newEffort } from "./compare.js";

/** The known part of a request: values by field name. A field without an entry is unknown. */
export type Request = Readonly<Record<string, unknown>>;

/**
 * Whether a request matches an expression. "unknown": the request leaves it open, the answer would take more than about
 * a second, or the text is no expression (`check` tells). By the service's documentation, `any` is false and `all` is
 * true for a missing list, and every comparison with a missing value is false, even `ne`: `not
 * http.request.headers["x"][0] eq "a"` covers it.
 */
export function evaluate(text: string, request: Request): Truth {
  const parsed = readExpression(text);
  return parsed.ok ? evaluateTree(parsed.tree, request) : "unknown";
}

/**
 * Whether a request matches a parsed expression.
 *
 * @param effort the limit for the answer's cost; about a second if absent
 */
export function evaluateTree(tree: Expression, request: Request, effort: Effort = newEffort()): Truth {
  requireObject(request, "A request");
  return truthOf(tree, startOn(request, effort));
}

/** The evaluation of one request. Each field is read once, and each part of an expression is judged once. */
export interface Evaluation {
  readonly request: Request;
  readonly effort: Effort;
  readonly fields: Map<string, Seen>;
  readonly verdicts: Map<Expression, Verdict>;
}

export function startOn(request: Request, effort: Effort): Evaluation {
  return { request, effort, fields: new Map(), verdicts: new Map() };
}

export function truthOf(tree: Expression, evaluation: Evaluation): Truth {
  const verdict = verdictOn(tree, evaluation);
  return isList(verdict) ? "unknown" : verdict;
}

function verdictOn(tree: Expression, evaluation: Evaluation): Verdict {
  const cached = evaluation.verdicts.get(tree);
  if (cached !== undefined) return cached;
  const verdict = spend(evaluation.effort.budget, NODE_WORK) ? judge(tree, evaluation) : "unknown";
  evaluation.verdicts.set(tree, verdict);
  return verdict;
}

const NODE_WORK = 20;

function judge(tree: Expression, evaluation: Evaluation): Verdict {
  switch (tree.as) {
    case "and":
    case "or":
    case "xor":
      return tree.items
        .map((each) => verdictOn(each, evaluation))
        .reduce((all, each) => combineVerdicts(tree.as, all, each));
    case "not":
      return notVerdict(verdictOn(tree.item, evaluation));
    case "any":
      return quantify("or", false, verdictOn(tree.item, evaluation));
    case "all":
      return quantify("and", true, verdictOn(tree.item, evaluation));
    case "comparison":
      return compareReading(tree, readingOf(tree.left, evaluation), evaluation);
  }
}

/** A missing list counts as empty. */
function quantify(by: "or" | "and", empty: boolean, verdict: Verdict): Truth {
  if (isList(verdict)) return verdict.reduce(combine[by], empty);
  return verdict === "unknown" ? verdict : empty;
}

/** A list of Booleans needs no `[*]`: it stands for its elements. */
function compareReading({ test }: Comparison, { as, value }: Reading, evaluation: Evaluation): Verdict {
  const { effort } = evaluation;
  const resolved = test.as === "value" ? orderWith(test, evaluation) : test;
  if (resolved === null) return "unknown";
  if (as === "each") return value.map((each) => compare(each, resolved, effort));
  if (test.as === "is_true" && (isItems(value) || isMap(value)))
    return [...value.values()].map((each) => compare(each, resolved, effort));
  return compare(value, resolved, effort);
}

/** The comparison with the value of the right side. Null: that value is missing, unknown or not ordered. */
function orderWith({ operator, right }: Test & { as: "value" }, evaluation: Evaluation): Test | null {
  const reading = readingOf(right, evaluation);
  const literal = reading.as === "one" ? literalOf(reading.value) : null;
  return literal === null || !isOrder(operator) ? null : { as: "order", operator, right: literal };
}

function literalOf(value: Seen): Literal | null {
  if (typeof value === "string") return { type: "Bytes", value };
  if (typeof value === "bigint") return { type: "Int", value };
  return isIp(value) ? { type: "Ip", value } : null;
}

/** The value of the left side of a comparison in a request. */
export function readingOf(value: Value, evaluation: Evaluation): Reading {
  const { budget } = evaluation.effort;
  if (isSpent(budget)) return { as: "one", value: undefined };
  const from = value.as === "field" ? fieldOnce(value.name, evaluation) : callResult(value, evaluation);
  const reading = walk(from, value.indexes);
  if (reading.as === "each") spend(budget, reading.value.length * ELEMENT_WORK);
  return reading;
}

const ELEMENT_WORK = 10;

function fieldOnce(name: string, { fields, request }: Evaluation): Seen {
  if (!fields.has(name)) fields.set(name, field(name, request));
  return fields.get(name);
}

function field(name: string, request: Request): Seen {
  const constant = constantNamed(name);
  if (constant !== null) return constant;
  const type = fieldType(name);
  const givenName = namesInRequests(name).find((each) => Object.hasOwn(request, each));
  try {
    return givenName === undefined || type === undefined ? undefined : engineValue(request[givenName], type);
  } catch {
    // A getter or proxy of the caller threw, so the field is unknown.
    return undefined;
  }
}

/** With `[*]` in its first argument, a function runs on each element and gives a list. */
function callResult(value: Extract<Value, { as: "call" }>, evaluation: Evaluation): Seen {
  const { effort } = evaluation;
  const signature = signatureOf(value.name);
  const [first, ...otherReadings] = value.args.map((each, index) => {
    const isLiteral = signature !== undefined && parameterAt(signature, index)?.kind === "literal";
    return isLiteral && each.as !== "literal" ? UNKNOWN : argument(each, evaluation);
  });
  const otherArgs = otherReadings.map(({ value }) => value);
  if (first?.as !== "each")
    return call(value.name, first === undefined ? [] : [first.value, ...otherArgs], effort);
  return first.value
    .map((each) => call(value.name, [each, ...otherArgs], effort))
    .filter((each) => each !== null);
}

const UNKNOWN: Reading = { as: "one", value: undefined };

function argument(arg: Argument, evaluation: Evaluation): Reading {
  switch (arg.as) {
    case "value":
      return readingOf(arg.value, evaluation);
    case "literal":
      return { as: "one", value: arg.literal.value };
    case "expression": {
      const verdict = verdictOn(arg.expression, evaluation);
      return isList(verdict)
        ? { as: "each", value: verdict.map(asValue) }
        : { as: "one", value: asValue(verdict) };
    }
  }
}

function asValue(truth: Truth): Seen {
  return truth === "unknown" ? undefined : truth;
}
