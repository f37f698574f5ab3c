import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";

/** What a rule may not have in common with another one of its ruleset. */
export function neighbourErrors(
  rule: JsonObject,
  others: readonly JsonObject[],
  at: string,
  rulesetKind: string,
): readonly JsonObject[] {
  const sameRef = rule.ref !== undefined && others.some(({ ref }) => ref === rule.ref);
  return [
    ...(sameRef ? [fieldError(`${at}ref`, "another rule of the ruleset has this ref")] : []),
    ...(rulesetKind === "zone" ? deploymentErrors(rule, others, at) : []),
  ];
}

/** A zone deploys a managed ruleset once, an account may do so several times, says the documentation. */
function deploymentErrors(
  rule: JsonObject,
  others: readonly JsonObject[],
  at: string,
): readonly JsonObject[] {
  const id = executedBy(rule);
  if (id === undefined || !others.some((each) => executedBy(each) === id)) return [];
  const message = "more than one rule executes the same managed ruleset";
  return [fieldError(`${at}action_parameters/id`, message, 20014)];
}

function executedBy({ action, action_parameters: parameters }: JsonObject): Json | undefined {
  return action === "execute" && isObject(parameters) ? parameters.id : undefined;
}
