import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import { isId } from "../../ids.js";
import type { Ruleset } from "../../parts/rulesets/index.js";
import type { World } from "../route.js";
import { isBoolean, isFilledText, type ValueCheck, valueErrors } from "./rule-values.js";

/** What is wrong with the parameters of the action `execute`; the bounds are those of the published OpenAPI document. */
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
  const target = world.store.accountRulesets.byId.get(id);
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

/** Entries of a list of overrides: `key` says what is overridden, and there is something that is. */
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
