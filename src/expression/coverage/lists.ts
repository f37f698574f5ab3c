import type { Effort } from "../evaluate/compare.js";
import { canonicalNode } from "../spelling/canonical.js";
import type { Argument, Comparison, Expression, Field, Quantifier, Value } from "../tree.js";
import { combine, not, type Truth } from "../value.js";
import { comparisonsIn } from "../visit.js";
import { type Cell, type Cells, cellsOf, mergeCells } from "./cells.js";
import { type Question, questionOf } from "./questions.js";

/** The list with elements that alone decide a quantifier. Null: the quantifier looks at several, or deeper. */
export function listOf({ item }: Quantifier): Field | null {
  const lists = comparisonsIn(item).map((each) => elementQuestion(each)?.of);
  const [first] = lists;
  if (first?.as !== "field") return null;
  return lists.every((each) => each !== undefined && canonicalNode(each) === canonicalNode(first))
    ? first
    : null;
}

/** A list is one of the sets of cells that its elements can fall into. A missing list counts as empty. */
export function listCells(quantifiers: readonly Quantifier[], effort: Effort): Cells {
  const { questions, numbers } = elementQuestions(quantifiers);
  const elements = cellsOf(questions, { mayBeMissing: false, exampleStart: "", usual: [] }, effort).cells;
  if (elements.length > MAX_ELEMENTS)
    return { cells: [{ answers: quantifiers.map(() => null), example: undefined }], impossible: [] };
  const members = elements.map(
    ({ answers, example }): Member => ({
      truths: quantifiers.map(({ item }) => truthIn(item, answers, numbers)),
      example,
    }),
  );
  return { cells: mergeCells(subsets(members).map((each) => cellOf(quantifiers, each))), impossible: [] };
}

const MAX_ELEMENTS = 6;

/** The elements of a cell, and the truth of each quantifier's condition for one of them. */
interface Member {
  readonly truths: readonly Truth[];
  readonly example: Cell["example"];
}

/** The distinct questions about an element, and the question number of each comparison. */
function elementQuestions(quantifiers: readonly Quantifier[]) {
  const questions: Question[] = [];
  const numberByText = new Map<string, number>();
  const numbers = new Map<Expression, number>();
  for (const comparison of quantifiers.flatMap(comparisonsIn)) {
    const question = elementQuestion(comparison);
    if (question === null) continue;
    const key = canonicalNode(comparison);
    const number = numberByText.get(key) ?? questions.push(question) - 1;
    numberByText.set(key, number);
    numbers.set(comparison, number);
  }
  return { questions, numbers };
}

function subsets(members: readonly Member[]): readonly (readonly Member[])[] {
  return Array.from({ length: 2 ** members.length }, (_, chosen) =>
    members.filter((_each, bit) => (chosen >> bit) % 2 === 1),
  );
}

function cellOf(quantifiers: readonly Quantifier[], members: readonly Member[]): Cell {
  const answers = quantifiers.map((each, index) => {
    const truth = quantified(
      each,
      members.map(({ truths }) => truths[index] ?? "unknown"),
    );
    return truth === "unknown" ? null : truth;
  });
  const examples = members.map(({ example }) => example);
  return { answers, example: examples.includes(undefined) ? undefined : examples };
}

function quantified({ as }: Quantifier, truths: readonly Truth[]): Truth {
  return as === "any" ? truths.reduce(combine.or, false) : truths.reduce(combine.and, true);
}

function truthIn(
  tree: Expression,
  answers: Cell["answers"],
  numbers: ReadonlyMap<Expression, number>,
): Truth {
  switch (tree.as) {
    case "and":
    case "or":
    case "xor":
      return tree.items.map((each) => truthIn(each, answers, numbers)).reduce(combine[tree.as]);
    case "not":
      return not(truthIn(tree.item, answers, numbers));
    default:
      return answers[numbers.get(tree) ?? -1] ?? "unknown";
  }
}

/** The question of a comparison about one element. A list of Booleans needs no `[*]`: it stands for its elements. */
function elementQuestion(comparison: Comparison): Question | null {
  const { left, test } = comparison;
  const isPlain = test.as === "is_true" && left.as === "call" && left.indexes.length === 0;
  const element = ofElement(isPlain ? { ...left, indexes: [{ as: "each" }] } : left);
  return element === null ? null : questionOf({ ...comparison, left: element });
}

/** `lower(x[*])[*]` as `lower(x)`, for an element `x`. */
function ofElement(value: Value): Value | null {
  const { indexes } = value;
  const eachIndex = indexes.findIndex(({ as }) => as === "each");
  if (eachIndex === -1 || eachIndex !== indexes.length - 1) return null;
  if (value.as === "field") return { ...value, indexes: indexes.slice(0, -1) };
  const [first, ...otherArgs] = value.args;
  const inner = first?.as === "value" && indexes.length === 1 ? ofElement(first.value) : null;
  if (inner === null || first?.as !== "value") return null;
  const args: readonly Argument[] = [{ as: "value", value: inner }, ...otherArgs];
  return { ...value, args, indexes: [] };
}
