import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { type FieldError, fieldError } from "../../answer.js";
import {
  anyFlag,
  type Check,
  type Checks,
  child,
  filledText,
  isFilledText,
  memberErrors,
  must,
} from "../../checks.js";
import type { Dialect } from "../../dialect.js";
import { isId } from "../../ids.js";
import { stateOf, type World } from "../resource.js";
import { accountHolding } from "./holdings.js";
import type { Ruleset } from "./state.js";

/** Errors of the parameters of the action `execute`. The bounds are those of the published OpenAPI document. */
export function executeErrors(
  parameters: JsonObject,
  at: string,
  ruleset: Ruleset,
  world: World,
): readonly FieldError[] {
  return [
    ...targetErrors(parameters.id, `${at}/id`, ruleset, world),
    ...memberErrors(parameters, executeChecks, at),
  ];
}

function targetErrors(id: Json | undefined, at: string, { phase }: Ruleset, world: World) {
  if (!isId(id)) return [fieldError(at, "the id of a ruleset is required")];
  const target = stateOf(accountHolding, world.store.account).byId.get(id);
  const fits = target !== undefined && target.kind !== "root" && target.phase === phase;
  return fits ? [] : [fieldError(at, `there is no ruleset ${id} to execute in the phase ${phase}`)];
}

const levels: readonly Json[] = ["default", "medium", "low", "eoff"];

const overrideChecks: Checks = {
  id: must("must be the id of a rule", isId),
  category: filledText,
  action: must("must be the name of an action", isFilledText),
  enabled: anyFlag,
  score_threshold: must("must be a whole number", Number.isInteger),
  sensitivity_level: must(`must be one of ${levels.join(", ")}`, (value) => levels.includes(value)),
};

const executeChecks: Checks = {
  overrides: (value, at) =>
    isObject(value) && Object.keys(value).length > 0
      ? memberErrors(
          value,
          { ...overrideChecks, categories: overridesBy("category"), rules: overridesBy("id") },
          at,
        )
      : [fieldError(at, "must be an object that is not empty")],
  matched_data: must(
    "must be an object with a public_key",
    (value) => isObject(value) && isFilledText(value.public_key),
  ),
};

/** Checks a list of overrides. Each entry has `key` and at least one override. */
function overridesBy(key: string): Check {
  return (entries, pointer) => {
    if (!isList(entries) || entries.length === 0)
      return [fieldError(pointer, "must be a list that is not empty")];
    const texts = entries.map((entry) => JSON.stringify(entry));
    return entries.flatMap((entry, index) => {
      const at = child(pointer, index);
      if (!isObject(entry) || entry[key] === undefined)
        return [fieldError(at, `must be an object with ${key}`)];
      return [
        ...(Object.keys(entry).length < 2 ? [fieldError(at, "must have at least 2 properties")] : []),
        ...(texts.indexOf(texts[index] ?? "") < index ? [fieldError(at, "stands in the list already")] : []),
        ...memberErrors(entry, overrideChecks, at),
      ];
    });
  };
}

/**
 * Errors of the parameters of the action `skip`. The published OpenAPI document: they name the rest of the current
 * ruleset, rulesets, single rules, or products outside of rulesets; at least one of these. Skipping the rest of the
 * current phase is newer and in the documentation of skip options.
 */
export function skipErrors(parameters: JsonObject, at: string): readonly FieldError[] {
  const names = ["ruleset", "rulesets", "rules", "phase", "phases", "products"];
  if (!names.some((name) => parameters[name] !== undefined))
    return [fieldError(at, `at least one of ${names.join(", ")} is required`)];
  const exclusive = EXCLUSIVE.flatMap(([first, ...rest]) =>
    rest
      .filter((other) => parameters[first] !== undefined && parameters[other] !== undefined)
      .map((other) => fieldError(child(at, other), `cannot be given with ${first}`)),
  );
  return [...exclusive, ...memberErrors(parameters, skipChecks, at)];
}

/**
 * Parameters that exclude each other. The document also excludes `phases` beside `ruleset`, but the service accepts
 * that: the acceptance tests of the official Terraform provider skip the rest of a ruleset and a phase in one rule.
 */
const EXCLUSIVE: readonly (readonly [string, ...string[]])[] = [
  ["ruleset", "rulesets", "rules"],
  ["rulesets", "phases"],
  // The documentation combines `phase` only with products.
  ["phase", "ruleset", "rulesets", "rules", "phases"],
];

const current = must("must be current", (value) => value === "current");

const skipChecks: Checks = {
  ruleset: current,
  phase: current,
  rulesets: must("must be a list of the ids of rulesets", isListOfIds),
  rules: must(
    "must have lists of the ids of rules by the ids of their rulesets",
    (value) =>
      isObject(value) &&
      Object.keys(value).length > 0 &&
      Object.entries(value).every(([id, ids]) => isId(id) && isListOfIds(ids)),
  ),
  phases: must("must be a list of phases", isListOfTexts),
  products: must("must be a list of products", isListOfTexts),
};

function isListOfIds(value: Json): boolean {
  return isList(value) && value.length > 0 && value.every(isId);
}

function isListOfTexts(value: Json): boolean {
  return isList(value) && value.length > 0 && value.every(isFilledText);
}

/** Errors of the parameters of the action `log_custom_field`. The rules are in its documentation. */
export function customFieldsErrors(
  parameters: JsonObject,
  at: string,
  dialect: Dialect,
): readonly FieldError[] {
  const { headers, cookies, limit } = customFields[dialect];
  const names = [...headers, ...cookies];
  const lists = names.flatMap((name) => {
    const list = parameters[name];
    return list === undefined ? [] : [[name, list] as const];
  });
  if (lists.length === 0) return [fieldError(at, `at least one of ${names.join(", ")} is required`)];
  return [
    ...lists.flatMap(([name, list]) => itemsErrors(list, headers.includes(name), child(at, name))),
    ...limitErrors(lists, at, limit),
    ...bothFormsErrors(parameters, at),
  ];
}

/** The differences between the dialects. */
interface CustomFields {
  /** The lists of names in a rule, for headers and for cookies. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  /** The most names in a rule. */
  readonly limit: { readonly names: number; readonly in: "each list" | "all lists" };
}

const customFields: { readonly [dialect in Dialect]: CustomFields } = {
  service: {
    // The last two are newer than the published OpenAPI document; the official TypeScript SDK lists them.
    headers: ["request_fields", "response_fields", "raw_response_fields", "transformed_request_fields"],
    cookies: ["cookie_fields"],
    // From the documentation of custom fields; the text of the examples has an older limit.
    limit: { names: 100, in: "each list" },
  },
  interface: {
    headers: ["request_fields", "response_fields"],
    cookies: ["cookie_fields"],
    limit: { names: 40, in: "all lists" },
  },
};

function itemsErrors(list: Json, areHeaders: boolean, at: string): readonly FieldError[] {
  if (!isList(list) || list.length === 0) return [fieldError(at, "must be a list that is not empty")];
  return list.flatMap((item, index) => {
    const name = nameOf(item);
    if (name === "") return [fieldError(child(at, index), "must be an object with a name")];
    return areHeaders && name !== name.toLowerCase()
      ? [fieldError(`${child(at, index)}/name`, "the name of a header must be in lower case")]
      : [];
  });
}

function limitErrors(
  lists: readonly (readonly [name: string, list: Json])[],
  at: string,
  limit: CustomFields["limit"],
): readonly FieldError[] {
  const sizes = lists.map(([name, list]) => [child(at, name), isList(list) ? list.length : 0] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const counted = limit.in === "each list" ? sizes : [[at, total] as const];
  return counted
    .filter(([, size]) => size > limit.names)
    .map(([pointer]) => fieldError(pointer, `has more than ${limit.names} fields`));
}

/** A header is logged in its original or in its transformed form, not both. */
function bothFormsErrors(parameters: JsonObject, at: string): readonly FieldError[] {
  return forms.flatMap(([first, second]) => {
    const names = namesIn(parameters[first]);
    const repeated = namesIn(parameters[second]).filter((name) => names.includes(name));
    return repeated.map((name) => fieldError(child(at, second), `${name} is in ${first} too`));
  });
}

const forms = [
  ["request_fields", "transformed_request_fields"],
  ["response_fields", "raw_response_fields"],
] as const;

function namesIn(list: Json | undefined): readonly string[] {
  return isList(list) ? list.map(nameOf) : [];
}

/** "": no name. */
function nameOf(item: Json): string {
  return isObject(item) && typeof item.name === "string" ? item.name : "";
}
