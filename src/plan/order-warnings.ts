import { cutEnd } from "../model/cut.js";
import type { Change } from "../model/plan.js";
import type { Problem } from "../model/problem.js";
import type { Gap } from "../strength/index.js";
import { nameOf } from "./compare.js";
import type { Node } from "./order-nodes.js";

/** A call that has its place, and what it leaves behind. */
export interface Gone {
  readonly node: Node;
  /** What is open in its kind's dimensions after it, and neither before the first call nor after the last one. */
  readonly gaps: readonly Gap[];
  /** It may block what is allowed both before and after. */
  readonly blocksBeyond: boolean;
}

/** What people have to know about the order of a zone's calls. */
export function warnings(calls: readonly Gone[], changes: readonly Change[]): readonly Problem[] {
  return calls.flatMap((call, index) => {
    const [earlier, later] = [calls.slice(0, index), calls.slice(index + 1)];
    return [
      ...(opens(call, earlier) ? [unsafeOrder(call, later, changes)] : []),
      ...(call.blocksBeyond ? [transientBlock(call, later, changes)] : []),
    ];
  });
}

/** Whether a gap begins with the call: a longer one is told once, where it begins. */
function opens({ node, gaps }: Gone, earlier: readonly Gone[]): boolean {
  const last = earlier.findLast((each) => each.node.kind === node.kind);
  return gaps.length > 0 && (last === undefined || last.gaps.length === 0);
}

function unsafeOrder(call: Gone, later: readonly Gone[], changes: readonly Change[]): Problem {
  const own = later.filter(({ node }) => node.kind === call.node.kind);
  const length = own.findIndex(({ gaps }) => gaps.length === 0);
  const open = new Set([call, ...own.slice(0, length)].flatMap(({ gaps }) => gaps.map(textOf)));
  const detail = `From ${wordsFor(call, changes)} until ${wordsFor(own[length], changes)}, this may be open although it is closed before and after: ${listed([...open])}. As far as it can be decided, no order of the calls avoids that. If it matters, split the change, so that what takes over is in place before.`;
  return warning("unsafe_order", "No order of the calls is safe", detail, call, changes);
}

function transientBlock(call: Gone, later: readonly Gone[], changes: readonly Change[]): Problem {
  const [change] = call.node.draft.changes;
  const own = later.find(({ node }) => node.draft.changes[0] === change);
  const detail = `From ${wordsFor(call, changes)} until ${wordsFor(own, changes)}, pages may be refused what they are allowed both before and after. Without the first of the two calls, something would be open in between.`;
  return warning("transient_block", "A call blocks too much for a moment", detail, call, changes);
}

function warning(
  code: string,
  summary: string,
  detail: string,
  { node }: Gone,
  changes: readonly Change[],
): Problem {
  return { code, severity: "warning", summary, detail, at: changeOf(node, changes).at };
}

/** One object can have two calls of one method, of which only one is the change's own. */
function wordsFor(call: Gone | undefined, changes: readonly Change[]): string {
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
