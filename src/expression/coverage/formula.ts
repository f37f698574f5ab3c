import { type Effort, newEffort } from "../evaluate/compare.js";
import { canonicalNode } from "../spelling/canonical.js";
import { constantNamed, presentName } from "../tables/fields.js";
import type { Comparison, Expression, Quantifier, Value } from "../tree.js";
import { addressCells, needsAddress, overlap, type View, viewOf } from "./address.js";
import { type About, type Cell, type Cells, cellsOf, type Impossible, merged } from "./cells.js";
import { usualValues } from "./consistent-values.js";
import { createDiagram, type Diagram, FALSE, TRUE } from "./diagram.js";
import { listCells, listOf } from "./lists.js";
import { type Question, questionOf } from "./questions.js";

/** One value of a request that expressions test, partitioned by their answers. */
interface Variable {
  /** Null for what is only known to be true or false; for an address, the parts that are looked at. */
  readonly of: Value | readonly View[] | null;
  readonly cells: Cells;
}

/** Where the answer to a comparison or a quantifier is found: by its canonical text. */
interface Placed {
  readonly variable: number;
  readonly question: number;
  /** The position of its first use among all questions. */
  readonly order: number;
}

interface Asked {
  readonly variables: readonly Variable[];
  readonly places: ReadonlyMap<string, Placed>;
}

/** All questions of some expressions, grouped by the value that they are about. */
function askedBy(trees: readonly Expression[], effort: Effort): Asked {
  const leaves = new Map(trees.flatMap(leavesOf).map((each) => [canonicalNode(each), each]));
  const read = [...leaves].map(([key, leaf], order) => ({ key, order, leaf: readLeaf(leaf) }));
  const groups = [...grouped(read, ({ leaf }) => leaf.group).values()];
  const asked = joined(groups).flatMap(
    (all) => asOneAddress(all, effort) ?? all.map((each) => alone(each, effort)),
  );
  const places = asked.flatMap(({ group }, variable) =>
    group.map(({ key, order }, question) => [key, { variable, question, order }] as const),
  );
  return { variables: asked.map(({ variable }) => variable), places: new Map(places) };
}

/** Questions about the same value. */
type Group = readonly { readonly key: string; readonly order: number; readonly leaf: Leaf }[];

interface AskedOf {
  readonly group: Group;
  readonly variable: Variable;
}

function alone(group: Group, effort: Effort): AskedOf {
  const leaves = group.map(({ leaf }) => leaf);
  return { group, variable: variableOf(leaves, effort) };
}

/** Null where the questions need no whole address, or are too many. */
function asOneAddress(groups: readonly Group[], effort: Effort): AskedOf | null {
  const group = groups.flat();
  const questions = group.flatMap(({ leaf }) => (leaf.as === "question" ? [leaf.question] : []));
  const isOne = groups.length > 1 || questions.some(({ of }) => viewOf(of) !== null && needsAddress(of));
  const found = isOne ? addressCells(questions, effort) : null;
  if (found === null) return null;
  return {
    group,
    variable: {
      of: questions.flatMap(({ of }) => [viewOf(of) ?? []]),
      cells: { ...found, cells: merged(found.cells) },
    },
  };
}

/** Groups about overlapping parts of the address joined, the others as they are, in their order. */
function joined(groups: readonly Group[]): readonly (readonly Group[])[] {
  const parts = groups.filter((group) => viewIn(group) !== null);
  const others = groups.filter((group) => viewIn(group) === null).map((group) => [group]);
  const isNear = (group: Group) => (some: readonly Group[]) =>
    some.some((each) => overlap(viewIn(group) ?? [], viewIn(each) ?? []));
  const together = parts.reduce<readonly (readonly Group[])[]>((all, group) => {
    const [near, far] = split(all, isNear(group));
    return [...far, [...near.flat(), group]];
  }, []);
  return [...others, ...together].sort((a, b) => firstOrder(a) - firstOrder(b));
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

function grouped<T>(items: readonly T[], groupOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of items) {
    const group = groups.get(groupOf(each)) ?? [];
    group.push(each);
    groups.set(groupOf(each), group);
  }
  return groups;
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

/** Every request has these; of others a value may be missing, as of a key that a map does not have. */
const ALWAYS_THERE =
  /^(?:raw\.)?http\.(?:host|cookie|referer|user_agent|x_forwarded_for|request\.)|^ip\.|^ssl$|^cf\.(?:edge\.server|client\.bot|threat_score|ray_id|zone\.)/;

function mayBeMissing(value: Value): boolean {
  return value.as === "call" || value.indexes.length > 0 || !ALWAYS_THERE.test(presentName(value.name));
}

/** A comparison whose answer is the same for every request. */
function constantOf({ left, test }: Comparison): boolean | null {
  if (left.as === "field" && test.as === "is_true") return constantNamed(left.name);
  return test.as === "in" && test.ranges.length === 0 ? false : null;
}

/** Two expressions as Boolean functions of the same variables. */
export interface Formulas {
  readonly diagram: Diagram;
  /** The search for witnesses uses what the cells have left. */
  readonly effort: Effort;
  readonly a: number;
  readonly b: number;
  /** A condition that holds for every request. */
  readonly always: number;
  readonly variables: readonly Variable[];
}

export function formulasOf(a: Expression, b: Expression, effort: Effort = newEffort()): Formulas {
  const asked = askedBy([a, b], effort);
  const diagram = createDiagram(effort.budget);
  const build = builder(diagram, asked);
  return {
    diagram,
    effort,
    variables: asked.variables,
    a: build.node(a),
    b: build.node(b),
    always: build.always(),
  };
}

/**
 * The level of a variable in the diagram is its number. Below them all, each question has one that the cells may leave
 * open, in the order of the expressions: what stands together there is together in the diagram, which keeps it small.
 */
function builder(diagram: Diagram, { variables, places }: Asked) {
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
        // From the last one: it is deepest in the diagram, and those before it are put on top.
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

  /** A pair of answers excludes itself only where both are open: in all other cells they are what they are. */
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
