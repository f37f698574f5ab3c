import type { Draft, Kind } from "../kinds/kind.js";
import type { Item } from "../model/item.js";
import type { Change, Step } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import { isLate, type Late } from "../model/sealed.js";
import { type Questions, questions } from "../strength/index.js";
import { type Node, nodesOf, siblingAt } from "./order-nodes.js";
import {
  afterCall,
  fits,
  isSafe,
  isStricter,
  openIn,
  type Protection,
  protectionOf,
} from "./order-protection.js";
import { type Gone, warnings } from "./order-warnings.js";

/** One kind's calls in a zone, and what they start from. */
export interface KindCalls {
  readonly drafts: readonly Draft[];
  /** The kind's live objects, those of others included. */
  readonly live: readonly Item[];
  readonly dimensions: Kind["dimensions"];
  /** How many objects there can be at once; null: any number. */
  readonly most: number | null;
  /** Calls that can take the object of a change part of the way. */
  bridges(change: number): readonly Draft[];
}

export interface Order {
  readonly steps: readonly Ordered[];
  /** Where no order is safe, and where a safe one blocks too much for a moment. */
  readonly warnings: readonly Problem[];
}

/** A step as far as order makes it. */
type Ordered = Omit<Step, "fills">;

/**
 * The zone's calls in the order in which they are sent. No call comes before one that it needs. After each, all that
 * is stopped both before the first call and after the last one is stopped; of several such orders, the one by the
 * calls' standing. Where there is none, a call comes in between that takes an object part of the way; where that does
 * not help, the standing alone decides, and a warning names the gap.
 *
 * @param kinds in their order
 */
export function order(kinds: readonly KindCalls[], changes: readonly Change[]): Order {
  const nodes = nodesOf(
    kinds.map(({ drafts }) => drafts),
    changes,
  );
  const course = courseOf(kinds, nodes);
  while (course.waiting.length > 0) send(course, nextIn(course));
  const numbers = new Map(course.gone.map(({ node }, index) => [node, index + 1]));
  return {
    steps: course.gone.map(({ node }) => stepOf(node, (each) => numbers.get(each) ?? 0)),
    warnings: warnings(course.gone, changes),
  };
}

/** The calls that have their place, and those that wait for it. */
interface Course {
  readonly kinds: readonly KindCalls[];
  readonly ask: Questions;
  readonly gone: Gone[];
  readonly waiting: Node[];
  /** By kind, after the calls that have their place. */
  readonly protections: Protection[];
  /** Calls whose objects are already part of the way. */
  readonly bridged: Set<Node>;
  /** How often a call in between may still be tried. */
  readonly tries: { left: number };
}

function courseOf(kinds: readonly KindCalls[], nodes: readonly Node[]): Course {
  const ask = questions();
  const protections = kinds.map(({ live, drafts, dimensions }) =>
    protectionOf(live, drafts, dimensions, ask),
  );
  return {
    kinds,
    ask,
    gone: [],
    waiting: [...nodes],
    protections,
    bridged: new Set(),
    tries: { left: MOST_TRIES },
  };
}

function nextIn(course: Course): Next {
  const ready = readyIn(course);
  const [least] = ready;
  if (least === undefined) throw new Error("calls of a zone need each other in a circle");
  const alone = (node: Node): Next => ({ node, bridges: null, blocksBeyond: false });
  if (course.ask.isSpent()) return alone(least);
  const safe = ready.find((node) => isSafe(afterCall(protectionIn(course, node), node.draft)));
  return safe === undefined ? (bridgeFor(course, ready) ?? alone(least)) : alone(safe);
}

/** The call that is sent next. */
interface Next {
  readonly node: Node;
  /** The call that it prepares for, where it is not a change's own. */
  readonly bridges: Node | null;
  readonly blocksBeyond: boolean;
}

/** In the order of their standing. What has its place after all others, or no room yet, waits for them. */
function readyIn(course: Course): readonly Node[] {
  const sent = new Set(course.gone.map(({ node }) => node));
  const ready = course.waiting.filter((node) => node.needs.every((each) => sent.has(each)));
  const others = orAll(ready, ({ draft }) => draft.place !== "last");
  return orAll(others, (node) => hasRoom(course, node));
}

/** Those that are so; where none is, all. */
function orAll(nodes: readonly Node[], isSo: (node: Node) => boolean): readonly Node[] {
  const found = nodes.filter(isSo);
  return found.length > 0 ? found : nodes;
}

function hasRoom(course: Course, node: Node): boolean {
  const most = course.kinds[node.kind]?.most ?? null;
  return most === null || fits(protectionIn(course, node), node.draft, most);
}

function protectionIn({ protections }: Course, { kind }: Node): Protection {
  const protection = protections[kind];
  if (protection === undefined) throw new Error("a call has a kind");
  return protection;
}

function send(course: Course, { node, bridges, blocksBeyond }: Next): void {
  const now = afterCall(protectionIn(course, node), node.draft);
  course.protections[node.kind] = now;
  if (bridges === null) course.waiting.splice(course.waiting.indexOf(node), 1);
  else course.bridged.add(bridges);
  course.gone.push({ node, gaps: openIn(now), blocksBeyond });
}

/** A safe call that makes another one safe; rather one that does not block what before and after allow. */
function bridgeFor(course: Course, ready: readonly Node[]): Next | null {
  const found: Next[] = [];
  for (const bridges of ready) {
    if (course.bridged.has(bridges)) continue;
    for (const draft of draftsOver(course, bridges)) {
      if (course.tries.left <= 0) return found[0] ?? null;
      const then = afterCall(protectionIn(course, bridges), draft);
      const others = ready.filter((node) => node !== bridges && node.kind === bridges.kind);
      course.tries.left -= 1 + others.length;
      const helps = () => others.some((node) => isSafe(afterCall(then, node.draft)));
      if (!isSafe(then) || !helps()) continue;
      const next = { node: { ...bridges, draft, needs: [] }, bridges, blocksBeyond: isStricter(then) };
      if (!next.blocksBeyond) return next;
      found.push(next);
    }
  }
  return found[0] ?? null;
}

/** Each call in between is tried with all that wait: the effort has to end. */
const MOST_TRIES = 5_000;

function draftsOver({ kinds }: Course, { draft, kind }: Node): readonly Draft[] {
  return draft.changes.flatMap((change) => kinds[kind]?.bridges(change) ?? []);
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
