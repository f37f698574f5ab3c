import equal from "fast-deep-equal";
import { isObject, type JsonObject } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import type { ZonePart } from "./zone-part.js";

/**
 * Why a zone's plan of before must not be carried out: what moved since. Null: both plans are the same.
 */
export function difference(before: ZonePart, now: ZonePart): Problem | null {
  if (before.digest === now.digest) return equal(before.changes, now.changes) ? null : edited(before.zone);
  const moved = movedObjects(before, now);
  if (moved.length > 0) {
    const detail = `Since the plan was made, ${before.zone} has changed: ${moved.join("; ")}. Nothing is written to this zone. Plan again.`;
    return problem("stale_live", "The live state moved", detail);
  }
  const settled = settledObjects(before, now);
  if (settled.length > 0) {
    const detail = `In ${before.zone} the plan changes what now needs no change: ${settled.join(", ")}. The files or the live state have moved. Nothing is written to this zone. Plan again.`;
    return problem("stale_plan", "The plan does not hold any more", detail);
  }
  const detail = `The files now ask for other calls in ${before.zone} than the plan has: ${movedCalls(before, now)}. Nothing is written to this zone. Plan again.`;
  return problem("stale_files", "The files moved", detail);
}

function edited(zone: string): Problem {
  const detail = `The changes that the plan shows for ${zone} are not those that its calls make, so it was changed after it was written. Nothing is written to this zone. Plan again.`;
  return problem("plan_edited", "The plan file was edited", detail);
}

type SeenState = ZonePart["seen"][number];

function sameObject(a: SeenState): (b: SeenState) => boolean {
  return (b) => a.kind === b.kind && (a.id === null || b.id === null ? a.key === b.key : a.id === b.id);
}

/** Objects that both plans touch, and that were not live as they are now. */
function movedObjects(before: ZonePart, now: ZonePart): readonly string[] {
  return before.seen.flatMap((old) => {
    const fresh = now.seen.find(sameObject(old));
    if (fresh === undefined || equal(old.state, fresh.state)) return [];
    return [`${nameOf(old)} ${stateChange(old.state, fresh.state)}`];
  });
}

function settledObjects(before: ZonePart, now: ZonePart): readonly string[] {
  return before.seen.filter((old) => !now.seen.some(sameObject(old))).map(nameOf);
}

/** `policy "Checkout scripts"`; of a kind with one object a zone, the kind says it all. */
export function nameOf({ kind, key }: Pick<SeenState, "kind" | "key">): string {
  return key === kind ? kind : `${kind} ${JSON.stringify(key)}`;
}

function stateChange(before: unknown, after: unknown): string {
  if (before === null) return "is there now";
  if (after === null) return "is gone";
  return `(${fieldChanges(isObject(before) ? before : {}, isObject(after) ? after : {})})`;
}

const BRIEF_CHARS = 200;

/** A value in a sentence. */
export function brief(value: unknown): string {
  if (isObject(value) && ("$secret" in value || "$sensitive" in value)) return "(sensitive)";
  const text = value === undefined || value === null ? "not set" : JSON.stringify(value);
  return text.length <= BRIEF_CHARS ? text : `${text.slice(0, BRIEF_CHARS)}…`;
}

function movedCalls(before: ZonePart, now: ZonePart): string {
  const gone = before.calls.filter((call) => !now.calls.some((each) => equal(each, call)));
  const come = now.calls.filter((call) => !before.calls.some((each) => equal(each, call)));
  const address = ({ method, path }: ZonePart["calls"][number]) => `${method} ${path}`;
  const sentences = [
    ...gone.map((call) => {
      const again = come.find((each) => address(each) === address(call));
      return again === undefined
        ? `no longer ${address(call)}`
        : `${address(call)} with ${bodyChange(call.body, again.body)}`;
    }),
    ...come
      .filter((call) => !gone.some((each) => address(each) === address(call)))
      .map((call) => `now ${address(call)}`),
  ];
  return sentences.join("; ") || "the same ones in another order";
}

function bodyChange(before: unknown, after: unknown): string {
  return isObject(before) && isObject(after)
    ? fieldChanges(before, after)
    : `${brief(before)} → ${brief(after)}`;
}

function fieldChanges(old: JsonObject, now: JsonObject): string {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const fields = names.filter((name) => !equal(old[name], now[name]));
  return fields.map((name) => `${name}: ${brief(old[name])} → ${brief(now[name])}`).join(", ");
}
