import type { Kind, PendingStep } from "../kinds/kind.js";
import type { Item, Ref } from "../model/item.js";
import type { Dimensions } from "../model/strength.js";
import {
  blocksBeyond,
  type Gap,
  join,
  keepsProtection,
  protectionGaps,
  type Questions,
} from "../strength/index.js";

/** What one kind's objects stop together, followed from call to call. */
export interface Protection {
  readonly before: Dimensions;
  readonly after: Dimensions;
  /** Null: one call changes all that changes, so the state is always that of before or of after. */
  readonly objects: Objects | null;
  readonly dimensions: Kind["dimensions"];
  readonly ask: Questions;
}

type Objects = ReadonlyMap<string, Dimensions>;

/**
 * @param live the kind's objects before the first call, those of others included
 * @param drafts all its calls
 */
export function protectionOf(
  live: readonly Item[],
  drafts: readonly PendingStep[],
  dimensions: Kind["dimensions"],
  ask: Questions,
): Protection {
  const moves = drafts.flatMap(({ effects }) => effects);
  if (moves.length <= 1) return { before: {}, after: {}, objects: null, dimensions, ask };
  const objects: Objects = new Map(live.map((item) => [keyOf(item.ref), dimensions(item.normal)]));
  const start: Protection = { before: joined(objects), after: {}, objects, dimensions, ask };
  return { ...start, after: joined(drafts.reduce(afterCall, start).objects) };
}

function joined(objects: Objects | null): Dimensions {
  return objects === null ? {} : join([...objects.values()]);
}

/** Once the call has taken effect. */
export function afterCall(protection: Protection, { effects }: PendingStep): Protection {
  if (protection.objects === null) return protection;
  const objects = new Map(protection.objects);
  for (const { ref, item } of effects) {
    if (item === null) objects.delete(keyOf(ref));
    else objects.set(keyOf(ref), protection.dimensions(item.normal));
  }
  return { ...protection, objects };
}

/** Whether there are no more objects than can be, once the call has taken effect; or no more than there are. */
export function fits(protection: Protection, draft: PendingStep, most: number): boolean {
  const now = protection.objects?.size ?? 0;
  const then = afterCall(protection, draft).objects?.size ?? 0;
  return then <= Math.max(most, now);
}

/** Of a new object the id is not known; a live one can have its name too. */
function keyOf({ key, id }: Ref): string {
  return id === null ? `new ${key}` : `live ${id}`;
}

/** Whether what is stopped both before the first call and after the last one is stopped now. */
export function isSafe({ objects, before, after, ask }: Protection): boolean {
  return keepsProtection(joined(objects), before, after, ask);
}

/** What is stopped before and after and may not be now, as far as anybody reads it. */
export function openIn({ objects, before, after, ask }: Protection): readonly Gap[] {
  const open: Gap[] = [];
  for (const gap of protectionGaps(joined(objects), before, after, ask)) {
    if (open.length === MOST_GAPS) break;
    open.push(gap);
  }
  return open;
}

const MOST_GAPS = 4;

/** Whether now may block what is allowed both before the first call and after the last one. */
export function isStricter({ objects, before, after, ask }: Protection): boolean {
  return blocksBeyond(joined(objects), before, after, ask);
}
