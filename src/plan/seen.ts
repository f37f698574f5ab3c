import { equal } from "../model/equal.js";
import type { Ref } from "../model/item.js";
import type { ZonePlan } from "../model/plan.js";
import { type Problem, problem } from "../model/problem.js";
import { isLate } from "../model/sealed.js";
import { difference, nameOf } from "./compare.js";
import { callOf, partOf, seenOf, type ZonePart, zoneDigest } from "./zone-part.js";

/** Why a zone's plan must not be carried out: what it touches is no longer as it saw it. Null: it is. */
export function movedSince(plan: ZonePlan, fresh: ZonePlan): Problem | null {
  if (plan.digest === fresh.digest) return movedUnshown(plan, fresh);
  const before = inOneOrder(partOf(plan));
  const now = inOneOrder(partWithin(plan, fresh));
  if (before.digest === now.digest) return movedUnshown(plan, fresh);
  return difference(before, now);
}

/** A plan made later, as far as it speaks of what the first one touches. */
function partWithin(plan: ZonePlan, fresh: ZonePlan): ZonePart {
  const isOwn = ({ ref }: { readonly ref: Ref }) => plan.changes.some((each) => isSame(each.ref, ref));
  const own = new Set(fresh.changes.flatMap((change, index) => (isOwn(change) ? [index] : [])));
  const steps = fresh.steps.filter(({ changes }) => changes.some((index) => own.has(index)));
  const numbers = new Map(steps.map(({ n }, index) => [n, index + 1]));
  const renumbered = steps.map((step) => {
    const path = step.path.map((part) =>
      isLate(part) ? { $result: numbers.get(part.$result) ?? part.$result } : part,
    );
    return callOf({ ...step, path });
  });
  const seen = fresh.seen.filter(({ ref }) => plan.seen.some((each) => isSame(each.ref, ref)));
  return {
    ...partOf({ ...fresh, changes: fresh.changes.filter(isOwn) }),
    calls: renumbered,
    seen: seen.map(seenOf),
  };
}

/** In what order a zone's calls are sent may hang on what they do not touch. */
function inOneOrder(part: ZonePart): ZonePart {
  const text = (call: ZonePart["calls"][number]) => `${call.method} ${call.path}`;
  const calls = part.calls.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
  return { ...part, calls, digest: zoneDigest({ ...part, calls }) };
}

/** What the plan does not show of an object that it changes, because it is not declared or is sensitive. */
function movedUnshown({ zone, touched }: ZonePlan, fresh: ZonePlan): Problem | null {
  const moved = touched.flatMap(({ ref, raw }) => {
    const now = fresh.touched.find((each) => each.ref.kind === ref.kind && each.ref.id === ref.id)?.raw ?? {};
    const names = [...new Set([...Object.keys(raw), ...Object.keys(now)])];
    const fields = names.filter((name) => !equal(raw[name], now[name]));
    return fields.length === 0 ? [] : [`${nameOf(ref)} (${fields.join(", ")})`];
  });
  if (moved.length === 0) return null;
  const detail = `Since the plan was made, ${zone} has changed: ${moved.join("; ")}. Nothing is written to this zone. Plan again.`;
  return problem("stale_live", "The live state moved", detail);
}

/** More are not named. */
const MAX_NAMED = 6;

/** What moved in the zone and is not touched by the plan. Null: nothing that this program reads. */
export function movedBeside(plan: ZonePlan, fresh: ZonePlan): Problem | null {
  const touched = plan.changes.map(({ ref }) => ref);
  const changedNow = fresh.changes.map(({ ref }) => ref).filter((ref) => ref.id !== null);
  const gone = plan.beside.flatMap(({ ref, digest }) => {
    const now = fresh.beside.find((each) => isSame(each.ref, ref));
    if (now === undefined) {
      const isThere = changedNow.some((each) => isSame(each, ref));
      return [`${nameOf(ref)} ${isThere ? "has changed" : "is gone"}`];
    }
    return now.digest === digest ? [] : [`${nameOf(ref)} has changed`];
  });
  const come = fresh.beside.flatMap(({ ref }) => {
    const isKnown = [...plan.beside.map((each) => each.ref), ...touched].some((each) => isSame(each, ref));
    return isKnown ? [] : [`${nameOf(ref)} is there now`];
  });
  const moved = [...gone, ...come];
  if (moved.length === 0) return null;
  const more = moved.length > MAX_NAMED ? `; and ${moved.length - MAX_NAMED} more` : "";
  const detail = `Since the plan was made, something else in ${plan.zone} has changed: ${moved.slice(0, MAX_NAMED).join("; ")}${more}. The plan does not touch it, so it stays as it is now.`;
  const reason = problem("moved_elsewhere", "Something else in the zone moved", detail);
  return { ...reason, severity: "warning" };
}

/** By the id; by the name of what had none before, or has none now. */
function isSame(a: Ref, b: Ref): boolean {
  if (a.kind !== b.kind) return false;
  return a.id === null || b.id === null ? a.key === b.key : a.id === b.id;
}
