import type { At } from "../kinds/kind.js";
import { type KindChanges, type PendingStep, PLAIN } from "./call.js";

/**
 * The calls that change fields of an object that is always there. PUT is partial (the published schema has every field
 * optional), so what did not change is not sent, unless nothing was ever set there: then all that is declared is.
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
