import { requireObject } from "../../model/arguments.js";
import { isSpent, spend } from "../budget.js";
import { isOrder } from "../parse/operators.js";
import { readExpression } from "../parse/parse.js";
import { constantNamed, fieldType, givenNames } from "../tables/fields.js";
import { parameterAt, signatureOf } from "../tables/functions.js";
import type { Argument, Comparison, Expression, Literal, Test, Value } from "../tree.js";
import {
  combine,
  combineVerdicts,
  isIp,
  isItems,
  isList,
  isMap,
  notVerdict,
  type Reading,
  type Seen,
  seenIn,
  type Truth,
  type Verdict,
  walk,
} from "../value.js";
import { call } from "./call.js";
import { compare, type Effort, newEffort } from "./compare.js";

/** What is known of a request: values by the names of fields. A field that is not there is not known. */
export type Request = Readonly<Record<string, unknown>>;

/**
 * Whether a request matches an expression. "unknown" is the answer to what the request leaves open, to what would take
 * more than about a second, and for a text that is no expression: `check` tells that one. As the service's
 * documentation has it, `any` finds nothing in a list that is missing and `all` nothing that is wrong, and of a value
 * that is missing every comparison is false, `ne` too: `not http.request.headers["x"][0] eq "a"` covers it.
 */
export function evaluate(text: string, request: Request): Truth {
  const parsed = readExpression(text);
  return parsed.ok ? evaluateTree(parsed.tree, request) : "unknown";
}

/**
 * The same for a text that has been parsed.
 *
 * @param effort what the answer may cost; about a second when absent
 */
export function evaluateTree(tree: Expression, request: Request, effort: Effort = newEffort()): Truth {
  requireObject(request, "A request");
  return truthOf(tree, startOn(request, effort));
}

/** The evaluation of one request: each field is read once, and each part of an expression is judged once. */
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
  const known = evaluation.verdicts.get(tree);
  if (known !== undefined) return known;
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
      return compareReading(tree, read(tree.left, evaluation), evaluation);
  }
}

/** A missing list counts as empty. */
function quantify(by: "or" | "and", empty: boolean, verdict: Verdict): Truth {
  if (isList(verdict)) return verdict.reduce(combine[by], empty);
  return verdict === "unknown" ? verdict : empty;
}

/** A list of Booleans needs no `[*]`: it stands for its elements. */
function compareReading({ test }: Comparison, { as, seen }: Reading, evaluation: Evaluation): Verdict {
  const { effort } = evaluation;
  if (test.as === "value") {
    const order = orderWith(test, evaluation);
    if (order === null) return "unknown";
    return as === "each" ? seen.map((each) => compare(each, order, effort)) : compare(seen, order, effort);
  }
  if (as === "each") return seen.map((each) => compare(each, test, effort));
  if (test.as === "is_true" && (isItems(seen) || isMap(seen))) {
    return [...seen.values()].map((each) => compare(each, test, effort));
  }
  return compare(seen, test, effort);
}

/** A comparison with what stands to its right; null where that is missing, unknown, or in no order. */
function orderWith({ operator, right }: Test & { as: "value" }, evaluation: Evaluation): Test | null {
  const reading = read(right, evaluation);
  const literal = reading.as === "one" ? literalOf(reading.seen) : null;
  return literal === null || !isOrder(operator) ? null : { as: "order", operator, right: literal };
}

function literalOf(seen: Seen): Literal | null {
  if (typeof seen === "string") return { type: "Bytes", value: seen };
  if (typeof seen === "bigint") return { type: "Int", value: seen };
  return isIp(seen) ? { type: "Ip", value: seen } : null;
}

/** What the left side of a comparison is in a request. */
export function read(value: Value, evaluation: Evaluation): Reading {
  const { budget } = evaluation.effort;
  if (isSpent(budget)) return { as: "one", seen: undefined };
  const from = value.as === "field" ? fieldOnce(value.name, evaluation) : called(value, evaluation);
  const reading = walk(from, value.indexes);
  if (reading.as === "each") spend(budget, reading.seen.length * ELEMENT_WORK);
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
  const known = givenNames(name).find((each) => Object.hasOwn(request, each));
  try {
    return known === undefined || type === undefined ? undefined : seenIn(request[known], type);
  } catch {
    // A getter or a proxy of the caller: what it does not tell is not known.
    return undefined;
  }
}

/** With `[*]` in its first argument a function runs on each element and gives a list. */
function called(value: Extract<Value, { as: "call" }>, evaluation: Evaluation): Seen {
  const { effort } = evaluation;
  const signature = signatureOf(value.name);
  const [first, ...rest] = value.args.map((each, index) => {
    const isLiteral = signature !== undefined && parameterAt(signature, index)?.kind === "literal";
    return isLiteral && each.as !== "literal" ? UNKNOWN : argument(each, evaluation);
  });
  const others = rest.map(({ seen }) => seen);
  if (first?.as !== "each")
    return call(value.name, first === undefined ? [] : [first.seen, ...others], effort);
  return first.seen
    .map((each) => call(value.name, [each, ...others], effort))
    .filter((each) => each !== null);
}

const UNKNOWN: Reading = { as: "one", seen: undefined };

function argument(arg: Argument, evaluation: Evaluation): Reading {
  switch (arg.as) {
    case "value":
      return read(arg.value, evaluation);
    case "literal":
      return { as: "one", seen: arg.literal.value };
    case "expression": {
      const verdict = verdictOn(arg.expression, evaluation);
      return isList(verdict) ? { as: "each", seen: verdict.map(known) } : { as: "one", seen: known(verdict) };
    }
  }
}

function known(truth: Truth): Seen {
  return truth === "unknown" ? undefined : truth;
}
