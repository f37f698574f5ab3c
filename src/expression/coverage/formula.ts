import { type Effort, newEffort } from "../evaluate/effort.js";
import { canonicalNode } from "../spelling/canonical.js";
import type { Expression } from "../tree.js";
import type { Cell, Impossible } from "./cells.js";
import { createDiagram, type Diagram, FALSE, TRUE } from "./diagram.js";
import { type Asked, askedBy, constantOf, type Variable } from "./variables.js";

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

export function formulasOf(a: Expression, b: Expression): Formulas {
  const effort = newEffort();
  const asked = askedBy([a, b], effort);
  const diagram = createDiagram();
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
