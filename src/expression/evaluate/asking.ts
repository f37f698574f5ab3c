import { isSpent, refill } from "../budget.js";
import type { Comparison, Expression, Field, Quantifier } from "../tree.js";
import { isWhole, type Reading } from "../value.js";
import { fieldsOf } from "../visit.js";
import { newEffort } from "./compare.js";
import { type Evaluation, type Request, read, startOn, truthOf } from "./evaluate.js";
import { listsOf } from "./explain.js";

/** What an expression asked for and nobody has told. */
export type Untold =
  /** A field, and the key of it where it is a map of which one value was asked for. */
  | { readonly as: "field"; readonly name: string; readonly key: string | null }
  /** A list of the account. */
  | { readonly as: "list"; readonly name: string };

/**
 * Whether the request matches; where that is undecided, what it takes to know: nothing where it is another reason, such as
 * a function that is not modelled or too much work.
 */
export type Answer = boolean | readonly Untold[];

/**
 * Expressions that are asked of many requests, one request after the other: the answers are those of `evaluateTree`, and
 * patterns and sets are made ready once.
 */
export function asking(): (request: Request) => (tree: Expression) => Answer {
  let effort = newEffort();
  return (request) => {
    let evaluation = startOn(request, effort);
    return (tree) => {
      refill(effort.budget);
      let truth = truthOf(tree, evaluation);
      if (isSpent(effort.budget)) {
        // What was left half made ready by then is of no use, and what was kept of other requests may have cost more.
        effort = newEffort();
        evaluation = startOn(request, effort);
        truth = truthOf(tree, evaluation);
      }
      if (truth !== "unknown") return truth;
      return isSpent(effort.budget) ? [] : untoldIn(tree, evaluation);
    };
  };
}

/** What left the parts open that left the whole open. */
function untoldIn(tree: Expression, evaluation: Evaluation): readonly Untold[] {
  if (truthOf(tree, evaluation) !== "unknown") return [];
  switch (tree.as) {
    case "not":
      return untoldIn(tree.item, evaluation);
    case "and":
    case "or":
    case "xor":
      return tree.items.flatMap((item) => untoldIn(item, evaluation));
    default:
      return untoldAt(tree, evaluation);
  }
}

function untoldAt(leaf: Comparison | Quantifier, evaluation: Evaluation): readonly Untold[] {
  const fields = fieldsOf(leaf).filter((field) => !isTold(read(field, evaluation)));
  return [
    ...fields.map((field): Untold => ({ as: "field", name: field.name, key: keyOf(field) })),
    ...listsOf(leaf).map((name): Untold => ({ as: "list", name })),
  ];
}

function isTold({ as, seen }: Reading): boolean {
  return as === "one" ? isWhole(seen) : seen.every(isWhole);
}

function keyOf({ indexes: [first] }: Field): string | null {
  return first?.as === "key" ? first.key : null;
}
