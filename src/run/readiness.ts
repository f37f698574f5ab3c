import type { Client } from "../api/client.js";
import { readinessOf } from "../impact/readiness.js";
import { groupBy } from "../model/group-by.js";
import { DEFAULT_EVIDENCE_DAYS, type Guardrails } from "../model/guardrails.js";
import { ok, type Result } from "../model/problem.js";
import type { ReadyObject, ReadyReport } from "../model/readiness.js";
import type { Progress } from "../model/report.js";
import type { ZoneState } from "../model/zone-state.js";
import { inZones, type Layered, type SeenInput, type SeenZone } from "./zone-loads.js";
import { testsLost } from "./zone-tests.js";

/**
 * The reporting objects of the zones, and what each would do if it blocked.
 *
 * @param input with the required days of evidence; null: those of the files' guardrails
 */
export async function readiness(
  input: SeenInput & { readonly leastDays: number | null },
  client: Client,
  progress: Progress,
): Promise<Result<ReadyReport>> {
  const leastOf = ({ evidenceDays = DEFAULT_EVIDENCE_DAYS }: Guardrails) => input.leastDays ?? evidenceDays;
  const read = await inZones(input, client, progress, (seen) => readyIn(seen, leastOf(seen.guardrails)));
  if (!read.ok) return read;
  const { zones, warnings, guardrails } = read.value;
  return ok({ leastDays: leastOf(guardrails), zones, told: warnings });
}

function readyIn(seen: SeenZone, leastDays: number): readonly ReadyObject[] {
  const { open, objects, isMeant, detecting, detected, loads, besides } = seen;
  return objects.filter(isMeant).flatMap((object) => {
    const { item, layers, instead } = object;
    if (instead === null) return [];
    const others = objects.flatMap((each) => (each === object ? [] : [each.layers]));
    const proposal = { reporting: layers, blocking: instead.layers, others };
    const { key, id } = item.ref;
    const failing =
      open === null
        ? []
        : testsLost(open, { before: stateWith(objects, null), after: stateWith(objects, object) });
    return {
      name: key,
      id,
      ...readinessOf(proposal, { detected, loads, besides: besides(id), failing }, { detecting, leastDays }),
    };
  });
}

/** The zone's state for page tests, with one object blocking instead of reporting. */
function stateWith(objects: readonly Layered[], blocking: Layered | null): ZoneState {
  const items = objects.map((each) => ({
    kind: each.item.ref.kind,
    item: each === blocking && each.instead !== null ? each.instead.item : each.item,
  }));
  const byKind = [...groupBy(items, ({ kind }) => kind)];
  return {
    objects: new Map(
      byKind.map(([kind, all]) => [kind, { items: all.map(({ item }) => item), context: null }]),
    ),
    rules: new Map(),
  };
}
