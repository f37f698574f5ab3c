import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
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
): readonly JsonObject[] {
  const { id, overrides, matched_data: matchedData } = parameters;
  return [
    ...targetErrors(id, `${at}id`, ruleset, world),
    ...(overrides === undefined ? [] : overridesErrors(overrides, `${at}overrides`)),
    ...(matchedData === undefined || hasKey(matchedData)
      ? []
      : [fieldError(`${at}matched_data`, "must be an object with a public_key")]),
  ];
}

function targetErrors(id: Json | undefined, field: string, { phase }: Ruleset, world: World) {
  if (!isId(id)) return [fieldError(field, "the id of a ruleset is required")];
  const target = stateOf(accountHolding, world.store.account).byId.get(id);
  const fits = target !== undefined && target.kind !== "root" && target.phase === phase;
  return fits ? [] : [fieldError(field, `there is no ruleset ${id} to execute in the phase ${phase}`)];
}

function overridesErrors(overrides: Json, field: string): readonly JsonObject[] {
  if (!isObject(overrides) || Object.keys(overrides).length === 0)
    return [fieldError(field, "must be an object that is not empty")];
  const { categories, rules } = overrides;
  return [
    ...valueErrors(overrides, valueChecks, `${field}/`),
    ...(categories === undefined ? [] : entriesErrors(categories, "category", `${field}/categories`)),
    ...(rules === undefined ? [] : entriesErrors(rules, "id", `${field}/rules`)),
  ];
}

/** Errors of a list of overrides. Each entry has `key` and at least one override. */
function entriesErrors(entries: Json, key: string, field: string): readonly JsonObject[] {
  if (!isList(entries) || entries.length === 0)
    return [fieldError(field, "must be a list that is not empty")];
  const texts = entries.map((entry) => JSON.stringify(entry));
  return entries.flatMap((entry, index) => {
    const at = `${field}/${index}`;
    if (!isObject(entry) || entry[key] === undefined)
      return [fieldError(at, `must be an object with ${key}`)];
    return [
      ...(Object.keys(entry).length < 2 ? [fieldError(at, "must have at least 2 properties")] : []),
      ...(texts.indexOf(texts[index] ?? "") < index ? [fieldError(at, "stands in the list already")] : []),
      ...valueErrors(entry, valueChecks, `${at}/`),
    ];
  });
}

const levels: readonly Json[] = ["default", "medium", "low", "eoff"];

const valueChecks: ReadonlyMap<string, ValueCheck> = new Map<string, ValueCheck>([
  ["id", { isRight: isId, wanted: "must be the id of a rule" }],
  ["category", { isRight: isFilledText, wanted: "must be a string that is not empty" }],
  ["action", { isRight: isFilledText, wanted: "must be the name of an action" }],
  ["enabled", { isRight: isBoolean, wanted: "must be true or false" }],
  ["score_threshold", { isRight: Number.isInteger, wanted: "must be a whole number" }],
  [
    "sensitivity_level",
    { isRight: (value) => levels.includes(value), wanted: `must be one of ${levels.join(", ")}` },
  ],
]);

function hasKey(matchedData: Json): boolean {
  return isObject(matchedData) && isFilledText(matchedData.public_key);
}

/**
 * Errors of the parameters of the action `skip`. The published OpenAPI document: they name the rest of the current
 * ruleset, rulesets, single rules, or products outside of rulesets; at least one of these. Skipping the rest of the
 * current phase is newer and in the documentation of skip options.
 */
export function skipErrors(parameters: JsonObject, at: string): readonly JsonObject[] {
  const names = ["ruleset", "rulesets", "rules", "phase", "phases", "products"];
  if (!names.some((name) => parameters[name] !== undefined))
    return [fieldError(at.slice(0, -1), `at least one of ${names.join(", ")} is required`)];
  const exclusive = EXCLUSIVE.flatMap(([first, ...rest]) =>
    parameters[first] === undefined
      ? []
      : rest
          .filter((other) => parameters[other] !== undefined)
          .map((other) => fieldError(at + other, `cannot be given with ${first}`)),
  );
  return [...exclusive, ...valueErrors(parameters, skipChecks, at)];
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

const skipChecks: ReadonlyMap<string, ValueCheck> = new Map<string, ValueCheck>([
  ["ruleset", { isRight: (value) => value === "current", wanted: "must be current" }],
  ["phase", { isRight: (value) => value === "current", wanted: "must be current" }],
  ["rulesets", { isRight: isListOfIds, wanted: "must be a list of the ids of rulesets" }],
  [
    "rules",
    {
      isRight: (value) =>
        isObject(value) &&
        Object.keys(value).length > 0 &&
        Object.entries(value).every(([id, ids]) => isId(id) && isListOfIds(ids)),
      wanted: "must have lists of the ids of rules by the ids of their rulesets",
    },
  ],
  ["phases", { isRight: isListOfTexts, wanted: "must be a list of phases" }],
  ["products", { isRight: isListOfTexts, wanted: "must be a list of products" }],
]);

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
): readonly JsonObject[] {
  const { headers, cookies, limit } = customFields[dialect];
  const names = [...headers, ...cookies];
  const lists = names.flatMap((name) => {
    const list = parameters[name];
    return list === undefined ? [] : [[name, list] as const];
  });
  if (lists.length === 0)
    return [fieldError(at.slice(0, -1), `at least one of ${names.join(", ")} is required`)];
  return [
    ...lists.flatMap(([name, list]) => itemsErrors(list, headers.includes(name), at + name)),
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

function itemsErrors(list: Json, areHeaders: boolean, field: string): readonly JsonObject[] {
  if (!isList(list) || list.length === 0) return [fieldError(field, "must be a list that is not empty")];
  return list.flatMap((item, index) => {
    const name = nameOf(item);
    const at = `${field}/${index}`;
    if (name === "") return [fieldError(at, "must be an object with a name")];
    return areHeaders && name !== name.toLowerCase()
      ? [fieldError(`${at}/name`, "the name of a header must be in lower case")]
      : [];
  });
}

function limitErrors(
  lists: readonly (readonly [name: string, list: Json])[],
  at: string,
  limit: CustomFields["limit"],
): readonly JsonObject[] {
  const sizes = lists.map(([name, list]) => [name, isList(list) ? list.length : 0] as const);
  if (limit.in === "each list") {
    const tooLong = sizes.filter(([, size]) => size > limit.names);
    return tooLong.map(([name]) => fieldError(at + name, `has more than ${limit.names} fields`));
  }
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  return total > limit.names ? [fieldError(at.slice(0, -1), `has more than ${limit.names} fields`)] : [];
}

/** A header is logged in its original or in its transformed form, not both. */
function bothFormsErrors(parameters: JsonObject, at: string): readonly JsonObject[] {
  return forms.flatMap(([first, second]) => {
    const names = namesIn(parameters[first]);
    const repeated = namesIn(parameters[second]).filter((name) => names.includes(name));
    return repeated.map((name) => fieldError(at + second, `${name} is in ${first} too`));
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

export interface ValueCheck {
  readonly isRight: (value: Json) => boolean;
  /** The rest of a sentence about a wrong value. */
  readonly wanted: string;
}

/** Errors of those values that have a check; `at` is the prefix of their names. */
export function valueErrors(
  object: JsonObject,
  checks: ReadonlyMap<string, ValueCheck>,
  at: string,
): readonly JsonObject[] {
  return [...checks].flatMap(([name, { isRight, wanted }]) => {
    const value = object[name];
    return value === undefined || isRight(value) ? [] : [fieldError(at + name, wanted)];
  });
}

export function isText(value: unknown): boolean {
  return typeof value === "string";
}

export function isFilledText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

export function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}
