import type { Does, Rank, Ranks } from "../model/strength.js";
import { listed } from "./listed.js";
import { type Move, together } from "./ways.js";

export function compareRanks(before: Rank, after: Rank): Move | null {
  const [was, is] = [before.least ?? before.value, after.least ?? after.value];
  if (before.value === after.value && was === is) return null;
  const way = is >= before.value ? "stronger" : after.value <= was ? "weaker" : "mixed";
  const called = after.called === undefined ? "" : `${after.called} `;
  if (way === "mixed") return { way, why: `${called}${before.is} → ${after.is}` };
  if (before.is === undefined || after.is === undefined) return { way, why: `${called}${SWITCHED[way]}` };
  const means = after.means === undefined ? "" : `: ${after.means[way]}`;
  return { way, why: `${called}${before.is} → ${after.is}${means}` };
}

/** What a rank says that has no words of its own. */
export const SWITCHED = { stronger: "switched on", weaker: "switched off" } as const;

/** Thing by thing. What one side does not name does as the others, and may be anything where that is not known. */
export function compareSeveral(before: Ranks, after: Ranks): Move | null {
  const names = new Set([...Object.keys(before.of), ...Object.keys(after.of)]);
  const moves = [...names].flatMap((name) => {
    const move = compareOne(doneBy(before, name), doneBy(after, name));
    return move === null ? [] : [{ way: move.way, why: `${name}: ${move.why}` }];
  });
  const way = together(moves.map((each) => each.way));
  return way === null ? null : { way, why: listed(moves.map(({ why }) => why)) };
}

function doneBy({ of, others }: Ranks, name: string): Does | undefined {
  return Object.hasOwn(of, name) ? of[name] : others?.get(name);
}

/** That something is switched on or off is told elsewhere. */
function compareOne(before: Does | undefined, after: Does | undefined): Move | null {
  if (before === "off" || after === "off") return null;
  if (before?.as === "rank" && after?.as === "rank") return compareRanks(before, after);
  if (before?.as === "opaque" && after?.as === "opaque" && before.is === after.is) return null;
  return { way: "unknown", why: `${before?.is ?? ITS_OWN} → ${after?.is ?? ITS_OWN}` };
}

const ITS_OWN = "its own action";
