import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { expressionMeaning } from "../expression.js";
import type { Meanings } from "../fields.js";
import { readFlag, writeFlag } from "../flag.js";
import { FIELD_LISTS } from "../logged-fields.js";
import { carried } from "../phase.js";
import { type Field, fieldBody, fieldFrom, fieldsIn, listMeanings, normalField } from "./field.js";

export const ACTION = "log_custom_field";
export const DESCRIPTION = "Custom log fields";

/** What makes two rules the same. */
export const meanings: Meanings = { ...listMeanings, expression: expressionMeaning };

/** A live rule's normal form; null: its lists cannot be read. A list that is empty counts as one that is not there. */
export function normalFrom(rule: JsonObject): JsonObject | null {
  const parameters = rule.action_parameters ?? {};
  if (!isObject(parameters)) return null;
  // A rule is enabled where it does not say so: the default of the published schema.
  const normal: Record<string, Json> = { enabled: readFlag(rule.enabled ?? true) };
  if (typeof rule.expression === "string") normal.expression = rule.expression;
  for (const list of FIELD_LISTS) {
    const items = parameters[list] ?? [];
    if (!isList(items)) return null;
    const fields = items.flatMap((item) => fieldFrom(item) ?? []);
    if (fields.length < items.length) return null;
    if (fields.length > 0) normal[list] = fields.map(normalField);
  }
  return normal;
}

export function newRule(normal: SealedObject): JsonObject {
  return {
    action: ACTION,
    expression: "true",
    description: DESCRIPTION,
    enabled: true,
    action_parameters: listsOf({}, normal, FIELD_LISTS),
  };
}

/** The live rule with what the file owns; everything else in it is carried over. */
export function changedRule(rule: JsonObject, normal: SealedObject, changed: readonly string[]): JsonObject {
  const parameters = isObject(rule.action_parameters) ? rule.action_parameters : {};
  return {
    ...carried(rule),
    expression: "true",
    enabled: writeFlag(true, rule.enabled),
    action_parameters: listsOf(parameters, normal, changed),
  };
}

/** Parameters with these lists as the normal form has them. Empty lists are left out: the schema refuses them. */
function listsOf(parameters: JsonObject, normal: SealedObject, changed: readonly string[]): JsonObject {
  const next: Record<string, Json> = { ...parameters };
  for (const list of FIELD_LISTS) {
    const before = isList(next[list]) ? next[list] : [];
    const items = changed.includes(list) ? itemsOf(before, fieldsIn(normal, list)) : before;
    if (items.length > 0) next[list] = items;
    else delete next[list];
  }
  return next;
}

/** Fields that stay keep their place and what else is said of them; new ones come last. */
function itemsOf(before: readonly Json[], fields: readonly Field[]): readonly Json[] {
  const waiting = new Map(fields.map((field) => [field.name, field]));
  const kept = before.flatMap((item) => {
    const name = fieldFrom(item)?.name ?? "";
    const field = waiting.get(name);
    waiting.delete(name);
    return field === undefined ? [] : [changedItem(item, field)];
  });
  return [...kept, ...[...waiting.values()].map(fieldBody)];
}

function changedItem(item: Json, field: Field): Json {
  if (!isObject(item) || fieldFrom(item)?.preserveDuplicates === field.preserveDuplicates) return item;
  const { preserve_duplicates: _, ...rest } = item;
  return { ...rest, ...fieldBody(field) };
}
