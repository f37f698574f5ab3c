import { isSame } from "../diff/fields.js";
import { kinds } from "../kinds/index.js";
import type { Item } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import { isSecret, isSensitive } from "../model/sealed.js";

/**
 * The fields in which an object, as the service gives it, does not mean what an item says. What is secret does not
 * count. Objects that calls of their own make or change are read without what is around them.
 */
export function fieldsUnlike(raw: JsonObject, { ref, normal }: Item): readonly string[] {
  const kind = kinds.find(({ name }) => name === ref.kind);
  const now = kind?.normalOf(raw, {}, []) ?? {};
  return Object.entries(normal).flatMap(([field, value]) => {
    const meaning = kind?.meanings[field];
    if (isSecret(value) || isSensitive(value) || meaning?.writeOnly === true) return [];
    return isSame(now[field] ?? null, value, meaning) ? [] : [field];
  });
}
