import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import type { Habits } from "../../dialect.js";

/** What is wrong with the parameters of the action `log_custom_field`; the rules are in its documentation. */
export function customFieldsErrors(
  parameters: JsonObject,
  at: string,
  { customFieldLists, customFieldLimit }: Habits,
): readonly JsonObject[] {
  const { headers, cookies } = customFieldLists;
  const names = [...headers, ...cookies];
  const lists = names.flatMap((name) => {
    const list = parameters[name];
    return list === undefined ? [] : [[name, list] as const];
  });
  if (lists.length === 0)
    return [fieldError(at.slice(0, -1), `at least one of ${names.join(", ")} is required`)];
  return [
    ...lists.flatMap(([name, list]) => itemsErrors(list, headers.includes(name), at + name)),
    ...limitErrors(lists, at, customFieldLimit),
    ...bothFormsErrors(parameters, at),
  ];
}

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
  limit: Habits["customFieldLimit"],
): readonly JsonObject[] {
  const sizes = lists.map(([name, list]) => [name, isList(list) ? list.length : 0] as const);
  if (limit.in === "each list") {
    const tooLong = sizes.filter(([, size]) => size > limit.names);
    return tooLong.map(([name]) => fieldError(at + name, `has more than ${limit.names} fields`));
  }
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  return all > limit.names ? [fieldError(at.slice(0, -1), `has more than ${limit.names} fields`)] : [];
}

/** A header is logged as it came or as it was sent on, not both. */
function bothFormsErrors(parameters: JsonObject, at: string): readonly JsonObject[] {
  return forms.flatMap(([one, other]) => {
    const names = namesIn(parameters[one]);
    const both = namesIn(parameters[other]).filter((name) => names.includes(name));
    return both.map((name) => fieldError(at + other, `${name} is in ${one} too`));
  });
}

const forms = [
  ["request_fields", "transformed_request_fields"],
  ["response_fields", "raw_response_fields"],
] as const;

function namesIn(list: Json | undefined): readonly string[] {
  return isList(list) ? list.map(nameOf) : [];
}

/** Empty for what has none. */
function nameOf(item: Json): string {
  return isObject(item) && typeof item.name === "string" ? item.name : "";
}
