import { equal } from "../model/equal.js";
import type { Ref } from "../model/item.js";
import type { ZonePlan } from "../model/plan.js";
import { partOf, type ShownChange, type ZonePart } from "./zone-part.js";

/**
 * Whether a zone's plan is what is left of an earlier one that was carried out in part: it does nothing that the earlier
 * one did not, to nothing that is not as that one saw it, with the same written in the files, and all else is as the
 * earlier one would have it.
 */
export function isRestOf(earlier: ZonePart, plan: ZonePlan): boolean {
  const now = partOf(plan);
  return (
    equal(now.written, earlier.written) &&
    isAmong(now.calls, earlier.calls) &&
    isAmong(now.seen, earlier.seen) &&
    isAmong(now.changes, earlier.changes) &&
    earlier.changes.every(
      (change) => now.changes.some((each) => isSame(each, change)) || isDone(change, plan),
    )
  );
}

function isAmong<T>(some: readonly T[], all: readonly T[]): boolean {
  return some.every((one) => all.some((each) => equal(each, one)));
}

function isDone({ action, kind, key, fields }: ShownChange, { settled, beside }: ZonePlan): boolean {
  if (action === "delete") return !beside.some(({ ref }) => isSame(ref, { kind, key }));
  const found = settled.find(({ ref }) => isSame(ref, { kind, key }));
  return (
    found !== undefined && fields.every(({ path, after }) => equal(found.normal[path] ?? null, after ?? null))
  );
}

function isSame(a: Pick<Ref, "kind" | "key">, b: Pick<Ref, "kind" | "key">): boolean {
  return a.kind === b.kind && a.key === b.key;
}
