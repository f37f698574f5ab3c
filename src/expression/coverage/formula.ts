import { groupBy } from "../../model/group-by.js";
import type { Effort } from "../evaluate/compare.js";
import { canonicalNode } from "../spelling/canonical.js";
import { constantNamed, presentName } from "../tables/fields.js";
import type { Comparison, Expression, Quantifier, Value } from "../tree.js";
import { addressCells, needsAddress, overlap, type View, viewOf } from "./address.js";
import { type About, type Cell, type Cells, cellsOf, type Impossible, mergeCells } from "./cells.js";
import { usualValues } from "./consistent-values.js";
import { createDiagram, type Diagram, FALSE, TRUE } from "./diagram.js";
import { listCells, listOf } from "./lists.js";
import { type Question, questionOf } from "./questions.js";

/** One value of a request that expressions test, partitioned by the answers. */
interface Variable {
  /** Null: only true or false is known of it. For an address: the viewed parts. */
  readonly of: Value | readonly View[] | null;
  readonly cells: Cells;
}

/** The place of the answer to a comparison or quantifier, by its canonical text. */
interface QuestionPlace {
  readonly variable: number;
  readonly question: number;
  /** The position of its first use among all questions. */
  readonly order: number;
}

interface Questions {
  readonly variables: readonly Variable[];
  readonly places: ReadonlyMap<string, QuestionPlace>;
}

/** All questions of some expressions, grouped by the value that they are about. */
function questionsIn(trees: readonly Expression[], effort: Effort): Questions {
  const leaves = new Map(trees.flatMap(leavesOf).map((each) => [canonicalNode(each), each]));
  const leafReadings = [...leaves].map(([key, leaf], order) => ({ key, order, leaf: readLeaf(leaf) }));
  const groups = [...groupBy(leafReadings, ({ leaf }) => leaf.group).values()];
  const groupVariables = joinOverlapping(groups).flatMap(
    (joinedGroups) => asOneAddress(joinedGroups, effort) ?? joinedGroups.map((each) => alone(each, effort)),
  );
  const places = groupVariables.flatMap(({ group }, variable) =>
    group.map(({ key, order }, question) => [key, { variable, question, order }] as const),
  );
  return { variables: groupVariables.map(({ variable }) => variable), places: new Map(places) };
}

/** Questions about the same value. */
type Group = readonly { readonly key: string; readonly order: number; readonly leaf: Leaf }[];

interface GroupVariable {
  readonly group: Group;
  readonly variable: Variable;
}

function alone(group: Group, effort: Effort): GroupVariable {
  const leaves = group.map(({ leaf }) => leaf);
  return { group, variable: variableOf(leaves, effort) };
}

/** Null: the questions need no whole address, or they are too many. */
function asOneAddress(groups: readonly Group[], effort: Effort): GroupVariable | null {
  const group = groups.flat();
  const questions = group.flatMap(({ leaf }) => (leaf.as === "question" ? [leaf.question] : []));
  const isOne = groups.length > 1 || questions.some(({ of }) => viewOf(of) !== null && needsAddress(of));
  const address = isOne ? addressCells(questions, effort) : null;
  if (address === null) return null;
  return {
    group,
    variable: {
      of: questions.flatMap(({ of }) => [viewOf(of) ?? []]),
      cells: { ...address, cells: mergeCells(address.cells) },
    },
  };
}

/** Groups about overlapping parts of the address are joined. The others stay, in their order. */
function joinOverlapping(groups: readonly Group[]): readonly (readonly Group[])[] {
  const parts = groups.filter((group) => viewIn(group) !== null);
  const others = groups.filter((group) => viewIn(group) === null).map((group) => [group]);
  const isNear = (group: Group) => (other: readonly Group[]) =>
    other.some((each) => overlap(viewIn(group) ?? [], viewIn(each) ?? []));
  const overlapping = parts.reduce<readonly (readonly Group[])[]>((merged, group) => {
    const [near, far] = split(merged, isNear(group));
    return [...far, [...near.flat(), group]];
  }, []);
  return [...others, ...overlapping].sort((a, b) => firstOrder(a) - firstOrder(b));
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((each) => !isFirst(each))];
}

function firstOrder([group]: readonly Group[]): number {
  return group?.[0]?.order ?? 0;
}

function viewIn([first]: Group): View | null {
  return first?.leaf.as === "question" ? viewOf(first.leaf.question.of) : null;
}

function leavesOf(tree: Expression): readonly (Comparison | Quantifier)[] {
  switch (tree.as) {
    case "and":
    case "or":
    case "xor":
      return tree.items.flatMap(leavesOf);
    case "not":
      return leavesOf(tree.item);
    default:
      return [tree];
  }
}

/**
 * A leaf of a tree, with the group of questions about the same value. A leaf that cannot be analysed is a group of its
 * own.
 */
type Leaf =
  | { readonly as: "question"; readonly group: string; readonly question: Question }
  | { readonly as: "list"; readonly group: string; readonly list: Value; readonly quantifier: Quantifier }
  | { readonly as: "open"; readonly group: string };

function readLeaf(leaf: Comparison | Quantifier): Leaf {
  const open: Leaf = { as: "open", group: canonicalNode(leaf) };
  if (leaf.as === "comparison") {
    const question = questionOf(leaf);
    if (question === null) return open;
    return { as: "question", group: `${question.type} ${canonicalNode(question.of)}`, question };
  }
  const list = listOf(leaf);
  return list === null ? open : { as: "list", group: `list ${canonicalNode(list)}`, list, quantifier: leaf };
}

function variableOf(leaves: readonly Leaf[], effort: Effort): Variable {
  const questions = leaves.flatMap((each) => (each.as === "question" ? [each.question] : []));
  const quantifiers = leaves.flatMap((each) => (each.as === "list" ? [each.quantifier] : []));
  const [first] = leaves;
  switch (first?.as) {
    case "question":
      return {
        of: first.question.of,
        cells: cellsOf(questions, about(first.question.of), effort),
      };
    case "list":
      return { of: first.list, cells: listCells(quantifiers, effort) };
    default:
      return { of: null, cells: OPEN };
  }
}

const OPEN: Cells = {
  cells: [
    { answers: [true], example: undefined },
    { answers: [false], example: undefined },
  ],
  impossible: [],
};

function about(of: Value): About {
  const isPath = of.as === "field" && /^(?:raw\.)?http\.request\.uri(?:\.path)?$/.test(of.name);
  return {
    mayBeMissing: mayBeMissing(of),
    exampleStart: isPath ? "/" : "",
    usual: of.as === "field" ? usualValues(of.name) : [],
  };
}

/** Every request has these. Other values may be missing, as for a key that a map lacks. */
const ALWAYS_THERE =
  /^(?:raw\.)?http\.(?:host|cookie|referer|user_agent|x_forwarded_for|request\.)|^ip\.|^ssl$|^cf\.(?:edge\.server|client\.bot|threat_score|ray_id|zone\.)/;

function mayBeMissing(value: Value): boolean {
  return value.as === "call" || value.indexes.length > 0 || !ALWAYS_THERE.test(presentName(value.name));
}

/** A comparison with the same answer for every request. */
function constantOf({ left, test }: Comparison): boolean | null {
  if (left.as === "field" && test.as === "is_true") return constantNamed(left.name);
  return test.as === "in" && test.ranges.length === 0 ? false : null;
}

/** Some expressions as Boolean functions of the same variables. */
export interface Formulas {
  readonly diagram: Diagram;
  /** The search for witnesses uses the rest of the budget. */
  readonly effort: Effort;
  /** The functions, in the order of the expressions. */
  readonly nodes: readonly number[];
  /** A condition that holds for every request. */
  readonly always: number;
  readonly variables: readonly Variable[];
  /** The first level below all variables and questions. */
  readonly bottom: number;
}

export function formulasOf(trees: readonly Expression[], effort: Effort): Formulas {
  const questions = questionsIn(trees, effort);
  const diagram = createDiagram(effort.budget);
  const build = builder(diagram, questions);
  return {
    diagram,
    effort,
    variables: questions.variables,
    nodes: trees.map(build.node),
    always: build.always(),
    bottom: questions.variables.length + questions.places.size,
  };
}

/**
 * The level of a variable in the diagram is its number. Below the variables, each question that cells may leave open
 * has a level, in the order of the expressions. Neighbours in the text are neighbours in the diagram, which keeps the
 * diagram small.
 */
function builder(diagram: Diagram, { variables, places }: Questions) {
  const orders = new Map(
    [...places.values()].map((each) => [`${each.variable} ${each.question}`, each.order]),
  );
  const open = (variable: number, question: number): number =>
    diagram.node(variables.length + (orders.get(`${variable} ${question}`) ?? 0), [FALSE, TRUE]);

  const inCells = (variable: number, value: (cell: Cell) => number): number =>
    diagram.node(variable, variables[variable]?.cells.cells.map(value) ?? []);

  const leaf = (variable: number, question: number): number => {
    const values = { true: TRUE, false: FALSE, null: open(variable, question) };
    return inCells(variable, ({ answers }) => values[`${answers[question] ?? null}`]);
  };

  const node = (tree: Expression): number => {
    switch (tree.as) {
      case "and":
      case "or":
      case "xor":
        // Starts with the last item: it is deepest in the diagram, and earlier items are put on top.
        return tree.items.map(node).reduceRight((all, each) => diagram.combine(tree.as, each, all));
      case "not":
        return diagram.combine("xor", node(tree.item), TRUE);
      default: {
        const constant = tree.as === "comparison" ? constantOf(tree) : null;
        if (constant !== null) return constant ? TRUE : FALSE;
        const place = places.get(canonicalNode(tree));
        return place === undefined ? FALSE : leaf(place.variable, place.question);
      }
    }
  };

  /** A pair of answers excludes itself only where both are open. In other cells the answers are fixed. */
  const excluding = (variable: number, pair: Impossible): number => {
    const first = diagram.combine("xor", open(variable, pair.first), pair.answersFirst ? TRUE : FALSE);
    const second = diagram.combine("xor", open(variable, pair.second), pair.answersSecond ? TRUE : FALSE);
    const either = diagram.combine("or", first, second);
    const isOpen = ({ answers }: Cell) => answers[pair.first] === null && answers[pair.second] === null;
    return inCells(variable, (cell) => (isOpen(cell) ? either : TRUE));
  };

  const always = (): number =>
    variables
      .flatMap(({ cells }, variable) => cells.impossible.map((pair) => excluding(variable, pair)))
      .reduce((all, each) => diagram.combine("and", all, each), TRUE);

  return { node, always };
}
