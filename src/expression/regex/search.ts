import type { Bytes } from "../tree.js";
import { afterByte, followIn } from "./follow.js";
import { FOUND, type Program } from "./program.js";

/**
 * Whether a regular expression is found in a text: all ways at once, so that the time grows with the length of the one
 * times that of the other and no more. Null where even that takes too long.
 */
export function isFound({ steps, start }: Program, text: Bytes): boolean | null {
  const follow = followIn(steps);
  let from: number[] = [];
  let work = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const before = at === 0 ? null : text.charCodeAt(at - 1);
    const after = at === text.length ? null : text.charCodeAt(at);
    from.push(start);
    const reached = follow(from, { before, after });
    if (reached.includes(FOUND)) return true;
    work += from.length + reached.length;
    if (work > MOST_WORK) return null;
    from = after === null ? [] : afterByte(steps, reached, after);
  }
  return false;
}

/** Steps that were looked at: about two seconds. */
const MOST_WORK = 400_000_000;
