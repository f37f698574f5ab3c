import type { Permissions } from "../../../model/permissions.js";
import { phasePermissions } from "../../../model/phases.js";
import { type Answer, apiError, failure, result } from "../../answer.js";
import { entitlementsOf } from "../../plans.js";
import {
  type Call,
  type Holding,
  inAccount,
  inZone,
  type Owner,
  type Route,
  setState,
  stateOf,
  type World,
  type Zone,
} from "../resource.js";
import { accountHolding, zoneHolding } from "./holdings.js";
import { planErrors } from "./plan-limits.js";
import { nextVersion, type Ruleset, type Rulesets, rulesetOut } from "./state.js";

export type RulesetsAnswer = (rulesets: Rulesets, call: Call, world: World) => Answer;

type RulesetAnswer = (ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World) => Answer;

/** An endpoint of zones and accounts; the path is relative to `/rulesets`. */
export type Endpoint = readonly [method: Route["method"], path: string, answer: RulesetsAnswer];

export function zoneRoute(endpoint: Endpoint): Route {
  const [method, path] = endpoint;
  return inZone(method, `/rulesets${path}`, (zone, call, world) => {
    const rulesets = stateOf(zoneHolding, zone);
    const phase = phaseOf(call, rulesets);
    if (isClosed(phase, zone)) return notEntitled(phase);
    const refusals = planErrors(method, phase, zone, rulesets, call);
    return refusals.length > 0
      ? failure(400, ...refusals)
      : answered(endpoint, zoneHolding, zone, call, world);
  });
}

/**
 * Listing all of a zone's rulesets needs permission for some of them. A phase without known permissions is open to any
 * token.
 */
export function neededInZone(call: Call, { store }: World): readonly Permissions[] {
  const zone = store.byId.get(call.parameters.get("zone_id") ?? "");
  const phase = zone === undefined ? "" : phaseOf(call, stateOf(zoneHolding, zone));
  return Object.entries(phasePermissions).flatMap(([name, permissions]) =>
    phase === "" || phase === name ? [permissions] : [],
  );
}

/** The phase of a request: from its path, its ruleset, or the ruleset to create. */
function phaseOf({ parameters, body }: Call, { byId }: Rulesets): string {
  const phase = parameters.get("ruleset_phase") ?? byId.get(parameters.get("ruleset_id") ?? "")?.phase;
  return phase ?? (typeof body.phase === "string" ? body.phase : "");
}

function isClosed(phase: string, { plan }: Zone): boolean {
  return entitlementsOf(plan)?.closedPhases.includes(phase) === true;
}

/** Users see this code and text with the status of a wrong request, not of a forbidden one. */
function notEntitled(phase: string): Answer {
  return failure(400, apiError(`not entitled to use the phase ${phase}`, 50002));
}

export function accountRoute(endpoint: Endpoint): Route {
  const [method, path] = endpoint;
  return inAccount(method, `/rulesets${path}`, (account, call, world) =>
    answered(endpoint, accountHolding, account, call, world),
  );
}

/** A dry run is checked but not stored: the documentation says "null or 204". */
function answered<Sections>(
  [method, , answer]: Endpoint,
  holding: Holding<Sections, Rulesets>,
  owner: Owner,
  call: Call,
  world: World,
): Answer {
  const live = stateOf(holding, owner);
  if (method === "GET") return answer(live, call, world);
  const dryRun = isDryRun(call.query, world);
  if (dryRun === null) return failure(400, apiError("dry_run must be true or false"));
  const rulesets = { ...live, byId: new Map(live.byId) };
  const made = answer(rulesets, call, world);
  if (dryRun) return made.as === "result" ? result(null) : made;
  if (made.as !== "failure") setState(holding, owner, rulesets);
  return made;
}

/** Stores a ruleset with a change, and answers with it. */
export function stored(
  before: Ruleset,
  change: Partial<Pick<Ruleset, "id" | "description" | "rules">>,
  { byId }: Rulesets,
  now: string,
): Answer {
  const ruleset = { ...before, ...change, version: nextVersion(before.version), last_updated: now };
  byId.set(ruleset.id, ruleset);
  return result(rulesetOut(ruleset));
}

/** The documentation of dry runs: the values are `true` and `false`. null: an invalid value. */
function isDryRun(query: URLSearchParams, { dialect }: World): boolean | null {
  if (dialect === "interface") return false;
  const value = query.get("dry_run") ?? "false";
  if (value === "true") return true;
  return value === "false" ? false : null;
}

/** The documentation of viewing: a zone finds only its own rulesets by id, not the account's in its list. */
export function onRuleset(answer: RulesetAnswer): RulesetsAnswer {
  return (rulesets, call, world) => {
    const id = call.parameters.get("ruleset_id") ?? "";
    const ruleset = rulesets.byId.get(id);
    return ruleset === undefined
      ? failure(404, apiError(`could not find ruleset ${id}`))
      : answer(ruleset, rulesets, call, world);
  };
}

/** Managed rulesets belong to the service: an account deploys them and cannot change them. */
export function onOwnRuleset(answer: RulesetAnswer): RulesetsAnswer {
  return onRuleset((ruleset, rulesets, call, world) =>
    ruleset.kind === "managed"
      ? failure(400, apiError("a managed ruleset cannot be modified"))
      : answer(ruleset, rulesets, call, world),
  );
}
