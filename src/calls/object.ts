import type { At } from "../kinds/kind.js";
import { type KindChanges, type PendingStep, PLAIN } from "./call.js";

/**
 * The calls that change fields of an object that always exists. PUT is partial (in the published schema every field is
 * optional), so only changed fields are sent. If the live object was never set, all declared fields are sent.
 */
export function objectCalls(
  { kind, zoneId, live: zone, changes }: KindChanges,
  { path }: Extract<At, { as: "object" }>,
): readonly PendingStep[] {
  return changes.flatMap(({ at, triple: { want, live }, fields }) => {
    if (want === null || live === null) return [];
    const isUnset = Object.keys(live.raw ?? {}).length === 0;
    const declared = isUnset && typeof want.owns === "object" ? want.owns : [];
    const sentFields = new Set([...declared, ...fields.map((field) => field.path)]);
    return [
      {
        ...PLAIN,
        method: "PUT" as const,
        path: ["zones", zoneId, ...path],
        body: kind.toWire(want, { live, fields: [...sentFields] }, zone),
        changes: [at],
        effects: [{ ref: want.ref, item: want }],
      },
    ];
  });
}
