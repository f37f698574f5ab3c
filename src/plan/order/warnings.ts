import { cutEnd } from "../../model/cut.js";
import type { Change } from "../../model/plan.js";
import { type Problem, warning } from "../../model/problem.js";
import type { Gap } from "../../strength/index.js";
import { nameOf } from "../value-words.js";
import type { Call } from "./rank.js";

export interface PlacedCall {
  readonly call: Call;
  /** Gaps of its kind after this call that exist neither before the first call nor after the last one. */
  readonly gaps: readonly Gap[];
  /** The call may block what is allowed both before and after. */
  readonly blocksBeyond: boolean;
}

/** Where no order is safe, and where a safe one blocks too much for a moment. */
export function orderWarnings(placed: readonly PlacedCall[], changes: readonly Change[]): readonly Problem[] {
  return placed.flatMap((each, index) => {
    const [earlier, later] = [placed.slice(0, index), placed.slice(index + 1)];
    return [
      ...(beginsGap(each, earlier) ? [unsafeOrder(each, later, changes)] : []),
      ...(each.blocksBeyond ? [transientBlock(each, later, changes)] : []),
    ];
  });
}

/** A gap over several calls is reported once, where it begins. */
function beginsGap({ call, gaps }: PlacedCall, earlier: readonly PlacedCall[]): boolean {
  const last = earlier.findLast((each) => each.call.kind === call.kind);
  return gaps.length > 0 && (last === undefined || last.gaps.length === 0);
}

function unsafeOrder(placed: PlacedCall, later: readonly PlacedCall[], changes: readonly Change[]): Problem {
  const sameKind = later.filter(({ call }) => call.kind === placed.call.kind);
  const length = sameKind.findIndex(({ gaps }) => gaps.length === 0);
  const gaps = [placed, ...sameKind.slice(0, length)].flatMap((each) => each.gaps);
  const detail = `From ${wordsFor(placed, changes)} until ${wordsFor(sameKind[length], changes)}, there may be a gap in protection: ${listed([...new Set(gaps.map(textOf))])}. If it matters, split the change: first add the new protection, then remove the old one. No order of the calls avoids the gap.`;
  return warning("unsafe_order", "No safe order of calls", detail, changeOf(placed.call, changes).at);
}

function transientBlock(
  placed: PlacedCall,
  later: readonly PlacedCall[],
  changes: readonly Change[],
): Problem {
  const [change] = placed.call.draft.changes;
  const final = later.find(({ call }) => call.draft.changes[0] === change);
  const detail = `From ${wordsFor(placed, changes)} until ${wordsFor(final, changes)}, pages may lose loads that are allowed before and after. Without the first call, protection would have a gap.`;
  return warning(
    "transient_block",
    "Loads may be blocked for a moment",
    detail,
    changeOf(placed.call, changes).at,
  );
}

/** One object can have two calls of one method: an intermediate one, and the change's own. */
function wordsFor(placed: PlacedCall | undefined, changes: readonly Change[]): string {
  if (placed === undefined) throw new Error("a call of the same kind ends what another one began");
  const { draft, siblings } = placed.call;
  const intermediate = siblings.some((each) => each.draft === draft) ? "" : "intermediate ";
  return `the ${intermediate}${draft.method} of ${nameOf(changeOf(placed.call, changes).ref)}`;
}

function changeOf({ draft }: Call, changes: readonly Change[]): Change {
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
