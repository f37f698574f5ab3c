import type { Item } from "../../model/item.js";
import { type JsonObject, pickBy } from "../../model/json.js";
import { phasePermissions } from "../../model/phases.js";
import { checkRulesetName } from "../account-rulesets.js";
import { executedBy } from "../documented-rulesets.js";
import type { Kind } from "../kind.js";
import { checkManagedRuleset } from "./check.js";
import { configOf } from "./config.js";
import { fields, wantedNormal } from "./fields.js";
import { KEYED, knownManaged, PHASE, readsAccount, rulesetId, type Scoring } from "./named-ruleset.js";
import { liveNormal } from "./normal.js";
import { type Context, managedOf, readManagedRulesets } from "./read.js";
import { readForExport, toReRead } from "./read-again.js";
import { managedRulesetSchema } from "./schema.js";
import { blockingOf, strengthOf } from "./strength.js";
import { undeclaredOverrides, withoutUndeclaredOff } from "./undeclared-overrides.js";
import { hindrancesOf, unmanagedRulesOf } from "./unmanaged-rules.js";
import { toWire } from "./wire.js";

/**
 * Managed rulesets. One rule in the zone's list of the phase executes each ruleset, with overrides. The core ruleset
 * adds up a score; the rules of other rulesets act by themselves.
 */
export const managedRuleset: Kind<Context> = {
  name: PHASE.kind,
  ...KEYED,
  // Exceptions decide which requests the ruleset never checks.
  depends: { area: "requests", on: () => ["managed_exceptions"] },
  schema: managedRulesetSchema,
  fields,
  touches: { requests: { does: "applies_to" } },
  service: {
    included: { as: "managed rules" },
    permissions: phasePermissions[PHASE.name],
    dashboard: "security/settings",
    otherNames: ["waf"],
  },
  at: {
    as: "rules",
    phase: PHASE,
    reads: { live: readManagedRulesets, forExport: readForExport, again: toReRead, account: readsAccount },
    isSentAlone: true,
    actThemselves: true,
    ruleset: (context) => context?.ruleset ?? null,
    before: ({ bypasses }) => bypasses,
    declared: (body) => ({
      action: "execute",
      enabled: body.enabled ?? true,
      expression: body.expression ?? "true",
      action_parameters: { id: rulesetId(body) },
    }),
    rulesets: ({ ids }) => ids,
  },

  checks: {
    declared: checkManagedRuleset,
    names: ({ ruleset }) => (typeof ruleset === "string" ? checkRulesetName(ruleset, ["ruleset"]) : []),
  },
  normalOf(raw, context, declared) {
    const id = executedBy(raw);
    if (id === null) return null;
    const matching = declared.length === 1 ? declared : declared.filter(({ body }) => rulesetId(body) === id);
    return liveNormal(raw, context?.managed.get(id) ?? knownManaged(id), matching[0]?.body ?? {});
  },
  toDesired: wantedNormal,
  toConfig: configOf,
  toWire,
  kept: {
    undeclared: (items, context, declared = []) => [
      ...unmanagedRulesOf(items, context),
      ...declared.flatMap((item) => undeclaredOverrides(item, scoringOf(context, item))),
    ],
  },
  partsOn(item, context) {
    const raw = withoutUndeclaredOff(item, scoringOf(context, item));
    if (raw === null) return null;
    const managed = managedOf(context, item) ?? knownManaged(executedBy(raw) ?? "");
    const read = liveNormal(raw, managed, item.normal as JsonObject); // no field is sensitive
    const owned = pickBy(item.normal, (_, field) => field === "enabled" || item.owns.includes(field));
    return { ...item, raw, normal: { ...read, ...owned } };
  },
  dimensions: (item, context) => strengthOf(item, managedOf(context, item)),
  blocking: (item, context) => blockingOf(item, managedOf(context, item)),
  hindrances: hindrancesOf,
};

function scoringOf(context: Context | null, item: Item): Pick<Scoring, "id"> | null {
  return managedOf(context, item)?.scoring ?? knownManaged(executedBy(item.raw ?? {}) ?? "").scoring;
}
