import type { Draft } from "../kinds/kind.js";
import type { Change } from "../model/plan.js";

/** A call that has no place in the order yet. */
export interface Node {
  readonly draft: Draft;
  /** The calls of the same kind, which the draft's indices mean. */
  readonly siblings: readonly Node[];
  /** Calls that come before it, whatever they do. */
  readonly needs: readonly Node[];
  readonly rank: number;
  /** Index of its kind. */
  readonly kind: number;
  readonly index: number;
}

/** The calls by their standing: the first of those that may be sent comes next, where nothing speaks against it. */
export function nodesOf(drafts: readonly (readonly Draft[])[], changes: readonly Change[]): readonly Node[] {
  const nodes = drafts.flatMap((all, kind) => {
    const siblings: Waiting[] = [];
    for (const [index, draft] of all.entries())
      siblings.push({ draft, siblings, needs: [], rank: rankOf(draft, changes), kind, index });
    return siblings;
  });
  for (const node of nodes) node.needs.push(...neededBy(node, nodes));
  return nodes.sort(byStanding);
}

type Waiting = Node & { readonly needs: Node[] };

function neededBy({ draft, siblings }: Node, nodes: readonly Node[]): readonly Node[] {
  const own = draft.needs.map((index) => siblingAt(siblings, index));
  const words = draft.requires ?? [];
  const others = nodes.filter((node) => node.draft.provides?.some((word) => words.includes(word)) === true);
  return [...own, ...others];
}

export function siblingAt(siblings: readonly Node[], index: number): Node {
  const node = siblings[index];
  if (node === undefined) throw new Error("a draft refers to drafts of its kind");
  return node;
}

/**
 * What has a place of its own comes first or last; in between, what adds protection comes before what takes it away.
 * Calls of equal standing keep the order of kinds and files; where something is taken away, kinds go in reverse.
 */
function byStanding(a: Node, b: Node): number {
  const direction = a.rank === TAKES_AWAY ? -1 : 1;
  return a.rank - b.rank || direction * (a.kind - b.kind) || a.index - b.index;
}

const FIRST = 0;
/** Where there is room for one more only, each that takes another's place needs it before those that are just new. */
const REPLACES = 1;
const CREATES = 2;
const TIGHTENS = 3;
const UPDATES = 4;
const TAKES_AWAY = 5;
const LAST = 6;

function rankOf(draft: Draft, changes: readonly Change[]): number {
  if (draft.place !== undefined) return draft.place === "first" ? FIRST : LAST;
  const ranks = draft.changes.map((index) => changeRank(draft, changes[index]));
  return Math.max(...ranks);
}

function changeRank({ yields }: Draft, change: Change | undefined): number {
  if (change === undefined) throw new Error("a call belongs to a change of its zone");
  if (change.replaces) return yields.every(({ item }) => item === null) ? TAKES_AWAY : REPLACES;
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
  const moving = shifts.filter((shift) => shift.way !== "neutral");
  if (moving.length > 0 && moving.every((shift) => shift.way === "stronger")) return TIGHTENS;
  return shifts.some((shift) => shift.way === "weaker") ? TAKES_AWAY : UPDATES;
}
