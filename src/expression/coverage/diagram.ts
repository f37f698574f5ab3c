/**
 * Decision diagrams: a Boolean function of several variables, each of which has a small number of cells. Each function
 * has exactly one node, so that two are equal when their numbers are.
 */
export interface Diagram {
  /** True in the cells of one variable where `values` is true, or as another function says. */
  readonly node: (level: number, children: readonly number[]) => number;
  readonly combine: (by: "and" | "or" | "xor", a: number, b: number) => number;
  /** The cells on a way to true, by level, ways through the first cells first; levels that do not matter are left out. */
  readonly ways: (from: number) => Iterable<ReadonlyMap<number, number>>;
}

export const FALSE = 0;
export const TRUE = 1;

/** Ends a computation that would take too long. */
export class TooLarge extends Error {}

export function createDiagram(maxWork: number): Diagram {
  const levels: number[] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const childrenOf: (readonly number[])[] = [[], []];
  const known = new Map<string, number>();
  const results = {
    and: new Map<number, number>(),
    or: new Map<number, number>(),
    xor: new Map<number, number>(),
  };
  let work = 0;

  const spend = (amount: number) => {
    work += amount;
    if (work > maxWork) throw new TooLarge();
  };

  const node = (level: number, children: readonly number[]): number => {
    const [first] = children;
    spend(children.length);
    if (first !== undefined && children.every((each) => each === first)) return first;
    const key = `${level}:${children.join()}`;
    const made = known.get(key);
    if (made !== undefined) return made;
    known.set(key, levels.length);
    childrenOf.push(children);
    return levels.push(level) - 1;
  };

  const combine = (by: "and" | "or" | "xor", a: number, b: number): number => {
    const short = SHORT[by](a, b);
    if (short !== null) return short;
    const key = Math.min(a, b) * MAX_NODES + Math.max(a, b);
    const done = results[by].get(key);
    if (done !== undefined) return done;
    const level = Math.min(levels[a] ?? 0, levels[b] ?? 0);
    const [ofA, ofB] = [childrenAt(a, level), childrenAt(b, level)];
    const children = (ofA ?? ofB ?? []).map((_, cell) => combine(by, ofA?.[cell] ?? a, ofB?.[cell] ?? b));
    const result = node(level, children);
    results[by].set(key, result);
    return result;
  };

  const childrenAt = (of: number, level: number) => (levels[of] === level ? childrenOf[of] : undefined);

  function* ways(from: number): Iterable<ReadonlyMap<number, number>> {
    if (from === TRUE) yield new Map();
    for (const [cell, child] of (childrenOf[from] ?? []).entries()) {
      if (child === FALSE) continue;
      for (const rest of ways(child)) yield new Map([[levels[from] ?? 0, cell], ...rest]);
    }
  }

  return { node, combine, ways };
}

/** More than the bound on work ever allows. */
const MAX_NODES = 2 ** 26;

/** Results that need no look inside; null where it takes one. */
const SHORT = {
  and: (a: number, b: number) =>
    a === FALSE || b === FALSE ? FALSE : a === TRUE || a === b ? b : b === TRUE ? a : null,
  or: (a: number, b: number) =>
    a === TRUE || b === TRUE ? TRUE : a === FALSE || a === b ? b : b === FALSE ? a : null,
  xor: (a: number, b: number) => (a === b ? FALSE : a === FALSE ? b : b === FALSE ? a : null),
};
