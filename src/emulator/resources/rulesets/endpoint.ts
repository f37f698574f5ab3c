import { type Answer, apiError, failure, result } from "../../answer.js";
import { type Call, inAccount, inZone, type Route, type World } from "../resource.js";
import type { Ruleset, Rulesets } from "./state.js";

export type RulesetsAnswer = (rulesets: Rulesets, call: Call, world: World) => Answer;

type RulesetAnswer = (ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World) => Answer;

/** The endpoints of one method and path, which zones and accounts have alike. */
export function endpoint(method: Route["method"], path: string, answer: RulesetsAnswer): readonly Route[] {
  const whole = `/rulesets${path}`;
  return [
    inZone(method, whole, (zone, call, world) => answer(zone.rulesets, call, world)),
    inAccount(method, whole, (call, world) => answer(world.store.accountRulesets, call, world)),
  ];
}

/** A dry run is checked like the request itself, and nothing is stored: its documentation's "null or 204". */
export function write(answer: RulesetsAnswer): RulesetsAnswer {
  return (rulesets, call, world) => {
    const dryRun = world.habits.dryRun(call.query);
    if (dryRun === null) return failure(400, apiError("dry_run must be true or false"));
    if (!dryRun) return answer(rulesets, call, world);
    const tried = answer({ ...rulesets, byId: new Map(rulesets.byId) }, call, world);
    return tried.as === "result" ? result(null) : tried;
  };
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
