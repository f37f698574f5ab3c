import type { Rank } from "../model/strength.js";
import { listed } from "./listed.js";
import { type Move, together } from "./ways.js";

export function compareRanks(before: Rank, after: Rank): Move | null {
  if (before.value === after.value) return null;
  const way = after.value > before.value ? "stronger" : "weaker";
  const called = after.called === undefined ? "" : `${after.called} `;
  if (before.is === undefined || after.is === undefined) return { way, why: `${called}${SWITCHED[way]}` };
  const means = after.means === undefined ? "" : `: ${after.means[way]}`;
  return { way, why: `${called}${before.is} → ${after.is}${means}` };
}

/** What a rank says that has no words of its own. */
export const SWITCHED = { stronger: "switched on", weaker: "switched off" } as const;

/** Thing by thing. What one side does not name may be anything. */
export function compareSeveral(
  before: { readonly [name: string]: Rank | "off" },
  after: { readonly [name: string]: Rank | "off" },
): Move | null {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const moves = [...names].flatMap((name) => {
    const move = compareOne(own(before, name), own(after, name));
    return move === null ? [] : [{ way: move.way, why: `${name}: ${move.why}` }];
  });
  const way = together(moves.map((each) => each.way));
  return way === null ? null : { way, why: listed(moves.map(({ why }) => why)) };
}

function own<T>(of: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

/** That something is switched on or off is told elsewhere. */
function compareOne(before: Rank | "off" | undefined, after: Rank | "off" | undefined): Move | null {
  if (before === "off" || after === "off") return null;
  if (before !== undefined && after !== undefined) return compareRanks(before, after);
  return { way: "unknown", why: `${before?.is ?? ITS_OWN} → ${after?.is ?? ITS_OWN}` };
}

const ITS_OWN = "its own action";
