import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import { newId, type Ruleset, type Rulesets } from "../../parts/rulesets/index.js";
import { newRule, type Rule, redefined } from "../../parts/rulesets/rules.js";
import type { World } from "../route.js";
import { ruleErrors } from "./rule-fields.js";
import { neighbourErrors } from "./rule-neighbours.js";

/** What is wrong with the `rules` of a body that are to replace those of a ruleset. */
export function listErrors(value: Json | undefined, ruleset: Ruleset, world: World): readonly JsonObject[] {
  if (value === undefined) return [];
  if (!isList(value)) return [fieldError("rules", "must be a list")];
  return value.flatMap((body, index) => {
    if (!isObject(body)) return [fieldError(`rules/${index}`, "must be an object")];
    const at = `rules/${index}/`;
    const earlier = value.slice(0, index).filter(isObject);
    return [
      ...identityErrors(body, earlier, ruleset.rules, at),
      ...(stays(body, ruleset.rules) ? [] : ruleErrors(body, at, ruleset, world)),
      ...neighbourErrors(body, earlier, at, ruleset.kind),
    ];
  });
}

function identityErrors(
  body: JsonObject,
  earlier: readonly JsonObject[],
  live: readonly Rule[],
  at: string,
): readonly JsonObject[] {
  const rule = ruleFor(body, live);
  if (rule === undefined) {
    return body.id === undefined ? [] : [fieldError(`${at}id`, "the ruleset has no rule of this id")];
  }
  const twice = earlier.some((each) => ruleFor(each, live) === rule);
  return twice
    ? [fieldError(`${at}${body.id === undefined ? "ref" : "id"}`, "a rule before is the same one")]
    : [];
}

/** What is live was accepted once, or comes from a seed: sent back as it is, it is not looked at again. */
function stays(body: JsonObject, live: readonly Rule[]): boolean {
  const rule = ruleFor(body, live);
  return rule !== undefined && redefined(rule, body, "") === rule;
}

/** The rules of a checked body, in its order; without any, those that are live stay. */
export function rulesOf(
  value: Json | undefined,
  ruleset: Ruleset,
  rulesets: Rulesets,
  now: string,
): readonly Rule[] {
  if (!isList(value)) return ruleset.rules;
  return value.filter(isObject).map((body) => {
    const rule = ruleFor(body, ruleset.rules);
    return rule === undefined ? newRule(body, newId(rulesets), now) : redefined(rule, body, now);
  });
}

/**
 * The live rule that a rule of a body is. A rule keeps its id as long as it comes with its `ref`, says the
 * documentation of changing rule ids; with neither of the two it is a new one.
 */
function ruleFor(body: JsonObject, live: readonly Rule[]): Rule | undefined {
  if (body.id !== undefined) return live.find(({ id }) => id === body.id);
  return body.ref === undefined ? undefined : live.find(({ ref }) => ref === body.ref);
}
