import type { At, PendingChange } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import type { Item } from "../model/item.js";
import { isObject } from "../model/json.js";
import { type KindChanges, type PendingStep, PLAIN } from "./call.js";

type ObjectAt = Extract<At, { as: "object" }>;

/** The calls that change fields of an object that always exists. */
export function objectCalls(kindChanges: KindChanges, at: ObjectAt): readonly PendingStep[] {
  return kindChanges.changes.flatMap((change): readonly PendingStep[] => {
    const { want, live } = change.triple;
    if (want === null || live === null) return [];
    const { partOf } = at;
    return partOf === undefined
      ? [wholeCall(kindChanges, at, change, want, live)]
      : partCalls(kindChanges, at, change, want, live, partOf);
  });
}

/**
 * PUT is partial (in the published schema every field is optional), so only changed fields are sent. If the live object
 * was never set, all declared fields are sent.
 */
function wholeCall(
  { kind, zoneId, live: zone }: KindChanges,
  { path }: ObjectAt,
  { at, fields }: PendingChange,
  want: Item,
  live: Item,
): PendingStep {
  const isUnset = Object.keys(live.raw ?? {}).length === 0;
  const declared = isUnset && typeof want.owns === "object" ? want.owns : [];
  const sentFields = new Set([...declared, ...fields.map((field) => field.path)]);
  return {
    ...PLAIN,
    method: "PUT",
    path: ["zones", zoneId, ...path],
    body: kind.toWire(want, { live, fields: [...sentFields] }, zone),
    changes: [at],
    effects: [{ ref: want.ref, item: want }],
  };
}

/** A call for each changed part, one after the other. After each call, the object has the parts sent so far. */
function partCalls(
  { kind, zoneId, live: zone }: KindChanges,
  { path }: ObjectAt,
  { at, fields }: PendingChange,
  want: Item,
  live: Item,
  partOf: (field: string) => string,
): readonly PendingStep[] {
  const parts = [
    ...groupBy(
      fields.map((field) => field.path),
      partOf,
    ),
  ];
  return parts.map(([part, names], index): PendingStep => {
    const partPath = ["zones", zoneId, ...path, part];
    const waiting = new Set(parts.slice(index + 1).flatMap(([, later]) => later));
    const normal = Object.fromEntries(
      Object.entries({ ...live.normal, ...want.normal }).flatMap(([field, value]) => {
        const now = waiting.has(field) ? live.normal[field] : value;
        return now === undefined ? [] : [[field, now]];
      }),
    );
    const before = live.raw?.[part];
    return {
      ...PLAIN,
      method: "PATCH",
      path: partPath,
      body: kind.toWire(want, { live, fields: names }, zone),
      changes: [at],
      needs: index === 0 ? [] : [index - 1],
      effects: [{ ref: want.ref, item: waiting.size === 0 ? want : { ...want, normal } }],
      precondition: {
        read: `/${partPath.join("/")}`,
        fields: { value: isObject(before) ? (before.value ?? null) : null },
      },
    };
  });
}
