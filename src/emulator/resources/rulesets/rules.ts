import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { type Answer, apiError, type FieldError, failure, fieldError } from "../../answer.js";
import type { Call, World } from "../resource.js";
import { type Endpoint, onRuleset, type RulesetsAnswer, stored } from "./endpoint.js";
import { neighbourErrors, ruleErrors } from "./rule-fields.js";
import { newId, newRule, type Rule, type Ruleset, type Rulesets, redefined, timestamp } from "./state.js";

const rules = "/{ruleset_id}/rules";

/** The published OpenAPI document: each answers with the whole ruleset. */
export const ruleEndpoints: readonly Endpoint[] = [
  ["POST", rules, onRuleset(add)],
  ["PATCH", `${rules}/{rule_id}`, onRule(update)],
  ["DELETE", `${rules}/{rule_id}`, onRule(remove)],
];

/** By default, a new rule comes last. */
function add(ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World): Answer {
  const { position, ...body } = call.body;
  const place = placeIn(ruleset.rules, position, ruleset.rules.length);
  const idErrors =
    body.id === undefined ? [] : [fieldError("/id", "a new rule is given its id by the service")];
  const errors = [...changeErrors(body, idErrors, ruleset.rules, ruleset, world), ...place.errors];
  if (errors.length > 0) return failure(400, ...errors);
  const now = timestamp(world.now());
  const rule = newRule(body, newId(rulesets), now);
  return stored(ruleset, { rules: ruleset.rules.toSpliced(place.index, 0, rule) }, rulesets, now);
}

/** The body is the whole new definition. With only a position, the rule moves unchanged. */
function update(rule: Rule, ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World): Answer {
  const { position, ...body } = call.body;
  const siblings = ruleset.rules.filter((each) => each !== rule);
  const place = placeIn(siblings, position, ruleset.rules.indexOf(rule));
  const onlyMoves = position !== undefined && Object.keys(body).length === 0;
  const now = timestamp(world.now());
  const next = onlyMoves ? rule : redefined(rule, body, now);
  const idErrors =
    body.id === undefined || body.id === rule.id
      ? []
      : [fieldError("/id", `the id field cannot be modified: want ${rule.id}`)];
  const errors = [
    ...(next === rule ? [] : changeErrors(body, idErrors, siblings, ruleset, world)),
    ...place.errors,
  ];
  if (errors.length > 0) return failure(400, ...errors);
  return stored(ruleset, { rules: siblings.toSpliced(place.index, 0, next) }, rulesets, now);
}

function changeErrors(
  body: JsonObject,
  idErrors: readonly FieldError[],
  siblings: readonly Rule[],
  ruleset: Ruleset,
  world: World,
): readonly FieldError[] {
  return [...ruleErrors(body, "", ruleset, world), ...idErrors, ...neighbourErrors(body, siblings, "")];
}

function remove(rule: Rule, ruleset: Ruleset, rulesets: Rulesets, _: Call, world: World): Answer {
  const rules = ruleset.rules.filter((each) => each !== rule);
  return stored(ruleset, { rules }, rulesets, timestamp(world.now()));
}

function onRule(
  answer: (rule: Rule, ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World) => Answer,
): RulesetsAnswer {
  return onRuleset((ruleset, rulesets, call, world) => {
    const id = call.parameters.get("rule_id") ?? "";
    const rule = ruleset.rules.find((each) => each.id === id);
    return rule === undefined
      ? failure(404, apiError(`could not find rule ${id}`))
      : answer(rule, ruleset, rulesets, call, world);
  });
}

interface RulePlace {
  /** The index among the other rules, from 0. */
  readonly index: number;
  readonly errors: readonly FieldError[];
}

/** The place of a `position` among the other rules. The three forms are in the documentation of rule positions. */
function placeIn(siblings: readonly Rule[], position: Json | undefined, otherwise: number): RulePlace {
  if (position === undefined) return at(otherwise);
  const entries = isObject(position) ? Object.entries(position) : [];
  const [[form, value] = ["", null]] = entries;
  if (!["before", "after", "index"].includes(form) || entries.length > 1)
    return nowhere("", "takes exactly one of before, after and index");
  const last = siblings.length;
  if (form === "index")
    return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= last + 1
      ? at(Number(value) - 1)
      : nowhere("/index", `must be a whole number from 1 to ${last + 1}`);
  // "" means all rules.
  if (value === "") return at(form === "before" ? 0 : last);
  const index = siblings.findIndex(({ id }) => id === value);
  if (index === -1) return nowhere(`/${form}`, "there is no other rule of this id");
  return at(form === "before" ? index : index + 1);
}

function at(index: number): RulePlace {
  return { index, errors: [] };
}

function nowhere(field: string, message: string): RulePlace {
  return { index: 0, errors: [fieldError(`/position${field}`, message)] };
}
