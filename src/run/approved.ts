import { GUARDRAILS, OF_LOADS } from "../model/guardrails.js";
import { lifting, says } from "../model/sentence.js";
import type { RunBreach } from "../plan/guard.js";
import type { PlanInput } from "./files.js";

/**
 * What stood against a saved plan for what pages load, where the fresh one does not say so again: the logs that it was made
 * with may not be here, and nobody has approved it without them.
 *
 * @param fresh what stands against the fresh one
 */
export function refusedBefore(
  { approved, part }: Pick<PlanInput, "approved" | "part">,
  fresh: readonly RunBreach[],
): readonly RunBreach[] {
  const said = (approved?.guardrails ?? []).filter(
    ({ name, allowed, zone }) =>
      OF_LOADS.includes(name) && !allowed && (zone === undefined || (part?.hasZone(zone) ?? true)),
  );
  return said.flatMap(({ name, zone = null, message }) => {
    const guardrail = GUARDRAILS.find((each) => each === name);
    if (guardrail === undefined) return [];
    if (fresh.some((each) => each.guardrail === guardrail && each.zone === zone)) return [];
    const told = `The saved plan says: ${message} What was read for it was not read again, or is another thing now.`;
    const advice = says`Plan again, with the same logs; or, if it is meant, ${lifting(guardrail)}.`;
    return [{ guardrail, zone, message: told, advice, changes: [] }];
  });
}
