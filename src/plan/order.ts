import type { Draft } from "../kinds/kind.js";
import type { Change, Step } from "../model/plan.js";

/**
 * The zone's calls in the order in which they are sent: the service is switched on before anything relies on it
 * and off after everything else; in between what adds protection comes before what takes it away. Calls of equal
 * standing keep the order of the files.
 */
export function order(drafts: readonly Draft[], changes: readonly Change[]): readonly Step[] {
  const ranked = drafts.map((draft, index) => ({ draft, index, rank: rankOf(draft, changes) }));
  ranked.sort((a, b) => a.rank - b.rank || a.index - b.index);
  return ranked.map(({ draft }, index) => ({ ...draft, n: index + 1, needs: [] }));
}

const SERVICE_ON = 0;
const CREATES = 1;
const TIGHTENS = 2;
const UPDATES = 3;
const TAKES_AWAY = 4;
const SERVICE_OFF = 5;

function rankOf(draft: Draft, changes: readonly Change[]): number {
  const ranks = draft.changes.map((index) => changeRank(changes[index]));
  return Math.max(...ranks);
}

function changeRank(change: Change | undefined): number {
  if (change === undefined) throw new Error("a call belongs to a change of its zone");
  const service = change.shifts.find((shift) => shift.dimension === "service");
  if (service !== undefined) return service.way === "stronger" ? SERVICE_ON : SERVICE_OFF;
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
