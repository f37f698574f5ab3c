import type { Draft } from "../kinds/kind.js";
import type { Change, Step } from "../model/plan.js";
import { isLate, type Late } from "../model/sealed.js";

/**
 * The zone's calls in the order in which they are sent: what has a place of its own first or last; in between what
 * adds protection before what takes it away. Calls of equal standing keep the order of kinds and files, and its reverse where something is taken away. No call comes before one
 * that it needs.
 *
 * @param drafts of each kind, in the order of kinds
 */
export function order(drafts: readonly (readonly Draft[])[], changes: readonly Change[]): readonly Ordered[] {
  const nodes = nodesOf(drafts, changes);
  const sorted: Node[] = [];
  const waiting = [...nodes].sort(byStanding);
  while (waiting.length > 0) {
    const next = waiting.findIndex((node) => node.needs.every((each) => sorted.includes(each)));
    if (next === -1) throw new Error("calls of a zone need each other in a circle");
    sorted.push(...waiting.splice(next, 1));
  }
  const numbers = new Map(sorted.map((node, index) => [node, index + 1]));
  return sorted.map((node) => stepOf(node, (each) => numbers.get(each) ?? 0));
}

/** A step as far as order makes it. */
type Ordered = Omit<Step, "fills">;

interface Node {
  readonly draft: Draft;
  /** Those of the same kind, which the draft's indices mean. */
  readonly siblings: readonly Node[];
  readonly needs: Node[];
  readonly rank: number;
  readonly kind: number;
  readonly index: number;
}

function nodesOf(drafts: readonly (readonly Draft[])[], changes: readonly Change[]): readonly Node[] {
  const nodes = drafts.flatMap((all, kind) => {
    const siblings: Node[] = [];
    for (const [index, draft] of all.entries())
      siblings.push({ draft, siblings, needs: [], rank: rankOf(draft, changes), kind, index });
    return siblings;
  });
  for (const node of nodes) node.needs.push(...neededBy(node, nodes));
  return nodes;
}

function neededBy({ draft, siblings }: Node, nodes: readonly Node[]): readonly Node[] {
  const own = draft.needs.map((index) => siblingAt(siblings, index));
  const words = draft.requires ?? [];
  const others = nodes.filter((node) => node.draft.provides?.some((word) => words.includes(word)) === true);
  return [...own, ...others];
}

function siblingAt(siblings: readonly Node[], index: number): Node {
  const node = siblings[index];
  if (node === undefined) throw new Error("a draft refers to drafts of its kind");
  return node;
}

function byStanding(a: Node, b: Node): number {
  const direction = a.rank === TAKES_AWAY ? -1 : 1;
  return a.rank - b.rank || direction * (a.kind - b.kind) || a.index - b.index;
}

function stepOf(node: Node, numberOf: (node: Node) => number): Ordered {
  const { draft, siblings, needs } = node;
  const { place: _, touches: _t, provides: _p, requires: _r, path, ...rest } = draft;
  const numbered = (part: string | Late) =>
    isLate(part) ? { $result: numberOf(siblingAt(siblings, part.$result)) } : part;
  return {
    n: numberOf(node),
    ...rest,
    path: path.map(numbered),
    needs: needs.map(numberOf).sort((a, b) => a - b),
  };
}

const FIRST = 0;
const CREATES = 1;
const TIGHTENS = 2;
const UPDATES = 3;
const TAKES_AWAY = 4;
const LAST = 5;

function rankOf(draft: Draft, changes: readonly Change[]): number {
  if (draft.place !== undefined) return draft.place === "first" ? FIRST : LAST;
  const ranks = draft.changes.map((index) => changeRank(changes[index]));
  return Math.max(...ranks);
}

function changeRank(change: Change | undefined): number {
  if (change === undefined) throw new Error("a call belongs to a change of its zone");
  switch (change.action) {
    case "create":
      return CREATES;
    case "delete":
      return TAKES_AWAY;
    case "update":
      return updateRank(change);
  }
}

function updateRank({ shifts }: Change): number {
  if (shifts.length > 0 && shifts.every((shift) => shift.way === "stronger")) return TIGHTENS;
  return shifts.some((shift) => shift.way === "weaker") ? TAKES_AWAY : UPDATES;
}
