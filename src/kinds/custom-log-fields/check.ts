import type { Item } from "../../model/item.js";
import { isList, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Service } from "../../model/wanted.js";
import { diffFields } from "../fields.js";
import { error } from "../finding.js";
import type { Finding } from "../kind.js";
import { FIELD_LISTS, type FieldList } from "../logged-fields.js";
import { checkLimit } from "./check-limit.js";
import { checkNames } from "./check-names.js";
import { fieldsIn } from "./field.js";
import { meanings, normalFrom } from "./rule.js";

/** What can be said offline about the declared lists, beyond their shape. */
export function checkDeclared(declared: JsonObject, service: Service): readonly Finding[] {
  if (declared.ensure === "absent") return [];
  const lists = FIELD_LISTS.filter((list) => isList(declared[list]));
  if (lists.length === 0) {
    const detail = `At least one of ${FIELD_LISTS.join(", ")} is needed. To remove the fields that are live, write ensure: absent.`;
    return [error([], "no_log_fields", "No custom log fields", detail)];
  }
  return [
    ...lists.flatMap((list) => checkNames(declared, list)),
    ...checkForms(declared, lists),
    ...checkLimit(declared, lists, service),
  ];
}

/**
 * The same of the lists as they would be, those that the file does not name as they are live. What stays as it is
 * was accepted once.
 */
export function checkWhole(want: Item, service: Service): readonly Finding[] {
  const live = want.raw === null ? null : normalFrom(want.raw);
  if (live !== null && diffFields(live, want.normal, meanings).length === 0) return [];
  const owns = typeof want.owns === "string" ? [] : want.owns;
  const owned = FIELD_LISTS.filter((list) => owns.includes(list));
  if (FIELD_LISTS.every((list) => fieldsIn(want.normal, list).length === 0)) {
    const detail = "Every list would be empty. To remove the rule, write ensure: absent in their place.";
    return [error([], "no_log_fields", "No custom log fields", detail)];
  }
  return [...checkForms(want.normal, owned), ...checkLimit(want.normal, owned, service)];
}

/**
 * A header is logged in one of its two forms, as it came or as it goes on, says the documentation. What is live in
 * lists that the file does not name is not judged.
 */
function checkForms(lists: SealedObject, owned: readonly FieldList[]): readonly Finding[] {
  return FORMS.filter((pair) => pair.some((list) => owned.includes(list))).flatMap(([one, other]) => {
    const first = fieldsIn(lists, one).map(({ name }) => name);
    const second = fieldsIn(lists, other).map(({ name }) => name);
    const both = second.filter((name) => first.includes(name));
    return both.map((name) => {
      const detail = `${JSON.stringify(name)} stands in ${one} and in ${other}: a header can be logged in one of its two forms. Keep it in one of them.`;
      const path = owned.includes(other) ? [other, second.indexOf(name)] : [one, first.indexOf(name)];
      return error(path, "log_field_both_forms", "A header in both of its forms", detail);
    });
  });
}

const FORMS: readonly (readonly [FieldList, FieldList])[] = [
  ["request_fields", "transformed_request_fields"],
  ["response_fields", "raw_response_fields"],
];
