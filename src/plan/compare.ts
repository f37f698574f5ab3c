import equal from "fast-deep-equal";
import { type Problem, problem } from "../model/problem.js";
import type { ZonePart } from "./zone-part.js";

/**
 * Why a zone's plan of before must not be carried out: what moved since. Null: both plans are the same.
 */
export function difference(before: ZonePart, now: ZonePart): Problem | null {
  if (before.digest === now.digest) return null;
  const moved = movedObjects(before, now);
  if (moved.length > 0) {
    const detail = `Since the plan was made, ${before.zone} has changed: ${moved.join("; ")}. Nothing is written to this zone. Plan again.`;
    return problem("stale_live", "The live state moved", detail);
  }
  const detail = `The files now ask for other calls in ${before.zone} than the plan has: ${movedCalls(before, now)}. Nothing is written to this zone. Plan again.`;
  return problem("stale_files", "The files moved", detail);
}

function movedObjects(before: ZonePart, now: ZonePart): readonly string[] {
  return before.seen.flatMap((old) => {
    const name = `${old.kind} ${JSON.stringify(old.key)}`;
    const fresh = now.seen.find(
      (each) => each.kind === old.kind && (old.id === null ? each.key === old.key : each.id === old.id),
    );
    if (fresh === undefined) return [`${name} needs another change now, or none`];
    const fields = changedFields(old.state, fresh.state);
    if (fields !== null) return [`${name} (${fields})`];
    return fresh.id === old.id ? [] : [`${name} has another id`];
  });
}

function changedFields(before: unknown, after: unknown): string | null {
  if (equal(before, after)) return null;
  if (before === null) return "is there now";
  if (after === null) return "is gone";
  const [a, b] = [Object(before), Object(after)] as readonly Readonly<Record<string, unknown>>[]; // states are maps
  const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])];
  return names.filter((name) => !equal(a?.[name], b?.[name])).join(", ");
}

function movedCalls(before: ZonePart, now: ZonePart): string {
  const text = ({ method, path, body }: ZonePart["calls"][number]) =>
    `${method} ${path} ${JSON.stringify(body)}`;
  const old = new Set(before.calls.map(text));
  const fresh = new Set(now.calls.map(text));
  const gone = before.calls
    .filter((call) => !fresh.has(text(call)))
    .map((call) => `no longer ${call.method} ${call.path}`);
  const come = now.calls
    .filter((call) => !old.has(text(call)))
    .map((call) => `now ${call.method} ${call.path}`);
  return [...gone, ...come].join(", ") || "in another order";
}
