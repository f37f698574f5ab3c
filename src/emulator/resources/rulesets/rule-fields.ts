import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { type FieldError, fieldError } from "../../answer.js";
import { anyFlag, anyText, type Checks, filledText, isBoolean, memberErrors, must } from "../../checks.js";
import { isId } from "../../ids.js";
import type { World } from "../resource.js";
import { customFieldsErrors, executeErrors, skipErrors } from "./action-parameters.js";
import { actionsOfPhase } from "./phases.js";
import { RATE_LIMITS, rateLimitErrors, responseErrors } from "./rate-limits.js";
import type { Ruleset } from "./state.js";

/** Errors of the rule at a pointer of a body. Fields without a check are kept as they are. */
export function ruleErrors(
  rule: JsonObject,
  at: string,
  ruleset: Ruleset,
  world: World,
): readonly FieldError[] {
  return [
    ...actionErrors(rule, at, ruleset),
    ...expressionErrors(rule.expression, `${at}/expression`),
    ...memberErrors(rule, fieldChecks, at),
    ...parametersErrors(rule, at, ruleset, world),
    ...(ruleset.phase === RATE_LIMITS ? rateLimitErrors(rule, at) : []),
  ];
}

/** Users see the text about parameters for a missing action, and the code for an action that the phase lacks. */
function actionErrors({ action, action_parameters }: JsonObject, at: string, { kind, phase }: Ruleset) {
  if (action === undefined) {
    const message =
      action_parameters === undefined ? "action is required" : "action is required for action parameters";
    return [fieldError(`${at}/action`, message)];
  }
  if (typeof action !== "string" || !/^[a-z_]+$/.test(action))
    return [fieldError(`${at}/action`, "must be the name of an action")];
  const fits = actionsOfPhase.get(phase)?.includes(action) ?? true;
  const message = `the action '${action}' is not valid in rulesets of the kind '${kind}' and the phase '${phase}'`;
  return fits ? [] : [fieldError(`${at}/action`, message, 20016)];
}

/** Users see both codes and the maximum length. */
function expressionErrors(expression: Json | undefined, field: string): readonly FieldError[] {
  if (expression !== undefined && typeof expression !== "string")
    return [fieldError(field, "must be a string")];
  if (expression === undefined || expression.trim() === "") {
    const message = `'${expression ?? ""}' is not a valid value for expression because the expression cannot be blank`;
    return [fieldError(field, message, 20125)];
  }
  if (expression.length <= 4096) return [];
  return [fieldError(field, `expression size ${expression.length} exceeded maximum 4096`, 20127)];
}

const fieldChecks: Checks = {
  id: must("must be an identifier", isId),
  ref: filledText,
  description: anyText,
  enabled: anyFlag,
  action_parameters: must("must be an object", isObject),
  logging: must("must be an object with enabled", (value) => isObject(value) && isBoolean(value.enabled)),
};

function parametersErrors(
  rule: JsonObject,
  at: string,
  ruleset: Ruleset,
  world: World,
): readonly FieldError[] {
  const parameters = rule.action_parameters;
  const field = `${at}/action_parameters`;
  const isAction = (name: string) => rule.action === name;
  if (isAction("block") && isObject(parameters)) return responseErrors(parameters, field);
  if (!isAction("execute") && !isAction("skip") && !isAction("log_custom_field")) return [];
  if (parameters === undefined)
    return [fieldError(field, `the action '${rule.action}' has action parameters`)];
  if (!isObject(parameters)) return [];
  if (isAction("execute")) return executeErrors(parameters, field, ruleset, world);
  if (isAction("skip")) return skipErrors(parameters, field);
  // The documentation of custom fields: a single rule covers all requests.
  const always =
    rule.expression === "true" ? [] : [fieldError(`${at}/expression`, "the expression must be true")];
  return [...always, ...customFieldsErrors(parameters, field, world.dialect)];
}

/** Conflicts with other rules of the same ruleset. The documentation: a zone deploys a managed ruleset once. */
export function neighbourErrors(
  rule: JsonObject,
  neighbours: readonly JsonObject[],
  at: string,
): readonly FieldError[] {
  const sameRef = rule.ref !== undefined && neighbours.some(({ ref }) => ref === rule.ref);
  const id = executedBy(rule);
  const isTwice = id !== undefined && neighbours.some((each) => executedBy(each) === id);
  const message = "more than one rule executes the same managed ruleset";
  return [
    ...(sameRef ? [fieldError(`${at}/ref`, "another rule of the ruleset has this ref")] : []),
    ...(isTwice ? [fieldError(`${at}/action_parameters/id`, message, 20014)] : []),
  ];
}

function executedBy({ action, action_parameters: parameters }: JsonObject): Json | undefined {
  return action === "execute" && isObject(parameters) ? parameters.id : undefined;
}
