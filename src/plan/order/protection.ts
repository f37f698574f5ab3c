import type { PendingStep } from "../../calls/index.js";
import { type Kind, nameField } from "../../kinds/kind.js";
import { groupBy } from "../../model/group-by.js";
import type { Item, Ref } from "../../model/item.js";
import type { Dimensions } from "../../model/strength.js";
import { itemsOf, type ZoneState } from "../../model/zone-state.js";
import { blocksBeyond, type Gap, join, keepsProtection, protectionGaps } from "../../strength/index.js";

/** What the objects of a kind stop together, after some of its calls. */
export interface Protection {
  readonly kind: Kind;
  readonly before: Dimensions;
  readonly after: Dimensions;
  /** Null: one call makes all changes, so the kind is always as before or as after. */
  readonly objects: ReadonlyMap<string, Dimensions> | null;
  /** The keys of new objects in `objects`. */
  readonly keys: ReadonlyMap<Ref, string>;
}

/** The protection before the first call. */
export function protectionOf(kind: Kind, state: ZoneState, drafts: readonly PendingStep[]): Protection {
  const moving = drafts.filter(({ effects }) => effects.length > 0);
  const keys = keysOfNew(moving);
  if (moving.length <= 1) return { before: {}, after: {}, objects: null, keys, kind };
  const live = itemsOf(state, kind.name);
  const objects = new Map(live.map((item) => [keyOf(item.ref, keys), dimensionsAmong(kind, item)]));
  const start: Protection = { before: join([...objects.values()]), after: {}, objects, keys, kind };
  return { ...start, after: joined(afterCalls(start, drafts)) };
}

/** Objects with different subjects protect independently, so their dimensions are kept apart. */
function dimensionsAmong(kind: Kind, item: Item): Dimensions {
  const dimensions = kind.dimensions(item, null);
  if (nameField(kind) !== null) return dimensions;
  return Object.fromEntries(
    Object.entries(dimensions).map(([name, each]) => [`${item.ref.key} ${name}`, each]),
  );
}

function joined({ objects }: Protection): Dimensions {
  return objects === null ? {} : join([...objects.values()]);
}

export function afterCalls(protection: Protection, drafts: readonly PendingStep[]): Protection {
  if (protection.objects === null) return protection;
  const objects = new Map(protection.objects);
  for (const { ref, item } of drafts.flatMap(({ effects }) => effects)) {
    const key = keyOf(ref, protection.keys);
    if (item === null) objects.delete(key);
    else objects.set(key, dimensionsAmong(protection.kind, item));
  }
  return { ...protection, objects };
}

/** Whether the number of objects stays within the limit, or does not grow. */
export function fits({ objects, keys }: Protection, { effects }: PendingStep, most: number): boolean {
  if (objects === null) return true;
  const isThere = new Map(effects.map(({ ref, item }) => [keyOf(ref, keys), item !== null]));
  const more = [...isThere].map(([key, is]) => Number(is) - Number(objects.has(key)));
  return objects.size + more.reduce((sum, each) => sum + each, 0) <= Math.max(most, objects.size);
}

/** A new object has no id yet, and its name may also be a live object's. */
function keyOf(ref: Ref, keys: Protection["keys"]): string {
  return ref.id === null ? (keys.get(ref) ?? newKey(ref.key, 0)) : `live ${ref.id}`;
}

/** Several new objects can have one name: a rollback may create two of them again. */
function keysOfNew(drafts: readonly PendingStep[]): Protection["keys"] {
  const refs = drafts.flatMap(({ effects }) => effects.map(({ ref }) => ref)).filter(({ id }) => id === null);
  const alike = [...groupBy(new Set(refs), ({ key }) => key)];
  return new Map(alike.flatMap(([key, all]) => all.map((ref, n) => [ref, newKey(key, n)] as const)));
}

function newKey(key: string, nth: number): string {
  return `new ${nth} ${key}`;
}

/** Whether everything that is stopped both before the first call and after the last one is stopped now. */
export function isSafe(protection: Protection): boolean {
  return keepsProtection(joined(protection), protection.before, protection.after);
}

/** The first gaps: loads or requests that are stopped before and after, and may not be now. */
export function openIn(protection: Protection): readonly Gap[] {
  const gaps: Gap[] = [];
  for (const gap of protectionGaps(joined(protection), protection.before, protection.after)) {
    if (gaps.length === MOST_GAPS) break;
    gaps.push(gap);
  }
  return gaps;
}

/** A warning names three, and whether there are more. */
const MOST_GAPS = 4;

/** Whether something may be blocked now that is allowed before the first call and after the last one. */
export function isStricter(protection: Protection): boolean {
  return blocksBeyond(joined(protection), protection.before, protection.after);
}
