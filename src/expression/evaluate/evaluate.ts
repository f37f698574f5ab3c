import { parse } from "../parse/parse.js";
import { givenNames } from "../tables/aliases.js";
import { constantNamed, fieldType } from "../tables/fields.js";
import type { Argument, Comparison, Expression, Value } from "../tree.js";
import { call } from "./call.js";
import { compare } from "./compare.js";
import { combine, combineVerdicts, isList, notVerdict, type Truth, type Verdict } from "./truth.js";
import { isItems, isMap, type Seen, seenIn } from "./value.js";
import { type Reading, walk } from "./walk.js";

/** What is known of a request: values by the names of fields. A field that is not there is not known. */
export type Request = Readonly<Record<string, unknown>>;

/** Whether a request matches an expression. A text that is none, and what the request leaves open, is "unknown". */
export function evaluate(text: string, request: Request): Truth {
  const parsed = parse(text);
  return parsed.ok ? evaluateTree(parsed.tree, request) : "unknown";
}

export function evaluateTree(tree: Expression, request: Request): Truth {
  const verdict = verdictOn(tree, request);
  return isList(verdict) ? "unknown" : verdict;
}

function verdictOn(tree: Expression, request: Request): Verdict {
  switch (tree.as) {
    case "and":
    case "or":
    case "xor":
      return tree.items
        .map((each) => verdictOn(each, request))
        .reduce((all, each) => combineVerdicts(tree.as, all, each));
    case "not":
      return notVerdict(verdictOn(tree.item, request));
    case "any":
      return quantify("or", false, verdictOn(tree.item, request));
    case "all":
      return quantify("and", true, verdictOn(tree.item, request));
    case "comparison":
      return compareReading(tree, read(tree.left, request));
  }
}

/** A list that is missing counts as empty. */
function quantify(by: "or" | "and", empty: boolean, verdict: Verdict): Truth {
  if (isList(verdict)) return verdict.reduce(combine[by], empty);
  return verdict === "unknown" ? verdict : empty;
}

/** A list of Booleans needs no `[*]`: it stands for its elements. */
function compareReading({ test }: Comparison, { as, seen }: Reading): Verdict {
  if (as === "each") return seen.map((each) => compare(each, test));
  if (test.as === "is_true" && (isItems(seen) || isMap(seen))) {
    return [...seen.values()].map((each) => compare(each, test));
  }
  return compare(seen, test);
}

/** What the left side of a comparison is in a request. */
export function read(value: Value, request: Request): Reading {
  return walk(value.as === "field" ? field(value.name, request) : called(value, request), value.indexes);
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
function called(value: Extract<Value, { as: "call" }>, request: Request): Seen {
  const [first, ...rest] = value.args.map((each) => argument(each, request));
  const others = rest.map(({ seen }) => seen);
  if (first?.as !== "each") return call(value.name, first === undefined ? [] : [first.seen, ...others]);
  return first.seen.map((each) => call(value.name, [each, ...others])).filter((each) => each !== null);
}

function argument(arg: Argument, request: Request): Reading {
  switch (arg.as) {
    case "value":
      return read(arg.value, request);
    case "literal":
      return { as: "one", seen: arg.literal.value };
    case "expression": {
      const verdict = verdictOn(arg.expression, request);
      return isList(verdict) ? { as: "each", seen: verdict.map(known) } : { as: "one", seen: known(verdict) };
    }
  }
}

function known(truth: Truth): Seen {
  return truth === "unknown" ? undefined : truth;
}
