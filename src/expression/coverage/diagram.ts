import { type Budget, spend } from "../budget.js";

/**
 * Decision diagrams: Boolean functions of several variables, each with a small number of cells. Each function has
 * exactly one node, so equal functions have equal numbers.
 */
export interface Diagram {
  /** The function that tests the variable of a level: for each cell, the child with the cell's number. */
  readonly node: (level: number, children: readonly number[]) => number;
  readonly combine: (by: Operator, a: number, b: number) => number;
  /** The function with false in place of whatever depends on a variable at this level or below. */
  readonly above: (of: number, level: number) => number;
  /** The cells on each path to true, by level, the first cells first. Levels that do not matter are left out. */
  readonly ways: (from: number) => Iterable<ReadonlyMap<number, number>>;
}

type Operator = "and" | "or" | "xor";

export const FALSE = 0;
export const TRUE = 1;

/** Thrown to end a computation that would take too long. */
export class TooLarge extends Error {}

export function createDiagram(budget: Budget): Diagram {
  const levels: number[] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const childrenOf: (readonly number[])[] = [[], []];
  const nodes = new Map<string, number>();
  const results = {
    and: new Map<number, number>(),
    or: new Map<number, number>(),
    xor: new Map<number, number>(),
  };

  const node = (level: number, children: readonly number[]): number => {
    const [first] = children;
    if (!spend(budget, Math.max(1, children.length) * LOOK_WORK)) throw new TooLarge();
    if (first !== undefined && children.every((each) => each === first)) return first;
    const key = `${level}:${children.join()}`;
    const existing = nodes.get(key);
    if (existing !== undefined) return existing;
    nodes.set(key, levels.length);
    childrenOf.push(children);
    return levels.push(level) - 1;
  };

  /** A loop, not recursion: there may be more levels than the stack allows. */
  const combine = (by: Operator, a: number, b: number): number => {
    const open: Combining[] = [];
    let result = resultOf(by, a, b);
    if (result === null) open.push(startCombining(a, b));
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const below = nextBelow(by, top);
      if (below !== null) open.push(below);
      else {
        result = node(top.level, top.children);
        results[by].set(keyOf(top.a, top.b), result);
        open.pop();
      }
    }
    return result ?? FALSE;
  };

  const resultOf = (by: Operator, a: number, b: number): number | null =>
    SHORT[by](a, b) ?? results[by].get(keyOf(a, b)) ?? null;

  const startCombining = (a: number, b: number): Combining => {
    const level = Math.min(levels[a] ?? 0, levels[b] ?? 0);
    return { a, b, level, ofA: childrenAt(a, level), ofB: childrenAt(b, level), children: [] };
  };

  const childrenAt = (of: number, level: number) => (levels[of] === level ? childrenOf[of] : undefined);

  /** Takes known results, up to the first one that is still missing. */
  const nextBelow = (by: Operator, { a, b, ofA, ofB, children }: Combining): Combining | null => {
    const cells = (ofA ?? ofB ?? []).length;
    while (children.length < cells) {
      const cell = children.length;
      const [childA, childB] = [ofA?.[cell] ?? a, ofB?.[cell] ?? b];
      const result = resultOf(by, childA, childB);
      if (result === null) return startCombining(childA, childB);
      children.push(result);
    }
    return null;
  };

  /** Children have lower numbers than their parents, so they are ready first. */
  const above = (of: number, level: number): number => {
    const results = [FALSE, TRUE];
    for (let each = TRUE + 1; each <= of; each++) {
      const ownLevel = levels[each] ?? level;
      const children = childrenOf[each] ?? [];
      results[each] =
        ownLevel < level
          ? node(
              ownLevel,
              children.map((child) => results[child] ?? FALSE),
            )
          : FALSE;
    }
    return results[of] ?? FALSE;
  };

  function* ways(from: number): Iterable<ReadonlyMap<number, number>> {
    const turns: Turn[] = [];
    for (let at: number | null = from; at !== null; at = backtrack(turns)) {
      while (at > TRUE) at = descend(turns, at, 0) ?? FALSE;
      if (at === TRUE) yield new Map(turns.map(({ of, cell }) => [levels[of] ?? 0, cell]));
    }
  }

  /** Continues through the first cell, from the given one on, that is not always false. */
  const descend = (turns: Turn[], of: number, from: number): number | null => {
    const children = childrenOf[of] ?? [];
    const cell = children.findIndex((child, index) => index >= from && child !== FALSE);
    if (cell === -1) return null;
    turns.push({ of, cell });
    return children[cell] ?? null;
  };

  /** Back to the last turn where another cell leads on. */
  const backtrack = (turns: Turn[]): number | null => {
    for (let last = turns.pop(); last !== undefined; last = turns.pop()) {
      const child = descend(turns, last.of, last.cell + 1);
      if (child !== null) return child;
    }
    return null;
  };

  return { node, combine, above, ways };
}

/** Creating or looking up one child costs as much as that many steps of a pattern. */
const LOOK_WORK = 20;

/** More than a budget pays for. */
const MOST_NODES = 2 ** 26;

/** Two functions that are being combined. */
interface Combining {
  readonly a: number;
  readonly b: number;
  readonly level: number;
  readonly ofA: readonly number[] | undefined;
  readonly ofB: readonly number[] | undefined;
  readonly children: number[];
}

interface Turn {
  readonly of: number;
  readonly cell: number;
}

/** Keys do not collide, because the number of a node is below the factor. */
function keyOf(a: number, b: number): number {
  return Math.min(a, b) * MOST_NODES + Math.max(a, b);
}

/** Results that need no look inside the nodes. Null: it is needed. */
const SHORT = {
  and: (a: number, b: number) =>
    a === FALSE || b === FALSE ? FALSE : a === TRUE || a === b ? b : b === TRUE ? a : null,
  or: (a: number, b: number) =>
    a === TRUE || b === TRUE ? TRUE : a === FALSE || a === b ? b : b === FALSE ? a : null,
  xor: (a: number, b: number) => (a === b ? FALSE : a === FALSE ? b : b === FALSE ? a : null),
};
