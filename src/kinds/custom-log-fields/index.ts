import { uniform } from "../../expression/spelling/render.js";
import { cutEnd } from "../../model/cut.js";
import type { Declared, Service } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import { asText, type JsonObject, mapValues, pick } from "../../model/json.js";
import { phasePermissions } from "../../model/phases.js";
import { ok, type Result } from "../../model/problem.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions } from "../../model/strength.js";
import { unknownIfOn } from "../fields.js";
import { oneIn } from "../keys.js";
import type { Kind, Live, Oddity, Was, ZoneReader } from "../kind.js";
import { FIELD_LISTS, LOG_PHASE, loggedSet } from "../logged-fields.js";
import { type Phase, type PhaseRuleset, readPhase, sentRule } from "../phase.js";
import { itemsOf } from "../read.js";
import { unmanagedRules } from "../unmanaged-rules.js";
import { allowing, checkDeclared, checkWhole, excessOf } from "./check.js";
import {
  allFields,
  changedRule,
  credentialFields,
  DESCRIPTION,
  fields,
  fieldsIn,
  newRule,
  normalField,
  normalFrom,
} from "./rule.js";
import { customLogFieldsSchema } from "./schema.js";
import { effectOfRule, isManagedRule, loggedByOthers, nameOfRule, rulesBehind } from "./unmanaged-rules.js";

const NAME = "custom_log_fields";

const phase: Phase = { kind: NAME, name: LOG_PHASE, description: DESCRIPTION };

/** The headers and cookies that log-push jobs can log: one rule in a list that may also have unmanaged rules. */
export const customLogFields: Kind<PhaseRuleset | null> = {
  name: NAME,
  ...oneIn(NAME),
  depends: { area: "logs" },
  schema: customLogFieldsSchema,
  fields,
  service: {
    included: { as: "custom log fields" },
    permissions: phasePermissions[phase.name],
    dashboard: "analytics/logs",
  },
  at: {
    as: "rules",
    phase,
    reads: { live: readRules, forExport: (zone) => readRules(zone, []) },
    isSentAlone: false,
    actThemselves: true,
    ruleset: (ruleset) => ruleset,
    declared: (body) => newRule(toDesired(body, null)),
  },

  checks: { declared: checkDeclared, whole: checkWhole, allowing },
  normalOf: normalFrom,
  toDesired,
  toConfig,
  toWire,
  kept: {
    undeclared: (_, ruleset) =>
      unmanagedRules(ruleset, phase, isManagedRule, (rule, behind) => effectOfRule(rule, behind, ruleset)),
    oddities,
  },
  dimensions: strengthOf,
  // The table has no field for the state that the section always owns.
  hindrances: ({ normal }) => (normal.enabled === false ? [{ as: "off" }] : []),
};

async function readRules(
  zone: ZoneReader,
  declared: readonly Declared[],
): Promise<Result<Live<PhaseRuleset | null>>> {
  const wanted = declared.filter(({ body }) => body.ensure !== "absent");
  const ruleset = await readPhase(zone.api, zone.zoneId, phase, wanted.length > 0);
  if (!ruleset.ok) return ruleset;
  const rules = ruleset.value?.rules.filter(isManagedRule) ?? [];
  const live = itemsOf(customLogFields, rules, `The phase ${LOG_PHASE} has`);
  if (!live.ok) return live;
  const warnings = wanted.flatMap(({ path }) => loggedByOthers(ruleset.value, zone.locate(path, "key")));
  return ok({ ...live.value, context: ruleset.value, warnings });
}

/** The section always owns that the rule is enabled and applies to every request. */
function toDesired(declared: JsonObject, live: Item | null): SealedObject {
  const lists = mapValues(pick(declared, FIELD_LISTS), (_, list) => {
    const fields = fieldsIn(declared, list).map(normalField);
    // The service has no empty lists, so a declared empty list counts only if the live list exists.
    return fields.length > 0 || live?.normal[list] !== undefined ? fields : undefined;
  });
  return { ...lists, enabled: true, expression: "true" };
}

/** The fields that the section always owns have no key. */
function toConfig({ normal }: Item, declared: JsonObject | null): JsonObject {
  const lists = FIELD_LISTS.filter((list) => list in (declared ?? normal));
  return Object.fromEntries(lists.map((list) => [list, (normal as JsonObject)[list] ?? []])); // no secrets
}

function toWire({ normal }: Item, was: Was | null): JsonObject {
  return was === null ? newRule(normal) : changedRule(sentRule(was.live.raw ?? {}), normal, was.fields);
}

function oddities({ normal }: Item, service: Service): readonly Oddity[] {
  const excess = excessOf(normal, service);
  if (excess === null) return [];
  const detail = `In the live rule: ${excess}. It can stay, but a change must bring it within the limit.`;
  return [{ code: "live_beyond_limit", summary: "Live custom log fields exceed the limit", detail }];
}

/** The logged fields and the requests they are logged for. A disabled rule logs nothing. */
function strengthOf({ normal, ref }: Item, ruleset: PhaseRuleset | null): Dimensions {
  if (normal.enabled === false) return { logged: loggedSet([]) };
  if (normal.enabled !== true) return { logged: unknownIfOn(normal) };
  const credentials = credentialFields(normal);
  const where = uniform(asText(normal.expression ?? ""));
  const shadowed = rulesBehind(ruleset, ref.id).map(nameOfRule);
  return {
    logged: loggedSet(allFields(normal)),
    logged_requests: { as: "scope", of: where },
    // The effect of a new credential is unknown. Of a removed one, `logged` shows the effect.
    ...(credentials.length === 0
      ? {}
      : { credentials: { as: "opaque", is: `${LABEL} ${credentials.join(", ")}`, ...DOUBTFUL } }),
    ...(shadowed.length === 0
      ? {}
      : {
          shadowed: {
            as: "unknown",
            is: JSON.stringify([where, ...shadowed]),
            why: cutEnd(`it decides before ${shadowed.join(", ")}`, MAX_CHARS),
          },
        }),
  };
}

const LABEL = "credentials may be logged:";
const DOUBTFUL = { stopsNothing: true, isDoubtful: true } as const;
const MAX_CHARS = 200;
