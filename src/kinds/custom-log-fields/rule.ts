import { isCredentialName } from "../../model/credential-names.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import type { Sealed, SealedObject } from "../../model/sealed.js";
import { expressionField } from "../expression.js";
import { type Field, type Fields, readFlag, setField, writeFlag } from "../fields.js";
import { FIELD_LISTS } from "../logged-fields.js";
import { parametersOf } from "../phase.js";

/** A logged header or cookie. */
interface LoggedField {
  readonly name: string;
  /** Whether all values of a repeated header are logged, not only the first. */
  readonly preserveDuplicates: boolean;
}

/** A field in the form of files, the service or the normal form. Null: not a field. */
export function fieldFrom(value: Sealed): LoggedField | null {
  if (typeof value === "string") return { name: value, preserveDuplicates: false };
  if (!isObject(value) || typeof value.name !== "string") return null;
  return { name: value.name, preserveDuplicates: readFlag(value.preserve_duplicates ?? false) === true };
}

/** The normal form: a name, or an object if duplicates are preserved. */
export function normalField({ name, preserveDuplicates }: LoggedField): Json {
  return preserveDuplicates ? { name, preserve_duplicates: true } : name;
}

/** The fields of one list. Empty: no such list. */
export function fieldsIn(lists: SealedObject, list: string): readonly LoggedField[] {
  const value = lists[list];
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: Sealed) => fieldFrom(entry) ?? []);
}

function wordsFor({ name, preserveDuplicates }: LoggedField): string {
  return preserveDuplicates ? `${name} (with duplicates)` : name;
}

/** The order in a list of fields has no meaning. */
const listField: Field = {
  canonical: setField.canonical,
  parts: (before, after) => setField.parts(wordsIn(before), wordsIn(after)),
  show: (value) => (isList(value) ? wordsIn(value).join(", ") : null),
};

function wordsIn(value: Sealed): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: Sealed) => fieldFrom(entry) ?? []).map(wordsFor);
}

/** The logged fields without repetition: `request_fields content-type`. */
export function allFields(lists: SealedObject): readonly string[] {
  return fieldsWhere(lists, () => true);
}

/** The logged fields that usually carry credentials. */
export function credentialFields(lists: SealedObject): readonly string[] {
  return fieldsWhere(lists, ({ name }) => isCredentialName(name, "field"));
}

function fieldsWhere(lists: SealedObject, isIncluded: (field: LoggedField) => boolean): readonly string[] {
  return FIELD_LISTS.flatMap((list) =>
    fieldsIn(lists, list)
      .filter(isIncluded)
      .flatMap((field) => [
        `${list} ${field.name}`,
        ...(field.preserveDuplicates ? [`${list} ${wordsFor(field)}`] : []),
      ]),
  );
}

/** A field in the service's form. */
function fieldBody({ name, preserveDuplicates }: LoggedField): JsonObject {
  return preserveDuplicates ? { name, preserve_duplicates: true } : { name };
}

export const ACTION = "log_custom_field";
export const DESCRIPTION = "Custom log fields";

export const fields: Fields = {
  ...Object.fromEntries(FIELD_LISTS.map((list) => [list, listField])),
  expression: expressionField,
};

/** A live rule in the normal form. Null: its lists cannot be read. An empty list counts as absent. */
export function normalFrom(rule: JsonObject): JsonObject | null {
  const parameters = rule.action_parameters ?? {};
  if (rule.action !== ACTION || !isObject(parameters)) return null;
  // Absent means enabled: the default of the published schema.
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

/** The rule to send, with the declared fields. The rest of the rule stays unchanged. */
export function changedRule(rule: JsonObject, normal: SealedObject, changed: readonly string[]): JsonObject {
  return {
    ...rule,
    expression: "true",
    enabled: writeFlag(true, rule.enabled),
    action_parameters: listsOf(parametersOf(rule), normal, changed),
  };
}

/** The parameters with the changed lists. Empty lists are left out, because the schema forbids them. */
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

/** Remaining fields keep their place and their other settings. New fields come last. */
function itemsOf(before: readonly Json[], fields: readonly LoggedField[]): readonly Json[] {
  const waiting = new Map(fields.map((field) => [field.name, field]));
  const keptItems = before.flatMap((item) => {
    const name = fieldFrom(item)?.name ?? "";
    const field = waiting.get(name);
    waiting.delete(name);
    return field === undefined ? [] : [changedItem(item, field)];
  });
  return [...keptItems, ...[...waiting.values()].map(fieldBody)];
}

function changedItem(item: Json, field: LoggedField): Json {
  if (!isObject(item) || fieldFrom(item)?.preserveDuplicates === field.preserveDuplicates) return item;
  const { preserve_duplicates: _, ...rest } = item;
  return { ...rest, ...fieldBody(field) };
}
