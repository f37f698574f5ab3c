import type { Permissions } from "../../../model/permissions.js";
import { phasePermissions } from "../../../model/phases.js";
import { type Answer, apiError, failure, result } from "../../answer.js";
import { entitlementsOf } from "../../plans.js";
import {
  type Call,
  inAccount,
  inZone,
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

/** The path is relative to `/rulesets`. */
export type Endpoint = readonly [method: Route["method"], path: string, answer: RulesetsAnswer];

export function zoneRoute([method, path, answer]: Endpoint): Route {
  return inZone(method, `/rulesets${path}`, (zone, call, world) => {
    const live = stateOf(zoneHolding, zone);
    const phase = phaseOf(call, live);
    if (isClosed(phase, zone)) return notEntitled(phase);
    const refusals = planErrors(method, phase, zone, live, call);
    if (refusals.length > 0) return failure(400, ...refusals);
    if (method === "GET") return answer(live, call, world);
    const rulesets = { ...live, byId: new Map(live.byId) };
    const made = answer(rulesets, call, world);
    if (made.as !== "failure") setState(zoneHolding, zone, rulesets);
    return made;
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

export function accountRoute([method, path, answer]: Endpoint): Route {
  return inAccount(method, `/rulesets${path}`, (account, call, world) =>
    answer(stateOf(accountHolding, account), call, world),
  );
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
