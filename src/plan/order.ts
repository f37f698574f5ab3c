import type { PendingStep } from "../calls/index.js";
import { askedBy, type EntryField, newlyLogged } from "../kinds/logged-fields.js";
import { isSpent } from "../model/comparing.js";
import { cutEnd } from "../model/cut.js";
import { groupBy } from "../model/group-by.js";
import type { Item, Ref } from "../model/item.js";
import type { Change, Step } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import { isLate, type Late } from "../model/sealed.js";
import { type Dimensions, SERVICE } from "../model/strength.js";
import { blocksBeyond, type Gap, join, keepsProtection, protectionGaps } from "../strength/index.js";
import { nameOf } from "./wording.js";

/** One kind's calls in a zone, and what they start from. */
export interface KindCalls {
  readonly drafts: readonly PendingStep[];
  /** The kind's live objects, unmanaged ones included. */
  readonly live: readonly Item[];
  readonly dimensions: DimensionsOf;
  /** How many objects there can be at once; null: any number. */
  readonly most: number | null;
  /** Calls that can take the object of a change part of the way. */
  intermediateCalls(change: number): readonly PendingStep[];
}

/** How strongly an object protects among the others of its kind. */
type DimensionsOf = (item: Item) => Dimensions;

interface Order {
  readonly steps: readonly Ordered[];
  /** Where no order is safe, and where a safe one blocks too much for a moment. */
  readonly warnings: readonly Problem[];
}

/** A step without what is only known once the bodies are (`secretFields`). */
type Ordered = Omit<Step, "secretFields">;

/**
 * The zone's calls in the order in which they are sent. No call comes before one that it needs. After each, all that
 * is stopped both before the first call and after the last one is stopped; of several such orders, the one by the
 * calls' standing. Where there is none, a call comes in between that takes an object part of the way; where that does
 * not help, the standing alone decides, and a warning names the gap.
 *
 * @param kinds in their order
 */
export function order(kinds: readonly KindCalls[], changes: readonly Change[]): Order {
  const nodes = nodesOf(kinds, changes);
  const ordering = startOrdering(kinds, nodes);
  while (ordering.waiting.length > 0) send(ordering, nextIn(ordering));
  const numbers = new Map(ordering.placed.map(({ node }, index) => [node, index + 1]));
  return {
    steps: ordering.placed.map(({ node }) => stepOf(node, (each) => numbers.get(each) ?? 0)),
    warnings: warnings(ordering.placed, changes),
  };
}

/** The calls that have their place, and those that wait for it. */
interface Ordering {
  readonly kinds: readonly KindCalls[];
  readonly placed: PlacedCall[];
  readonly waiting: Node[];
  /** By kind, after the calls that have their place. */
  readonly protections: Protection[];
  /** Calls whose objects are already part of the way. */
  readonly prepared: Set<Node>;
  /** How often a call in between may still be tried. */
  readonly tries: { left: number };
}

function startOrdering(kinds: readonly KindCalls[], nodes: readonly Node[]): Ordering {
  const protections = kinds.map(({ live, drafts, dimensions }) => protectionOf(live, drafts, dimensions));
  return {
    kinds,
    placed: [],
    waiting: [...nodes],
    protections,
    prepared: new Set(),
    tries: { left: MOST_TRIES },
  };
}

function nextIn(ordering: Ordering): Next {
  const ready = readyIn(ordering);
  const [least] = ready;
  if (least === undefined) throw new Error("calls of a zone need each other in a circle");
  const own = { preparesFor: null, blocksBeyond: false };
  const unsafe = { ...own, node: least, opensNothing: false };
  const safe = ready.find(
    (node) => !isSpent() && isSafe(afterCall(protectionIn(ordering, node), node.draft)),
  );
  if (safe !== undefined) return { ...own, node: safe, opensNothing: true };
  return isSpent() ? unsafe : (intermediateFor(ordering, ready) ?? unsafe);
}

/** The call that is sent next. */
interface Next {
  readonly node: Node;
  /** The call that it prepares for, where it is not a change's own. */
  readonly preparesFor: Node | null;
  readonly blocksBeyond: boolean;
  /** Whether it is known to open nothing. */
  readonly opensNothing: boolean;
}

/** In the order of their standing. What has its place after all others, or no room yet, waits for them. */
function readyIn(ordering: Ordering): readonly Node[] {
  const sent = new Set(ordering.placed.map(({ node }) => node));
  const ready = ordering.waiting.filter((node) => node.needs.every((each) => sent.has(each)));
  const others = orAll(ready, ({ rank }) => rank !== LAST);
  return orAll(others, (node) => hasRoom(ordering, node));
}

/** Those for which it holds; all, where it holds for none. */
function orAll(nodes: readonly Node[], isSo: (node: Node) => boolean): readonly Node[] {
  const found = nodes.filter(isSo);
  return found.length > 0 ? found : nodes;
}

function hasRoom(ordering: Ordering, node: Node): boolean {
  const most = ordering.kinds[node.kind]?.most ?? null;
  return most === null || fits(protectionIn(ordering, node), node.draft, most);
}

function protectionIn({ protections }: Ordering, { kind }: Node): Protection {
  const protection = protections[kind];
  if (protection === undefined) throw new Error("a call has a kind");
  return protection;
}

function send(ordering: Ordering, { node, preparesFor, blocksBeyond, opensNothing }: Next): void {
  const now = afterCall(protectionIn(ordering, node), node.draft);
  ordering.protections[node.kind] = now;
  if (preparesFor === null) ordering.waiting.splice(ordering.waiting.indexOf(node), 1);
  else ordering.prepared.add(preparesFor);
  // Once the budget is spent, `not_compared` says that the order may open a gap.
  const gaps = opensNothing || isSpent() ? [] : openIn(now);
  ordering.placed.push({ node, gaps, blocksBeyond });
}

/** A safe call that makes another one safe; rather one that does not block what before and after allow. */
function intermediateFor(ordering: Ordering, ready: readonly Node[]): Next | null {
  const found: Next[] = [];
  for (const preparesFor of ready) {
    if (ordering.prepared.has(preparesFor)) continue;
    for (const draft of intermediatesFor(ordering, preparesFor)) {
      if (ordering.tries.left <= 0) return found[0] ?? null;
      const then = afterCall(protectionIn(ordering, preparesFor), draft);
      const others = ready.filter((node) => node !== preparesFor && node.kind === preparesFor.kind);
      ordering.tries.left -= 1 + others.length;
      const helps = () => others.some((node) => isSafe(afterCall(then, node.draft)));
      if (!isSafe(then) || !helps()) continue;
      const next = {
        node: { ...preparesFor, draft, needs: [] },
        preparesFor,
        blocksBeyond: isStricter(then),
        opensNothing: true,
      };
      if (!next.blocksBeyond) return next;
      found.push(next);
    }
  }
  return found[0] ?? null;
}

/** Each call in between is tried with all that wait: the effort has to end. */
const MOST_TRIES = 5_000;

function intermediatesFor({ kinds }: Ordering, { draft, kind }: Node): readonly PendingStep[] {
  return draft.changes.flatMap((change) => kinds[kind]?.intermediateCalls(change) ?? []);
}

function stepOf(node: Node, numberOf: (node: Node) => number): Ordered {
  const { draft, siblings, needs } = node;
  const { reads: _, path, ...rest } = draft;
  const numbered = (part: string | Late) =>
    isLate(part) ? { $result: numberOf(siblingAt(siblings, part.$result)) } : part;
  return {
    n: numberOf(node),
    ...rest,
    path: path.map(numbered),
    needs: needs.map(numberOf).sort((a, b) => a - b),
  };
}

/** A call that has no place in the order yet. */
interface Node {
  readonly draft: PendingStep;
  /** The calls of the same kind, which the draft's indices mean. */
  readonly siblings: readonly Node[];
  /** Calls that come before it, whatever they do. */
  readonly needs: readonly Node[];
  readonly rank: number;
  /** Index of its kind. */
  readonly kind: number;
  readonly index: number;
}

/** The calls by rank: the first one that may be sent is sent next, unless that would open a gap. */
function nodesOf(kinds: readonly KindCalls[], changes: readonly Change[]): readonly Node[] {
  const nodes = kinds.flatMap(({ drafts, live }, kind) => {
    const siblings: Waiting[] = [];
    for (const [index, draft] of drafts.entries()) {
      const [rank, logs] = [rankOf(draft, changes), newlyLoggedBy(draft, live)];
      siblings.push({ draft, siblings, needs: [], rank, logs, kind, index });
    }
    return siblings;
  });
  for (const node of nodes) node.needs.push(...neededBy(node, nodes));
  return nodes.sort(byStanding);
}

type Waiting = Node & { readonly needs: Node[]; readonly logs: readonly EntryField[] };

function newlyLoggedBy({ effects }: PendingStep, live: readonly Item[]): readonly EntryField[] {
  return effects.flatMap(({ ref, item }) => {
    const before = ref.id === null ? undefined : live.find((each) => each.ref.id === ref.id);
    return item === null ? [] : newlyLogged(before?.normal ?? {}, item.normal);
  });
}

/** Beside what it needs itself: what a job asks for is logged before the job says so. */
function neededBy({ draft, siblings }: Waiting, nodes: readonly Waiting[]): readonly Node[] {
  const own = draft.needs.map((index) => siblingAt(siblings, index));
  const asked = draft.effects.flatMap(({ item }) => (item === null ? [] : (askedBy(item.normal) ?? [])));
  return [...own, ...nodes.filter(({ logs }) => logs.some((field) => asked.includes(field)))];
}

function siblingAt(siblings: readonly Node[], index: number): Node {
  const node = siblings[index];
  if (node === undefined) throw new Error("a draft refers to drafts of its kind");
  return node;
}

/**
 * The service is switched on first and off last; in between, what adds protection comes before what takes it away.
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

function rankOf(draft: PendingStep, changes: readonly Change[]): number {
  const shifts = draft.changes.flatMap((index) => changes[index]?.shifts ?? []);
  const service = shifts.find(({ dimension, way }) => dimension === SERVICE && way !== "neutral");
  if (service !== undefined) return service.way === "stronger" ? FIRST : LAST;
  const ranks = draft.changes.map((index) => changeRank(draft, changes[index]));
  return Math.max(...ranks);
}

function changeRank({ effects }: PendingStep, change: Change | undefined): number {
  if (change === undefined) throw new Error("a call belongs to a change of its zone");
  if (change.replaces) return effects.every(({ item }) => item === null) ? TAKES_AWAY : REPLACES;
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

/** A call that has its place, and what it leaves behind. */
interface PlacedCall {
  readonly node: Node;
  /** What is open in its kind's dimensions after it, and neither before the first call nor after the last one. */
  readonly gaps: readonly Gap[];
  /** It may block what is allowed both before and after. */
  readonly blocksBeyond: boolean;
}

/** What people have to know about the order of a zone's calls. */
function warnings(calls: readonly PlacedCall[], changes: readonly Change[]): readonly Problem[] {
  return calls.flatMap((call, index) => {
    const [earlier, later] = [calls.slice(0, index), calls.slice(index + 1)];
    return [
      ...(opens(call, earlier) ? [unsafeOrder(call, later, changes)] : []),
      ...(call.blocksBeyond ? [transientBlock(call, later, changes)] : []),
    ];
  });
}

/** Whether a gap begins with the call: a gap over several calls is reported once, where it begins. */
function opens({ node, gaps }: PlacedCall, earlier: readonly PlacedCall[]): boolean {
  const last = earlier.findLast((each) => each.node.kind === node.kind);
  return gaps.length > 0 && (last === undefined || last.gaps.length === 0);
}

function unsafeOrder(call: PlacedCall, later: readonly PlacedCall[], changes: readonly Change[]): Problem {
  const own = later.filter(({ node }) => node.kind === call.node.kind);
  const length = own.findIndex(({ gaps }) => gaps.length === 0);
  const open = new Set([call, ...own.slice(0, length)].flatMap(({ gaps }) => gaps.map(textOf)));
  const detail = `From ${wordsFor(call, changes)} until ${wordsFor(own[length], changes)}, this may be open although it is closed before and after: ${listed([...open])}. As far as it can be decided, no order of the calls avoids that. If it matters, split the change, so that what takes over is in place before.`;
  return warning("unsafe_order", "No order of the calls is safe", detail, call, changes);
}

function transientBlock(call: PlacedCall, later: readonly PlacedCall[], changes: readonly Change[]): Problem {
  const [change] = call.node.draft.changes;
  const own = later.find(({ node }) => node.draft.changes[0] === change);
  const detail = `From ${wordsFor(call, changes)} until ${wordsFor(own, changes)}, pages may be refused what they are allowed both before and after. Without the first of the two calls, something would be open in between.`;
  return warning("transient_block", "A call blocks too much for a moment", detail, call, changes);
}

function warning(
  code: string,
  summary: string,
  detail: string,
  { node }: PlacedCall,
  changes: readonly Change[],
): Problem {
  return { code, severity: "warning", summary, detail, at: changeOf(node, changes).at };
}

/** One object can have two calls of one method, of which only one is the change's own. */
function wordsFor(call: PlacedCall | undefined, changes: readonly Change[]): string {
  if (call === undefined) throw new Error("a call of the same kind ends what another one began");
  const { draft, siblings } = call.node;
  const own = siblings.some((each) => each.draft === draft) ? "" : "intermediate ";
  return `the ${own}${draft.method} of ${nameOf(changeOf(call.node, changes).ref)}`;
}

function changeOf({ draft }: Node, changes: readonly Change[]): Change {
  const change = changes[draft.changes[0] ?? -1];
  if (change === undefined) throw new Error("a call belongs to a change of its zone");
  return change;
}

function textOf({ dimension, why }: Gap): string {
  return cutEnd(`${dimension}: ${why}`, GAP_CHARS);
}

const GAP_CHARS = 300;
const MOST_NAMED = 3;

function listed(open: readonly string[]): string {
  return `${open.slice(0, MOST_NAMED).join("; ")}${open.length > MOST_NAMED ? "; and more" : ""}`;
}

/** What one kind's objects stop together, followed from call to call. */
interface Protection {
  readonly before: Dimensions;
  readonly after: Dimensions;
  /** Null: one call changes all that changes, so the state is always that of before or of after. */
  readonly objects: Objects | null;
  /** What the new ones are known by in it. */
  readonly keys: ReadonlyMap<Ref, string>;
  readonly dimensions: DimensionsOf;
}

type Objects = ReadonlyMap<string, Dimensions>;

/**
 * @param live the kind's objects before the first call, those of others included
 * @param drafts all its calls
 */
function protectionOf(
  live: readonly Item[],
  drafts: readonly PendingStep[],
  dimensions: DimensionsOf,
): Protection {
  const moving = drafts.filter(({ effects }) => effects.length > 0);
  const keys = keysOfNew(moving);
  if (moving.length <= 1) return { before: {}, after: {}, objects: null, keys, dimensions };
  const objects: Objects = new Map(live.map((item) => [keyOf(item.ref, keys), dimensions(item)]));
  const start: Protection = { before: joined(objects), after: {}, objects, keys, dimensions };
  return { ...start, after: joined(afterCalls(start, drafts).objects) };
}

function joined(objects: Objects | null): Dimensions {
  return objects === null ? {} : join([...objects.values()]);
}

function afterCall(protection: Protection, draft: PendingStep): Protection {
  return afterCalls(protection, [draft]);
}

/** Once the calls have taken effect. */
function afterCalls(protection: Protection, drafts: readonly PendingStep[]): Protection {
  if (protection.objects === null) return protection;
  const objects = new Map(protection.objects);
  for (const { ref, item } of drafts.flatMap(({ effects }) => effects)) {
    const key = keyOf(ref, protection.keys);
    if (item === null) objects.delete(key);
    else objects.set(key, protection.dimensions(item));
  }
  return { ...protection, objects };
}

/** Whether there are no more objects than can be, once the call has taken effect; or no more than there are. */
function fits({ objects, keys }: Protection, { effects }: PendingStep, most: number): boolean {
  if (objects === null) return true;
  const isThere = new Map(effects.map(({ ref, item }) => [keyOf(ref, keys), item !== null]));
  const more = [...isThere].map(([key, is]) => Number(is) - Number(objects.has(key)));
  return objects.size + more.reduce((sum, each) => sum + each, 0) <= Math.max(most, objects.size);
}

/** Of a new object the id is not known; a live one can have its name too. */
function keyOf(ref: Ref, keys: Protection["keys"]): string {
  return ref.id === null ? (keys.get(ref) ?? newKey(ref.key, 0)) : `live ${ref.id}`;
}

/** New objects of one name are several: a way back may make two of them again. */
function keysOfNew(drafts: readonly PendingStep[]): Protection["keys"] {
  const refs = drafts.flatMap(({ effects }) => effects.map(({ ref }) => ref)).filter(({ id }) => id === null);
  const alike = [...groupBy(new Set(refs), ({ key }) => key)];
  return new Map(alike.flatMap(([key, all]) => all.map((ref, n) => [ref, newKey(key, n)] as const)));
}

function newKey(key: string, nth: number): string {
  return `new ${nth} ${key}`;
}

/** Whether what is stopped both before the first call and after the last one is stopped now. */
function isSafe({ objects, before, after }: Protection): boolean {
  return keepsProtection(joined(objects), before, after);
}

/** What is stopped before and after and may not be now, as far as anybody reads it. */
function openIn({ objects, before, after }: Protection): readonly Gap[] {
  const open: Gap[] = [];
  for (const gap of protectionGaps(joined(objects), before, after)) {
    if (open.length === MOST_GAPS) break;
    open.push(gap);
  }
  return open;
}

const MOST_GAPS = 4;

/** Whether now may block what is allowed both before the first call and after the last one. */
function isStricter({ objects, before, after }: Protection): boolean {
  return blocksBeyond(joined(objects), before, after);
}
