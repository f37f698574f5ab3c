import { isSpent, refill, workOf } from "../budget.js";
import type { Comparison, Expression, Field, Quantifier } from "../tree.js";
import { isWhole, type Reading } from "../value.js";
import { fieldsOf, unknownNamesOf } from "../visit.js";
import { newEffort } from "./compare.js";
import { type Evaluation, type Request, readingOf, startOn, truthOf } from "./evaluate.js";
import { listsOf } from "./explain.js";

/** Something that an expression needs and the request does not give. */
export type Missing =
  /** A field, and its key if one value of a map is needed. */
  | { readonly as: "field"; readonly name: string; readonly key: string | null }
  /** A list of the account. */
  | { readonly as: "list"; readonly name: string }
  /** A field or function unknown to this version. */
  | { readonly as: "unknown"; readonly name: string };

/**
 * Whether the request matches. If undecided, the missing inputs. Empty: another reason, such as a function that is not
 * modelled or too much work.
 */
export type Answer = boolean | readonly Missing[];

/** Whether the request matches an expression, and the work of finding it, in looks at a byte. */
export type Ask = (tree: Expression) => { readonly answer: Answer; readonly work: number };

/**
 * Evaluates expressions on many requests, in any order. The answers equal those of `evaluateTree`, and patterns and
 * sets are prepared once. Equal missing inputs are the same object in all answers.
 */
export function evaluator(): (request: Request) => Ask {
  const missingOf = missingOnce();
  let effort = newEffort();
  return (request) => {
    let evaluation = startOn(request, effort);
    return (tree) => {
      // Another request has replaced the effort of this evaluation.
      if (evaluation.effort !== effort) evaluation = startOn(request, effort);
      refill(effort.budget);
      let truth = truthOf(tree, evaluation);
      if (isSpent(effort.budget)) {
        // Half-prepared patterns are useless, and cached ones may have cost more than a new budget.
        effort = newEffort();
        evaluation = startOn(request, effort);
        truth = truthOf(tree, evaluation);
      }
      const work = workOf(effort.budget);
      if (truth !== "unknown") return { answer: truth, work };
      const isTooMuch = isSpent(effort.budget);
      return { answer: isTooMuch ? [] : [...new Set(missingIn(tree, evaluation, missingOf))], work };
    };
  };
}

/** The missing inputs of the undecided parts that leave the whole undecided. */
function missingIn(tree: Expression, evaluation: Evaluation, missingOf: MissingOf): readonly Missing[] {
  if (truthOf(tree, evaluation) !== "unknown") return [];
  switch (tree.as) {
    case "not":
      return missingIn(tree.item, evaluation, missingOf);
    case "and":
    case "or":
    case "xor":
      return tree.items.flatMap((item) => missingIn(item, evaluation, missingOf));
    default: {
      const { fields, always } = missingOf(tree);
      const missing = fields.flatMap(({ field, input }) =>
        isKnown(readingOf(field, evaluation)) ? [] : [input],
      );
      return [...missing, ...always];
    }
  }
}

function isKnown({ as, value }: Reading): boolean {
  return as === "one" ? isWhole(value) : value.every(isWhole);
}

/** The inputs that a condition needs. */
type MissingOf = (leaf: Comparison | Quantifier) => {
  readonly fields: readonly { readonly field: Field; readonly input: Missing }[];
  readonly always: readonly Missing[];
};

/** Equal inputs share one object. */
function missingOnce(): MissingOf {
  const byLeaf = new Map<Expression, ReturnType<MissingOf>>();
  const inputs = new Map<string, Missing>();
  const once = (missing: Missing): Missing => {
    const text = JSON.stringify(missing);
    const input = inputs.get(text) ?? missing;
    inputs.set(text, input);
    return input;
  };
  return (leaf) => {
    const unknown = unknownNamesOf(leaf);
    const missing = byLeaf.get(leaf) ?? {
      fields: fieldsOf(leaf).flatMap((field) =>
        unknown.includes(field.name)
          ? []
          : [{ field, input: once({ as: "field", name: field.name, key: keyOf(field) }) }],
      ),
      always: [
        ...listsOf(leaf).map((name) => once({ as: "list", name })),
        ...unknown.map((name) => once({ as: "unknown", name })),
      ],
    };
    byLeaf.set(leaf, missing);
    return missing;
  };
}

function keyOf({ indexes: [first] }: Field): string | null {
  return first?.as === "key" ? first.key : null;
}
