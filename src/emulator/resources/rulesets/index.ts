import { isObject, type JsonObject } from "../../../model/json.js";
import { ZONE_WAF } from "../../../model/permissions.js";
import { phasePermissions } from "../../../model/phases.js";
import { type Answer, apiError, empty, failure, result } from "../../answer.js";
import { checkOneOf } from "../../checks.js";
import {
  type Ask,
  type Call,
  type EditedList,
  editingList,
  objectsIn,
  type Resource,
  type Route,
  stateOf,
  type World,
} from "../resource.js";
import { permitted } from "../tokens.js";
import {
  accountRoute,
  type Endpoint,
  neededInZone,
  onRuleset,
  type RulesetsAnswer,
  stored,
  zoneRoute,
} from "./endpoint.js";
import { creationErrors, listErrors, rulesOf, updateErrors } from "./fields.js";
import { type AccountSections, accountHolding, type ZoneSections, zoneHolding } from "./holdings.js";
import { phases } from "./phases.js";
import { ruleEndpoints } from "./rules.js";
import {
  draftOf,
  entryPointOf,
  newId,
  type Ruleset,
  type Rulesets,
  rulesetOut,
  rulesetSummary,
  textOr,
  timestamp,
} from "./state.js";

const byId = "/{ruleset_id}";
const entryPoint = "/phases/{ruleset_phase}/entrypoint";

const reads: readonly Endpoint[] = [
  ["GET", "", list],
  ["GET", byId, onRuleset(read)],
  ["GET", entryPoint, onPhase(readEntryPoint)],
];

const writes: readonly Endpoint[] = [
  ["POST", "", create],
  ["PUT", byId, onRuleset(update)],
  ["DELETE", byId, onRuleset(remove)],
  ["PUT", entryPoint, onPhase(updateEntryPoint)],
  ...ruleEndpoints,
];

/** The whole dialect `interface`: its documentation has only these seven operations on rulesets. */
const documented: ReadonlySet<string> = new Set([
  ...["GET", "POST"].map((method) => `${method} /zones/{zone_id}/rulesets`),
  "PUT /zones/{zone_id}/rulesets/{ruleset_id}",
  "PATCH /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}",
  "GET /zones/{zone_id}/rulesets/phases/{ruleset_phase}/entrypoint",
  ...["", "/{ruleset_id}"].map((path) => `GET /accounts/{account_id}/rulesets${path}`),
]);

function limited(route: Route): Route {
  return documented.has(`${route.method} ${route.path}`) ? route : { ...route, onlyIn: "service" };
}

const ofAccount = { read: ZONE_WAF.account, write: ZONE_WAF.account };

/** Users see this text, without a code, for a missing permission for the phase. */
const NOT_AUTHORIZED = failure(403, apiError("request is not authorized"));

export const rulesets: Resource<ZoneSections> = {
  holding: zoneHolding,
  routes: permitted(
    [...reads, ...writes].map(zoneRoute).map(limited),
    Object.values(phasePermissions),
    NOT_AUTHORIZED,
    neededInZone,
  ),
  edits: {
    // A zone's list also has the account's managed rulesets, which cannot be changed.
    ruleset: editingList("/rulesets", ({ kind }) => kind !== "managed"),
    rule: { as: "list", fields: { phase: checkOneOf(phases) }, open: rulesIn },
  },
};

/** Read only: zoneward manages zones. */
export const accountRulesets: Resource<AccountSections> = {
  holding: accountHolding,
  routes: permitted(reads.map(accountRoute).map(limited), [ofAccount], NOT_AUTHORIZED),
  edits: {},
};

function read(ruleset: Ruleset): Answer {
  return result(rulesetOut(ruleset));
}

function create(rulesets: Rulesets, call: Call, world: World): Answer {
  const body = world.dialect === "service" ? call.body : withoutRules(call.body);
  const { name, kind, phase } = body;
  const draft = draftOf(textOr(name, ""), textOr(kind, ""), textOr(phase, ""));
  return keep(draft, rulesets, body, creationErrors(body, rulesets), world);
}

/** In the examples of the dialect `interface`, rules come with a PUT after the POST that creates the ruleset. */
function withoutRules({ rules: _, ...body }: JsonObject): JsonObject {
  return body;
}

function update(ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World): Answer {
  return keep(ruleset, rulesets, call.body, updateErrors(call.body, ruleset, "ruleset"), world);
}

/**
 * Stores and returns a ruleset with the description and rules of a body. Absent ones stay: the documentation updates a
 * description without naming the rules.
 */
function keep(
  before: Ruleset,
  rulesets: Rulesets,
  body: JsonObject,
  fieldErrors: readonly JsonObject[],
  world: World,
): Answer {
  const errors = [...fieldErrors, ...listErrors(body.rules, before, world)];
  if (errors.length > 0) return failure(400, ...errors);
  const now = timestamp(world.now());
  const id = before.id === "" ? newId(rulesets) : before.id;
  const description = textOr(body.description, before.description);
  const rules = rulesOf(body.rules, before, rulesets, now);
  return stored(before, { id, description, rules }, rulesets, now);
}

function remove(ruleset: Ruleset, rulesets: Rulesets): Answer {
  rulesets.byId.delete(ruleset.id);
  return empty;
}

/** Users see this code and text for a phase without an entry point. */
function readEntryPoint(phase: string, rulesets: Rulesets): Answer {
  const ruleset = entryPointOf(rulesets, phase);
  if (ruleset !== undefined) return read(ruleset);
  return failure(404, apiError(`could not find entrypoint ruleset in the ${phase} phase`, 10003));
}

/** The documentation of creating: a missing ruleset is created. Users see its name `default`. */
function updateEntryPoint(phase: string, rulesets: Rulesets, call: Call, world: World): Answer {
  const draft = draftOf(textOr(call.body.name, "default"), "zone", phase);
  const ruleset = entryPointOf(rulesets, phase) ?? draft;
  return keep(ruleset, rulesets, call.body, updateErrors(call.body, ruleset, "entry point"), world);
}

function onPhase(
  answer: (phase: string, rulesets: Rulesets, call: Call, world: World) => Answer,
): RulesetsAnswer {
  return (rulesets, call, world) => {
    const phase = call.parameters.get("ruleset_phase") ?? "";
    return phases.includes(phase)
      ? answer(phase, rulesets, call, world)
      : failure(400, apiError(`'${phase}' is not a valid value for phase`));
  };
}

/** Never paged, as in the published OpenAPI document. */
function list(rulesets: Rulesets, _: Call, world: World): Answer {
  return result(visibleIn(rulesets, world).map(rulesetSummary));
}

/** The documentation of viewing: a zone's list includes the account's managed rulesets. */
function visibleIn(rulesets: Rulesets, { store }: World): readonly Ruleset[] {
  const ownRulesets = [...rulesets.byId.values()];
  const managed = [...stateOf(accountHolding, store.account).byId.values()].filter(
    ({ kind }) => kind === "managed",
  );
  return rulesets.level === "zone" ? [...ownRulesets, ...managed] : ownRulesets;
}

/** The rules of a phase's entry point, which is created if missing. */
function rulesIn(zone: string, { phase }: JsonObject, ask: Ask): EditedList {
  const entryPoint = `${zone}/rulesets/phases/${phase}/entrypoint`;
  const ruleset = ask("GET", entryPoint, null).body?.result;
  const isThere = isObject(ruleset);
  const path = isThere ? `${zone}/rulesets/${ruleset.id}/rules` : entryPoint;
  return {
    objects: isThere ? objectsIn(ruleset.rules) : [],
    path,
    adding: (body) =>
      isThere ? { method: "POST", path, body } : { method: "PUT", path, body: { rules: [body] } },
    update: "PATCH",
    // The documentation of updates: the body is the rule's whole new definition.
    updated: ({ version: _version, last_updated: _at, ...definition }, set) => ({ ...definition, ...set }),
  };
}
