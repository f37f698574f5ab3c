import type { SealedObject } from "../../model/sealed.js";
import type { Service } from "../../model/wanted.js";
import { error } from "../finding.js";
import type { Finding } from "../kind.js";
import { withLimit } from "../limits.js";
import { FIELD_LISTS, type FieldList } from "../logged-fields.js";
import { fieldsIn } from "./field.js";

export function checkLimit(
  lists: SealedObject,
  owned: readonly FieldList[],
  service: Service,
): readonly Finding[] {
  return excesses(lists, service).map(({ list, text }) => {
    const advice = list === null ? "it, or the newer service.custom_log_fields.per_list," : "it";
    const path = list !== null && owned.includes(list) ? [list] : [];
    const detail = `Too many: ${text}. Remove some, or set ${advice} to what your account allows.`;
    return error(path, "too_many_log_fields", "More custom log fields than allowed", detail);
  });
}

/** `list`: the one that is too long; null: they are too many together. */
function excesses(
  lists: SealedObject,
  { limits, custom_log_fields: newer }: Service,
): readonly { readonly list: FieldList | null; readonly text: string }[] {
  const sizes = FIELD_LISTS.map((list) => ({ list, size: fieldsIn(lists, list).length }));
  if (newer !== null) {
    const limit = `service.custom_log_fields.per_list is ${newer.per_list}`;
    const long = sizes.filter(({ size }) => size > newer.per_list);
    return long.map(({ list, size }) => ({ list, text: `${list} has ${size} fields, and ${limit}` }));
  }
  const all = sizes.reduce((sum, { size }) => sum + size, 0);
  if (all <= limits.custom_log_fields) return [];
  const limit = `service.limits.custom_log_fields is ${limits.custom_log_fields}`;
  return [{ list: null, text: `all lists together have ${all} fields, and ${limit}` }];
}

/** A service that allows as many fields as these lists have. */
export function allowing(lists: SealedObject, service: Service): Service {
  const sizes = FIELD_LISTS.map((list) => fieldsIn(lists, list).length);
  const { custom_log_fields: newer } = service;
  if (newer !== null)
    return { ...service, custom_log_fields: { per_list: Math.max(newer.per_list, ...sizes) } };
  return withLimit(
    service,
    "custom_log_fields",
    sizes.reduce((sum, size) => sum + size, 0),
  );
}

/** What is beyond the limits; null: nothing. */
export function excessOf(lists: SealedObject, service: Service): string | null {
  return excesses(lists, service)[0]?.text ?? null;
}
