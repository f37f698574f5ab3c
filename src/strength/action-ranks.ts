import type { Json } from "../model/json.js";

/** The rank of no action at all. */
export const NO_RANK = 0;
export const LOG_RANK = 1;
const CHALLENGE_RANK = 2;
export const BLOCK_RANK = 3;

/** How strongly actions stop a request. All challenges are equal: they ask different things, but stop the same requests. */
const RANKS: ReadonlyMap<Json, number> = new Map([
  ["log", LOG_RANK],
  ["managed_challenge", CHALLENGE_RANK],
  ["js_challenge", CHALLENGE_RANK],
  ["challenge", CHALLENGE_RANK],
  ["block", BLOCK_RANK],
]);

/** Null: the strength of the action is unknown. */
export function actionRank(action: Json): number | null {
  return RANKS.get(action) ?? null;
}

export function isChallenge(action: Json): boolean {
  return actionRank(action) === CHALLENGE_RANK;
}
