import { isSpent, refill } from "../budget.js";
import type { Comparison, Expression, Field, Quantifier } from "../tree.js";
import { isWhole, type Reading } from "../value.js";
import { fieldsOf, unknownNamesOf } from "../visit.js";
import { newEffort } from "./compare.js";
import { type Evaluation, type Request, read, startOn, truthOf } from "./evaluate.js";
import { listsOf } from "./explain.js";

/** What an expression asked for and nobody has told. */
export type Missing =
  /** A field, and the key of it where it is a map of which one value was asked for. */
  | { readonly as: "field"; readonly name: string; readonly key: string | null }
  /** A list of the account. */
  | { readonly as: "list"; readonly name: string }
  /** A field or a function that this version does not know. */
  | { readonly as: "unknown"; readonly name: string };

/**
 * Whether the request matches; where that is undecided, what it takes to know: nothing where it is another reason, such as
 * a function that is not modelled or too much work.
 */
export type Answer = boolean | readonly Missing[];

/**
 * Expressions that are asked of many requests, in any order: the answers are those of `evaluateTree`, and patterns and sets
 * are made ready once. What is not told is the same object in all answers.
 */
export function asking(): (request: Request) => (tree: Expression) => Answer {
  const untoldOf = untoldOnce();
  let effort = newEffort();
  return (request) => {
    let evaluation = startOn(request, effort);
    return (tree) => {
      // Another request has spent what this one began with.
      if (evaluation.effort !== effort) evaluation = startOn(request, effort);
      refill(effort.budget);
      let truth = truthOf(tree, evaluation);
      if (isSpent(effort.budget)) {
        // What was left half made ready by then is of no use, and what was kept of other requests may have cost more.
        effort = newEffort();
        evaluation = startOn(request, effort);
        truth = truthOf(tree, evaluation);
      }
      if (truth !== "unknown") return truth;
      return isSpent(effort.budget) ? [] : [...new Set(untoldIn(tree, evaluation, untoldOf))];
    };
  };
}

/** What left the parts open that left the whole open. */
function untoldIn(tree: Expression, evaluation: Evaluation, untoldOf: UntoldOf): readonly Missing[] {
  if (truthOf(tree, evaluation) !== "unknown") return [];
  switch (tree.as) {
    case "not":
      return untoldIn(tree.item, evaluation, untoldOf);
    case "and":
    case "or":
    case "xor":
      return tree.items.flatMap((item) => untoldIn(item, evaluation, untoldOf));
    default: {
      const { fields, always } = untoldOf(tree);
      const untold = fields.flatMap(({ field, is }) => (isTold(read(field, evaluation)) ? [] : [is]));
      return [...untold, ...always];
    }
  }
}

function isTold({ as, seen }: Reading): boolean {
  return as === "one" ? isWhole(seen) : seen.every(isWhole);
}

/** What a condition asks for. */
type UntoldOf = (leaf: Comparison | Quantifier) => {
  readonly fields: readonly { readonly field: Field; readonly is: Missing }[];
  readonly always: readonly Missing[];
};

/** Each thing is the same one, wherever it is asked for. */
function untoldOnce(): UntoldOf {
  const known = new Map<Expression, ReturnType<UntoldOf>>();
  const things = new Map<string, Missing>();
  const once = (untold: Missing): Missing => {
    const text = JSON.stringify(untold);
    const found = things.get(text) ?? untold;
    things.set(text, found);
    return found;
  };
  return (leaf) => {
    const unknown = unknownNamesOf(leaf);
    const found = known.get(leaf) ?? {
      fields: fieldsOf(leaf).flatMap((field) =>
        unknown.includes(field.name)
          ? []
          : [{ field, is: once({ as: "field", name: field.name, key: keyOf(field) }) }],
      ),
      always: [
        ...listsOf(leaf).map((name) => once({ as: "list", name })),
        ...unknown.map((name) => once({ as: "unknown", name })),
      ],
    };
    known.set(leaf, found);
    return found;
  };
}

function keyOf({ indexes: [first] }: Field): string | null {
  return first?.as === "key" ? first.key : null;
}
