import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { apiError, fieldError } from "../../answer.js";
import { anyText, type Checks, filledText, memberErrors, missingErrors } from "../../checks.js";
import type { World } from "../resource.js";
import { phases } from "./phases.js";
import { neighbourErrors, ruleErrors } from "./rule-fields.js";
import { entryPointOf, newId, newRule, type Rule, type Ruleset, type Rulesets, redefined } from "./state.js";

/** Errors of a request that creates a ruleset, apart from its rules. */
export function creationErrors(body: JsonObject, rulesets: Rulesets): readonly JsonObject[] {
  const required = ["name", "kind", "phase"];
  return [
    ...missingErrors(body, required),
    ...unknownFields(body, [...required, "description", "rules"]),
    ...memberErrors(body, texts),
    ...(body.kind === undefined ? [] : kindErrors(body.kind, body.phase, rulesets)),
    ...(body.phase === undefined || phases.some((each) => each === body.phase)
      ? []
      : [invalid("phase", body.phase)]),
  ];
}

/** Users see this code when they create an entry point that exists. */
function kindErrors(kind: Json, phase: Json | undefined, rulesets: Rulesets): readonly JsonObject[] {
  if (kind !== "zone") return [invalid("kind", kind)];
  if (entryPointOf(rulesets, String(phase)) === undefined) return [];
  const why = `because exceeded maximum number of zone rulesets for phase ${phase}`;
  return [fieldError("/kind", `'zone' is not a valid value for kind ${why}`, 20217)];
}

/** Fields that cannot change. An entry point has its kind and phase in the path: users see both refused in the body. */
const FIXED = { ruleset: ["name", "kind", "phase"], "entry point": ["name"] } as const;

/** Errors of an update. Fields that cannot change may be sent unchanged. */
export function updateErrors(
  body: JsonObject,
  ruleset: Ruleset,
  called: keyof typeof FIXED,
): readonly JsonObject[] {
  return [
    ...unknownFields(body, [...FIXED[called], "description", "rules"]),
    ...memberErrors(body, texts),
    ...FIXED[called].flatMap((field) => {
      const [value, want] = [body[field], ruleset[field]];
      if (value === undefined || value === want) return [];
      return [fieldError(`/${field}`, `the ${field} field cannot be modified: got ${value}, want ${want}`)];
    }),
  ];
}

/** Users see no pointer with this error. */
function unknownFields(body: JsonObject, allowed: readonly string[]): readonly JsonObject[] {
  const unknown = Object.keys(body).filter((field) => !allowed.includes(field));
  return unknown.map((field) => apiError(`invalid JSON: unknown field ${field}`));
}

const texts: Checks = {
  name: filledText,
  description: anyText,
};

function invalid(field: string, value: Json): JsonObject {
  return fieldError(`/${field}`, `'${value}' is not a valid value for ${field}`);
}

/** Errors of `rules` that replace a ruleset's rules. */
export function listErrors(value: Json | undefined, ruleset: Ruleset, world: World): readonly JsonObject[] {
  if (value === undefined) return [];
  if (!isList(value)) return [fieldError("/rules", "must be a list")];
  return value.flatMap((body, index) => {
    const at = `/rules/${index}`;
    if (!isObject(body)) return [fieldError(at, "must be an object")];
    const earlier = value.slice(0, index).filter(isObject);
    const rule = ruleFor(body, ruleset.rules);
    // Live rules were accepted once, or come from a seed: sent back unchanged, they are not checked.
    const stays = rule !== undefined && redefined(rule, body, "") === rule;
    return [
      ...identityErrors(body, rule, earlier, ruleset.rules, at),
      ...(stays ? [] : ruleErrors(body, at, ruleset, world)),
      ...neighbourErrors(body, earlier, at),
    ];
  });
}

function identityErrors(
  body: JsonObject,
  rule: Rule | undefined,
  earlier: readonly JsonObject[],
  live: readonly Rule[],
  at: string,
): readonly JsonObject[] {
  if (rule !== undefined && earlier.some((each) => ruleFor(each, live) === rule))
    return [fieldError(`${at}/${body.id === undefined ? "ref" : "id"}`, "a rule before is the same one")];
  return rule === undefined && body.id !== undefined
    ? [fieldError(`${at}/id`, "the ruleset has no rule of this id")]
    : [];
}

/** The rules of a checked body, in its order. Without any, the live rules stay. */
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
 * The live rule that matches a rule of a body. The documentation of changing rule ids: a rule is found by its id, or without one
 * by its `ref`. Without both, it is a new rule.
 */
function ruleFor(body: JsonObject, live: readonly Rule[]): Rule | undefined {
  if (body.id !== undefined) return live.find(({ id }) => id === body.id);
  return body.ref === undefined ? undefined : live.find(({ ref }) => ref === body.ref);
}
