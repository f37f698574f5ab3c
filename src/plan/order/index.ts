import { intermediateCalls, type KindCalls, type PendingStep } from "../../calls/index.js";
import { objectLimit } from "../../kinds/kind.js";
import type { Service } from "../../model/declared-zone.js";
import type { Change, Step } from "../../model/plan.js";
import type { Problem } from "../../model/problem.js";
import { isLate, type Late } from "../../model/sealed.js";
import { isSpent } from "../../model/work-budget.js";
import type { ZoneState } from "../../model/zone-state.js";
import { afterCalls, fits, isSafe, isStricter, openIn, type Protection, protectionOf } from "./protection.js";
import { type Call, callsByStanding, LAST, siblingAt } from "./rank.js";
import { orderWarnings, type PlacedCall } from "./warnings.js";

interface Order {
  /** Steps without `secretFields`, which is known once the bodies are. */
  readonly steps: readonly Omit<Step, "secretFields">[];
  readonly warnings: readonly Problem[];
}

/**
 * The zone's calls in the order in which they are sent. No call comes before a call that it needs. After each call, all
 * that is stopped both before the first one and after the last one is stopped; of several such orders, the standing of
 * the calls decides. Without such an order, an intermediate call takes an object part of the way. Where that does not help,
 * the standing alone decides, and a warning names the gap.
 *
 * @param before the zone's live objects, undeclared ones included
 */
export function order(
  kinds: readonly KindCalls[],
  before: ZoneState,
  service: Service,
  changes: readonly Change[],
): Order {
  const ordering: Ordering = {
    kinds,
    service,
    placed: [],
    waiting: [...callsByStanding(kinds, before, changes)],
    protections: kinds.map(({ kind, drafts }) => protectionOf(kind, before, drafts)),
    prepared: new Set(),
    triesLeft: MOST_TRIES,
  };
  while (ordering.waiting.length > 0) place(ordering, nextIn(ordering));
  const numbers = new Map(ordering.placed.map(({ call }, index) => [call, index + 1]));
  return {
    steps: ordering.placed.map(({ call }) => stepOf(call, (each) => numbers.get(each) ?? 0)),
    warnings: orderWarnings(ordering.placed, changes),
  };
}

/** The calls that have their place, and those that wait for it. */
interface Ordering {
  readonly kinds: readonly KindCalls[];
  readonly service: Service;
  readonly placed: PlacedCall[];
  readonly waiting: Call[];
  /** By kind, after the calls that have their place. */
  readonly protections: Protection[];
  /** Calls whose objects an intermediate call has taken part of the way. */
  readonly prepared: Set<Call>;
  /** How often an intermediate call may still be tried. */
  triesLeft: number;
}

/** The call that is sent next. */
interface Next {
  readonly call: Call;
  /** The waiting call that an intermediate call prepares for. Absent: the call is a change's own. */
  readonly preparesFor?: Call;
  /** Whether the call is known to open no gap. */
  readonly isSafe: boolean;
  readonly blocksBeyond?: boolean;
}

function nextIn(ordering: Ordering): Next {
  const ready = readyIn(ordering);
  const [first] = ready;
  if (first === undefined) throw new Error("calls of a zone need each other in a circle");
  const safe = ready.find((call) => !isSpent() && isSafe(protectionAfter(ordering, call)));
  if (safe !== undefined) return { call: safe, isSafe: true };
  const intermediate = isSpent() ? null : intermediateFor(ordering, ready);
  return intermediate ?? { call: first, isSafe: false };
}

function place(ordering: Ordering, { call, preparesFor, isSafe, blocksBeyond = false }: Next): void {
  const after = protectionAfter(ordering, call);
  ordering.protections[call.kind] = after;
  if (preparesFor === undefined) ordering.waiting.splice(ordering.waiting.indexOf(call), 1);
  else ordering.prepared.add(preparesFor);
  // Once the budget is spent, `not_compared` says that the order may open a gap.
  ordering.placed.push({ call, gaps: isSafe || isSpent() ? [] : openIn(after), blocksBeyond });
}

/** The calls that can be sent now, by their standing. */
function readyIn({ service, placed, waiting, protections }: Ordering): readonly Call[] {
  const sent = new Set(placed.map(({ call }) => call));
  const ready = waiting.filter((call) => call.needs.every((each) => sent.has(each)));
  const beforeLast = ifAny(ready, ({ rank }) => rank !== LAST);
  return ifAny(beforeLast, ({ kind, draft }) => {
    const protection = protectionIn(protections, kind);
    const most = objectLimit(protection.kind, service);
    return most === null || fits(protection, draft, most);
  });
}

/** The calls that meet a condition, or all calls if none does. */
function ifAny(calls: readonly Call[], holds: (call: Call) => boolean): readonly Call[] {
  const meeting = calls.filter(holds);
  return meeting.length > 0 ? meeting : calls;
}

function protectionAfter({ protections }: Ordering, { kind, draft }: Call): Protection {
  return afterCalls(protectionIn(protections, kind), [draft]);
}

function protectionIn(protections: readonly Protection[], kind: number): Protection {
  const protection = protections[kind];
  if (protection === undefined) throw new Error("a call has a kind");
  return protection;
}

/** A safe intermediate call that makes another call safe; preferably one that blocks nothing allowed before and after. */
function intermediateFor(ordering: Ordering, ready: readonly Call[]): Next | null {
  let stricter: Next | null = null;
  for (const preparesFor of ready) {
    if (ordering.prepared.has(preparesFor)) continue;
    const others = ready.filter((call) => call !== preparesFor && call.kind === preparesFor.kind);
    for (const draft of intermediateDrafts(ordering, preparesFor)) {
      if (ordering.triesLeft <= 0) return stricter;
      ordering.triesLeft -= 1 + others.length;
      const call = { ...preparesFor, draft, needs: [] };
      const after = protectionAfter(ordering, call);
      const helps = () => others.some((each) => isSafe(afterCalls(after, [each.draft])));
      if (!isSafe(after) || !helps()) continue;
      const blocksBeyond = isStricter(after);
      if (!blocksBeyond) return { call, preparesFor, isSafe: true };
      stricter ??= { call, preparesFor, isSafe: true, blocksBeyond };
    }
  }
  return stricter;
}

/** Each intermediate call is tried with all that wait, so the effort needs a limit. */
const MOST_TRIES = 5_000;

function intermediateDrafts({ kinds, service }: Ordering, { draft, kind }: Call): readonly PendingStep[] {
  const kindCalls = kinds[kind];
  if (kindCalls === undefined) throw new Error("a call has a kind");
  return draft.changes.flatMap((change) => intermediateCalls(kindCalls, change, service));
}

function stepOf(call: Call, numberOf: (call: Call) => number): Order["steps"][number] {
  const { draft, siblings, needs } = call;
  const { reads: _, path, ...rest } = draft;
  const numbered = (part: string | Late) =>
    isLate(part) ? { $result: numberOf(siblingAt(siblings, part.$result)) } : part;
  return {
    n: numberOf(call),
    ...rest,
    path: path.map(numbered),
    needs: needs.map(numberOf).sort((a, b) => a - b),
  };
}
