import { combine, not, type Truth } from "../evaluate/truth.js";
import { canonicalNode } from "../spelling/canonical.js";
import type { Argument, Comparison, Expression, Field, Quantifier, Value } from "../tree.js";
import { comparisonsIn } from "../visit.js";
import { type Cell, type Cells, cellsOf, merged } from "./cells.js";
import { type Question, questionOf } from "./questions.js";

/** The list whose elements alone decide a quantifier; null where it looks at several, or deeper. */
export function listOf({ item }: Quantifier): Field | null {
  const lists = comparisonsIn(item).map((each) => elementQuestion(each)?.of);
  const [first] = lists;
  if (first?.as !== "field") return null;
  return lists.every((each) => each !== undefined && canonicalNode(each) === canonicalNode(first))
    ? first
    : null;
}

/** A list is one of the sets of cells that its elements can fall into; a missing one counts as empty. */
export function listCells(quantifiers: readonly Quantifier[]): Cells {
  const questions = new Map<string, Question>();
  for (const comparison of quantifiers.flatMap(comparisonsIn)) {
    const question = elementQuestion(comparison);
    if (question !== null) questions.set(canonicalNode(comparison), question);
  }
  const keys = [...questions.keys()];
  const elements = cellsOf([...questions.values()], { mayBeMissing: false, exampleStart: "" }).cells;
  if (elements.length > MAX_ELEMENTS)
    return { cells: [{ answers: quantifiers.map(() => null), example: undefined }], impossible: [] };
  const cells = subsets(elements).map((members): Cell => {
    const truths = quantifiers.map((each) =>
      quantified(
        each,
        members.map(({ answers }) => truthIn(each.item, answers, keys)),
      ),
    );
    const examples = members.map(({ example }) => example);
    return {
      answers: truths.map((truth) => (truth === "unknown" ? null : truth)),
      example: examples.includes(undefined) ? undefined : examples,
    };
  });
  return { cells: merged(cells), impossible: [] };
}

const MAX_ELEMENTS = 6;

function subsets(cells: readonly Cell[]): readonly (readonly Cell[])[] {
  return Array.from({ length: 2 ** cells.length }, (_, chosen) =>
    cells.filter((_each, bit) => (chosen >> bit) % 2 === 1),
  );
}

function quantified({ as }: Quantifier, truths: readonly Truth[]): Truth {
  return as === "any" ? truths.reduce(combine.or, false) : truths.reduce(combine.and, true);
}

function truthIn(tree: Expression, answers: Cell["answers"], keys: readonly string[]): Truth {
  switch (tree.as) {
    case "and":
    case "or":
    case "xor":
      return tree.items.map((each) => truthIn(each, answers, keys)).reduce(combine[tree.as]);
    case "not":
      return not(truthIn(tree.item, answers, keys));
    default:
      return answers[keys.indexOf(canonicalNode(tree))] ?? "unknown";
  }
}

/** What a comparison asks of one element. A list of Booleans needs no `[*]`: it stands for its elements. */
function elementQuestion(comparison: Comparison): Question | null {
  const { left, test } = comparison;
  const isPlain = test.as === "is_true" && left.as === "call" && left.indexes.length === 0;
  const element = ofElement(isPlain ? { ...left, indexes: [{ as: "each" }] } : left);
  return element === null ? null : questionOf({ ...comparison, left: element });
}

/** `lower(x[*])[*]` as `lower(x)`, for an element `x`. */
function ofElement(value: Value): Value | null {
  const { indexes } = value;
  const each = indexes.findIndex(({ as }) => as === "each");
  if (each === -1 || each !== indexes.length - 1) return null;
  if (value.as === "field") return { ...value, indexes: indexes.slice(0, -1) };
  const [first, ...others] = value.args;
  const inner = first?.as === "value" && indexes.length === 1 ? ofElement(first.value) : null;
  if (inner === null || first?.as !== "value") return null;
  const args: readonly Argument[] = [{ as: "value", value: inner }, ...others];
  return { ...value, args, indexes: [] };
}
