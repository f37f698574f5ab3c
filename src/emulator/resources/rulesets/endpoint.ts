import type { Permissions } from "../../../model/permissions.js";
import { type Answer, apiError, failure, result } from "../../answer.js";
import { entitlementsOf } from "../../plans.js";
import { type Call, inAccount, inZone, type Route, stateOf, type World, type Zone } from "../resource.js";
import { accountHolding, zoneHolding } from "./holdings.js";
import { permissionsOf } from "./phases.js";
import type { Ruleset, Rulesets } from "./state.js";

export type RulesetsAnswer = (rulesets: Rulesets, call: Call, world: World) => Answer;

type RulesetAnswer = (ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World) => Answer;

/** What zones and accounts have alike; the path is what follows `/rulesets`. */
export type Endpoint = readonly [method: Route["method"], path: string, answer: RulesetsAnswer];

export function zoneRoute([method, path, answer]: Endpoint): Route {
  return inZone(method, `/rulesets${path}`, (zone, call, world) => {
    const rulesets = stateOf(zoneHolding, zone);
    const phase = phaseOf(call, rulesets);
    return isClosed(phase, zone) ? notEntitled(phase) : answer(rulesets, call, world);
  });
}

/** The list of all of a zone's rulesets is for whoever may see some of them. */
export function neededInZone(call: Call, { store }: World): readonly Permissions[] {
  const zone = store.byId.get(call.parameters.get("zone_id") ?? "");
  const phase = zone === undefined ? "" : phaseOf(call, stateOf(zoneHolding, zone));
  return permissionsOf(phase);
}

/** The phase that a request is about: that of its path, of the ruleset there, or of the one that it would make. */
function phaseOf({ parameters, body }: Call, { byId }: Rulesets): string {
  const named = parameters.get("ruleset_phase") ?? byId.get(parameters.get("ruleset_id") ?? "")?.phase;
  return named ?? (typeof body.phase === "string" ? body.phase : "");
}

function isClosed(phase: string, { plan }: Zone): boolean {
  return entitlementsOf(plan)?.closedPhases.includes(phase) === true;
}

/** Users see this code and text, with the status of a request that is wrong, and not of one that is forbidden. */
function notEntitled(phase: string): Answer {
  return failure(400, apiError(`not entitled to use the phase ${phase}`, 50002));
}

export function accountRoute([method, path, answer]: Endpoint): Route {
  return inAccount(method, `/rulesets${path}`, (account, call, world) =>
    answer(stateOf(accountHolding, account), call, world),
  );
}

/** A dry run is checked like the request itself, and nothing is stored: its documentation's "null or 204". */
export function write(answer: RulesetsAnswer): RulesetsAnswer {
  return (rulesets, call, world) => {
    const dryRun = isDryRun(call.query, world);
    if (dryRun === null) return failure(400, apiError("dry_run must be true or false"));
    if (!dryRun) return answer(rulesets, call, world);
    const tried = answer({ ...rulesets, byId: new Map(rulesets.byId) }, call, world);
    return tried.as === "result" ? result(null) : tried;
  };
}

/** The documentation of dry runs: `true` and `false` are the values, and others a mistake, null. */
function isDryRun(query: URLSearchParams, { dialect }: World): boolean | null {
  if (dialect === "interface") return false;
  const said = query.get("dry_run") ?? "false";
  if (said === "true") return true;
  return said === "false" ? false : null;
}

/** A zone finds only its own rulesets by id, and not the account's that its list shows: documentation of viewing. */
export function onRuleset(answer: RulesetAnswer): RulesetsAnswer {
  return (rulesets, call, world) => {
    const id = call.parameters.get("ruleset_id") ?? "";
    const ruleset = rulesets.byId.get(id);
    return ruleset === undefined
      ? failure(404, apiError(`could not find ruleset ${id}`))
      : answer(ruleset, rulesets, call, world);
  };
}

/** Managed rulesets are the service's: an account deploys them and does not change them. */
export function onOwnRuleset(answer: RulesetAnswer): RulesetsAnswer {
  return onRuleset((ruleset, rulesets, call, world) =>
    ruleset.kind === "managed"
      ? failure(400, apiError("a managed ruleset cannot be modified"))
      : answer(ruleset, rulesets, call, world),
  );
}
