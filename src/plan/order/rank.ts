import type { KindCalls, PendingStep } from "../../calls/index.js";
import { type EntryField, newlyLogged, requestedEntryFields } from "../../kinds/logged-fields.js";
import type { Item } from "../../model/item.js";
import type { Change } from "../../model/plan.js";
import { SERVICE } from "../../model/strength.js";
import { itemsOf, type ZoneState } from "../../model/zone-state.js";

/** A call that waits for its place in the order. */
export interface Call {
  readonly draft: PendingStep;
  /** The calls of the same kind. The indices in the draft mean these. */
  readonly siblings: readonly Call[];
  /** Calls that must be sent first. */
  readonly needs: readonly Call[];
  readonly rank: number;
  /** The index of its kind. */
  readonly kind: number;
  /** Its index among its siblings. */
  readonly index: number;
}

/** All calls of a zone by their standing: each is sent as soon as it is ready and opens no gap. */
export function callsByStanding(
  kinds: readonly KindCalls[],
  before: ZoneState,
  changes: readonly Change[],
): readonly Call[] {
  const calls = kinds.flatMap(({ drafts, kind: { name } }, kind) => {
    const live = itemsOf(before, name);
    const siblings: NewCall[] = [];
    for (const [index, draft] of drafts.entries()) {
      const logs = newlyLoggedBy(draft, live);
      siblings.push({ draft, siblings, needs: [], rank: rankOf(draft, changes), logs, kind, index });
    }
    return siblings;
  });
  for (const call of calls) call.needs.push(...neededBy(call, calls));
  return calls.sort(byStanding);
}

type NewCall = Call & { readonly needs: Call[]; readonly logs: readonly EntryField[] };

function newlyLoggedBy({ effects }: PendingStep, live: readonly Item[]): readonly EntryField[] {
  return effects.flatMap(({ ref, item }) => {
    const before = ref.id === null ? undefined : live.find((each) => each.ref.id === ref.id);
    return item === null ? [] : newlyLogged(before?.normal ?? {}, item.normal);
  });
}

/** A field is logged before a job asks for it. */
function neededBy({ draft, siblings }: NewCall, calls: readonly NewCall[]): readonly Call[] {
  const needed = draft.needs.map((index) => siblingAt(siblings, index));
  const asked = draft.effects.flatMap(({ item }) =>
    item === null ? [] : (requestedEntryFields(item.normal) ?? []),
  );
  return [...needed, ...calls.filter(({ logs }) => logs.some((field) => asked.includes(field)))];
}

export function siblingAt(siblings: readonly Call[], index: number): Call {
  const call = siblings[index];
  if (call === undefined) throw new Error("a draft refers to drafts of its kind");
  return call;
}

/**
 * The service is switched on first and off last. In between, calls that add protection come before calls that take it
 * away. Calls of equal rank keep the order of kinds and files; where they take protection away, kinds go in reverse.
 */
function byStanding(a: Call, b: Call): number {
  const direction = a.rank === TAKES_AWAY ? -1 : 1;
  return a.rank - b.rank || direction * (a.kind - b.kind) || a.index - b.index;
}

const FIRST = 0;
/** A replacement needs the last free place of a kind more than a new object does. */
const REPLACES = 1;
const CREATES = 2;
const TIGHTENS = 3;
const UPDATES = 4;
const TAKES_AWAY = 5;
export const LAST = 6;

function rankOf(draft: PendingStep, changes: readonly Change[]): number {
  const shifts = draft.changes.flatMap((index) => changes[index]?.shifts ?? []);
  const service = shifts.find(({ dimension, way }) => dimension === SERVICE && way !== "neutral");
  if (service !== undefined) return service.way === "stronger" ? FIRST : LAST;
  return Math.max(...draft.changes.map((index) => changeRank(draft, changes[index])));
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
