import type { Client } from "../api/client.js";
import { readinessOf } from "../impact/readiness.js";
import { DEFAULT_EVIDENCE_DAYS, type Guardrails } from "../model/guardrails.js";
import { ok, type Result } from "../model/problem.js";
import type { ReadyObject, ReadyReport } from "../model/readiness.js";
import type { Progress } from "../model/report.js";
import type { ZoneState } from "../model/zone-tests.js";
import { inZones, type Layered, type SeenInput, type SeenZone } from "./seen-zones.js";
import { testsLost } from "./zone-tests.js";

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

function readyIn(seen: SeenZone, leastDays: number): readonly ReadyObject[] {
  const { open, objects, isMeant, detecting, detected, loads, besides } = seen;
  return objects.filter(isMeant).flatMap((object) => {
    const { item, layers, instead } = object;
    if (instead === null) return [];
    const others = objects.flatMap((each) => (each === object ? [] : [each.layers]));
    const proposal = { reporting: layers, blocking: instead, others };
    const { key, id } = item.ref;
    const failing =
      open === null ? [] : testsLost(open, pagesWith(objects, null), pagesWith(objects, object));
    return {
      name: key,
      id,
      ...readinessOf(proposal, { detected, loads, besides: besides(id), failing }, { detecting, leastDays }),
    };
  });
}

/** What pages get from these objects, and what tests ask of nothing else. */
function pagesWith(objects: readonly Layered[], blocking: Layered | null): ZoneState {
  const pages = objects.map((each) => {
    const layers = each === blocking ? (each.instead ?? each.layers) : each.layers;
    return { name: each.item.ref.key, layers, unknown: null };
  });
  return { pages, rules: new Map(), before: new Map(), logs: null, rulesets: new Map() };
}
