import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { type Answer, apiError, failure, fieldError, result } from "../../answer.js";
import type { Call, World } from "../resource.js";
import { type Endpoint, onOwnRuleset, type RulesetsAnswer } from "./endpoint.js";
import { neighbourErrors, ruleErrors } from "./rule-fields.js";
import {
  modified,
  newId,
  newRule,
  type Rule,
  type Ruleset,
  type Rulesets,
  redefined,
  rulesetOut,
  timestamp,
} from "./state.js";

const rules = "/{ruleset_id}/rules";

/** The published OpenAPI document: each answers with the whole ruleset. */
export const ruleEndpoints: readonly Endpoint[] = [
  ["POST", rules, onOwnRuleset(add)],
  ["PATCH", `${rules}/{rule_id}`, onRule(update)],
  ["DELETE", `${rules}/{rule_id}`, onRule(remove)],
];

/** By default, a new rule comes last. */
function add(ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World): Answer {
  const { position, ...body } = call.body;
  const place = placeIn(ruleset.rules, position, ruleset.rules.length);
  const errors = [
    ...ruleErrors(body, "", ruleset, world),
    ...(body.id === undefined ? [] : [fieldError("/id", "a new rule is given its id by the service")]),
    ...neighbourErrors(body, ruleset.rules, "", ruleset.kind),
    ...place.errors,
  ];
  if (errors.length > 0) return failure(400, ...errors);
  const now = timestamp(world.now());
  const rule = newRule(body, newId(rulesets), now);
  return keep(ruleset, ruleset.rules.toSpliced(place.index, 0, rule), rulesets, now);
}

/** The body is the whole new definition. With only a position, the rule moves unchanged. */
function update(rule: Rule, ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World): Answer {
  const { position, ...body } = call.body;
  const siblings = ruleset.rules.filter((each) => each !== rule);
  const place = placeIn(siblings, position, ruleset.rules.indexOf(rule));
  const onlyMoves = position !== undefined && Object.keys(body).length === 0;
  const now = timestamp(world.now());
  const next = onlyMoves ? rule : redefined(rule, body, now);
  const errors = [
    ...(next === rule ? [] : changeErrors(rule, body, siblings, ruleset, world)),
    ...place.errors,
  ];
  if (errors.length > 0) return failure(400, ...errors);
  return keep(ruleset, siblings.toSpliced(place.index, 0, next), rulesets, now);
}

function changeErrors(
  rule: Rule,
  body: JsonObject,
  siblings: readonly Rule[],
  ruleset: Ruleset,
  world: World,
): readonly JsonObject[] {
  const otherId = body.id !== undefined && body.id !== rule.id;
  return [
    ...ruleErrors(body, "", ruleset, world),
    ...(otherId ? [fieldError("/id", `the id field cannot be modified: want ${rule.id}`)] : []),
    ...neighbourErrors(body, siblings, "", ruleset.kind),
  ];
}

function remove(rule: Rule, ruleset: Ruleset, rulesets: Rulesets, _: Call, world: World): Answer {
  const siblings = ruleset.rules.filter((each) => each !== rule);
  return keep(ruleset, siblings, rulesets, timestamp(world.now()));
}

function keep(ruleset: Ruleset, rules: readonly Rule[], rulesets: Rulesets, now: string): Answer {
  const next = modified(ruleset, { rules }, now);
  rulesets.byId.set(next.id, next);
  return result(rulesetOut(next));
}

function onRule(
  answer: (rule: Rule, ruleset: Ruleset, rulesets: Rulesets, call: Call, world: World) => Answer,
): RulesetsAnswer {
  return onOwnRuleset((ruleset, rulesets, call, world) => {
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
  readonly errors: readonly JsonObject[];
}

/** The place of a `position` among the other rules. The three forms are in the documentation of rule positions. */
function placeIn(siblings: readonly Rule[], position: Json | undefined, otherwise: number): RulePlace {
  if (position === undefined) return at(otherwise);
  const entries = isObject(position) ? Object.entries(position) : [];
  const [[form, value] = ["", null]] = entries;
  const find = forms.get(form);
  if (find === undefined || entries.length > 1)
    return nowhere("", "takes exactly one of before, after and index");
  return find(value, siblings);
}

type Find = (value: Json, siblings: readonly Rule[]) => RulePlace;

/** "" means the first place. */
const before: Find = (value, siblings) => {
  const index = siblings.findIndex(({ id }) => id === value);
  if (index === -1) return value === "" ? at(0) : nowhere("/before", "there is no other rule of this id");
  return at(index);
};

/** "" means the last place. */
const after: Find = (value, siblings) => {
  const index = siblings.findIndex(({ id }) => id === value);
  if (index === -1)
    return value === "" ? at(siblings.length) : nowhere("/after", "there is no other rule of this id");
  return at(index + 1);
};

/** Counted from 1. */
const byIndex: Find = (value, siblings) =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= siblings.length + 1
    ? at(value - 1)
    : nowhere("/index", `must be a whole number from 1 to ${siblings.length + 1}`);

const forms: ReadonlyMap<string, Find> = new Map([
  ["before", before],
  ["after", after],
  ["index", byIndex],
]);

function at(index: number): RulePlace {
  return { index, errors: [] };
}

function nowhere(field: string, message: string): RulePlace {
  return { index: 0, errors: [fieldError(`/position${field}`, message)] };
}
