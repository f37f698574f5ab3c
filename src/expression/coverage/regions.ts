import { workOf } from "../budget.js";
import { newEffort } from "../evaluate/compare.js";
import { evaluateTree, type Request } from "../evaluate/evaluate.js";
import { parsedExpression } from "../parse/parse.js";
import { normalise } from "../spelling/canonical.js";
import type { Expression } from "../tree.js";
import type { Truth } from "../value.js";
import type { Values } from "./consistent-values.js";
import { FALSE, TooLarge, TRUE } from "./diagram.js";
import { exampleIn } from "./example.js";
import { type Formulas, formulasOf } from "./formula.js";

/** A set of requests. Within one computation, equal sets have equal numbers. */
export type Region = number;

/** Sets of requests, made of the requests that some expressions match. */
export interface Regions {
  readonly all: Region;
  readonly none: Region;
  /** The requests that an expression matches. An unreadable expression, or one that was not given, is undecided. */
  readonly matching: (expression: string) => Region;
  /** A set of which nothing is known. Equal names are the same set. */
  readonly undecided: (name: string) => Region;
  readonly both: (a: Region, b: Region) => Region;
  readonly either: (a: Region, b: Region) => Region;
  readonly without: (a: Region, b: Region) => Region;
  /** The requests that are in the region whatever the undecided sets are. */
  readonly surely: (region: Region) => Region;
  /** A request that surely is in the region. Null: none is found, which proves nothing. */
  readonly example: (region: Region) => Values | null;
  /** Whether a request surely is in the region. */
  readonly has: (region: Region, request: Request) => boolean;
}

/**
 * Computes with sets of requests within the limit for one answer.
 *
 * @returns null if the computation is too large; and its work, in looks at a byte
 */
export function withRegions<T>(
  expressions: readonly string[],
  compute: (regions: Regions) => T,
): { readonly value: T | null; readonly work: number } {
  const trees = new Map(
    expressions.flatMap((text) => {
      const parsed = parsedExpression(text);
      return parsed.ok ? [[text, parsed.tree] as const] : [];
    }),
  );
  return withRegionsOf(trees, compute);
}

/** The same for parsed expressions by name. */
export function withRegionsOf<T>(
  trees: ReadonlyMap<string, Expression>,
  compute: (regions: Regions) => T,
): { readonly value: T | null; readonly work: number } {
  const effort = newEffort();
  const evaluate = (tree: Expression, request: Request) => evaluateTree(tree, request, effort);
  try {
    const formulas = formulasOf([...trees.values()], effort);
    return { value: compute(regionsOf(trees, formulas, evaluate)), work: workOf(effort.budget) };
  } catch (error) {
    if (error instanceof TooLarge) return { value: null, work: workOf(effort.budget) };
    throw error;
  }
}

function regionsOf(
  byText: ReadonlyMap<string, Expression>,
  formulas: Formulas,
  evaluate: (tree: Expression, request: Request) => Truth,
): Regions {
  const { diagram, nodes, always, bottom } = formulas;
  const trees = [...byText.values()];
  const places = new Map([...byText.keys()].map((text, index) => [text, index]));
  const undecidedNames = new Map<string, number>();

  const both = (a: Region, b: Region) => diagram.combine("and", a, b);
  const without = (a: Region, b: Region) => both(a, diagram.combine("xor", b, TRUE));
  const undecided = (name: string) => {
    const place = undecidedNames.get(name) ?? undecidedNames.size;
    undecidedNames.set(name, place);
    return diagram.node(bottom + place, [FALSE, TRUE]);
  };
  const surely = (region: Region) => (undecidedNames.size === 0 ? region : diagram.above(region, bottom));

  /** Regions consist of the smallest sets that the expressions tell apart: a request is in one with all of its own. */
  const isIn = (region: Region, matches: readonly Truth[]) => {
    const alike = matches.reduce<Region>((rest, truth, index) => {
      const node = nodes[index] ?? FALSE;
      return truth === "unknown" ? rest : truth ? both(rest, node) : without(rest, node);
    }, always);
    return alike !== FALSE && without(alike, region) === FALSE;
  };

  return {
    all: always,
    none: FALSE,
    matching: (text) => {
      const node = nodes[places.get(text) ?? -1];
      return node === undefined ? undecided(`matches ${normalise(text)}`) : both(always, node);
    },
    undecided: (name) => undecided(`named ${name}`),
    both,
    either: (a, b) => diagram.combine("or", a, b),
    without,
    surely,
    example: (region) => {
      const sure = surely(region);
      return exampleIn(formulas, trees, sure, (matches) => isIn(sure, matches));
    },
    has: (region, request) =>
      isIn(
        surely(region),
        trees.map((tree) => evaluate(tree, request)),
      ),
  };
}
