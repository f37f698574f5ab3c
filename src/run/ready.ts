import type { Client } from "../api/client.js";
import { readinessOf } from "../impact/readiness.js";
import { DEFAULT_EVIDENCE_DAYS, type Guardrails } from "../model/guardrails.js";
import { ok, type Result } from "../model/problem.js";
import type { ReadyObject, ReadyReport } from "../model/readiness.js";
import type { Progress } from "../model/report.js";
import { inZones, type SeenInput, type SeenZone } from "./seen-zones.js";

/**
 * Of everything in the zones that reports what it would block: what would come of it if it blocked.
 *
 * @param input with the fewest days of evidence that are enough; null: what the files' guardrails ask for
 */
export async function readiness(
  input: SeenInput & { readonly leastDays: number | null },
  client: Client,
  progress: Progress,
): Promise<Result<ReadyReport>> {
  const leastOf = ({ evidenceDays = DEFAULT_EVIDENCE_DAYS }: Guardrails) => input.leastDays ?? evidenceDays;
  const read = await inZones(input, client, progress, (seen) => readyIn(seen, leastOf(seen.guardrails)));
  if (!read.ok) return read;
  const { zones, told, guardrails } = read.value;
  return ok({ leastDays: leastOf(guardrails), zones, told });
}

function readyIn(
  { objects, isMeant, detecting, detected, loads, besides }: SeenZone,
  leastDays: number,
): readonly ReadyObject[] {
  return objects.filter(isMeant).flatMap((object) => {
    const { item, layers, instead } = object;
    if (instead === null) return [];
    const others = objects.flatMap((each) => (each === object ? [] : [each.layers]));
    const proposal = { reporting: layers, blocking: instead, others };
    const { key, id } = item.ref;
    return {
      name: key,
      id,
      ...readinessOf(proposal, { detected, loads, besides: besides(id) }, { detecting, leastDays }),
    };
  });
}
