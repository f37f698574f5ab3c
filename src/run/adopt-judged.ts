import { keyOf, type Unit } from "../adopt/drifted.js";
import type { Client } from "../api/client.js";
import { nameField } from "../kinds/kind.js";
import { groupBy } from "../model/group-by.js";
import { refusesAdopt } from "../model/guardrails.js";
import { isSameWithinReading } from "../model/item.js";
import { ok, type Result } from "../model/problem.js";
import { textOf } from "../model/sentence.js";
import type { Effect } from "../model/strength.js";
import type { Guardrail as PlannedGuardrail } from "../plan/generated/plan-document.js";
import { forbiddenToDeclare } from "../plan/guardrails/index.js";
import type { PlanInput } from "./files.js";
import { type Planned, runPlan } from "./plan.js";

/** The effect on protection of drift that is written into the files. */
export interface Judged {
  /** The document of the drift. Null: there is no drift. */
  readonly driftIn: Planned["documentIn"] | null;
  /** Null: no longer known. */
  effectOf(unit: Unit): Effect | null;
  /** The guardrails that refuse to adopt these changes, without lifted ones. */
  refusalsOf(units: readonly Unit[]): readonly PlannedGuardrail[];
}

/** Judges changes made outside the files as `drift` does. Only zones with such changes are planned. */
export async function judged(
  units: readonly Unit[],
  input: PlanInput,
  client: Client,
): Promise<Result<Judged>> {
  const zones = [...new Set(units.map(({ zone }) => zone.name))];
  if (zones.length === 0) return ok({ driftIn: null, effectOf: () => null, refusalsOf: () => [] });
  const planned = await runPlan({ ...input, zones, about: "drift", impact: "none" }, client, () => {});
  if (!planned.ok) return planned;
  const { changes, unmanaged, guardrails } = planned.document;
  const changeOf = (unit: Unit) => changes.findIndex((each) => isOf(unit, each));
  return ok({
    driftIn: planned.documentIn,
    effectOf: (unit) =>
      changes[changeOf(unit)]?.drift_effect ?? unmanaged.find((each) => isOf(unit, each))?.effect ?? null,
    refusalsOf: (some) => {
      const written = new Set(some.map(changeOf));
      const isOfWritten = ({ changes: indices }: PlannedGuardrail) =>
        indices?.some((index) => written.has(index)) ?? some.length > 0;
      return [
        ...guardrails.filter((each) => !each.allowed && refusesAdopt(each.name) && isOfWritten(each)),
        ...undeclared(some, planned, input.allow),
      ];
    },
  });
}

/** Guardrails that refuse to declare undeclared objects. The drift plan leaves these alone, so it has no change for them. */
function undeclared(
  units: readonly Unit[],
  { document: { unmanaged }, guardrails }: Planned,
  allow: readonly string[],
): readonly PlannedGuardrail[] {
  const found = units.flatMap((unit) => {
    const { kind, zone, context, drifted } = unit;
    const object = unmanaged.find((each) => isOf(unit, each));
    if (object === undefined || drifted.as !== "came") return [];
    const { live } = drifted;
    const dimensions = kind.dimensions(live, context);
    return [{ ...object, zone: zone.name, ref: live.ref, dimensions }];
  });
  return [...groupBy(found, ({ zone }) => zone)].flatMap(([zone, objects]) =>
    forbiddenToDeclare(zone, objects, guardrails)
      .filter(({ guardrail }) => !allow.includes(guardrail))
      .map(({ guardrail, message, advice }) => ({
        name: guardrail,
        zone,
        message: `${textOf(message)} ${textOf(advice)}`,
        allowed: false,
      })),
  );
}

interface Named {
  readonly zone: string;
  readonly kind: string;
  readonly key: string;
  readonly id: string | null;
}

/** Matches a live object by its id, and an object that is not live by its name. */
function isOf(unit: Unit, { zone, kind, key, id }: Named): boolean {
  const { drifted } = unit;
  if (zone !== unit.zone.name) return false;
  if (drifted.as === "beside") return drifted.ref.id === id && drifted.ref.kind === kind;
  if (drifted.as === "gone")
    return kind === unit.kind.name && (nameField(unit.kind) === null || key === keyOf(unit));
  return isSameWithinReading({ kind, key, id }, drifted.live.ref);
}
