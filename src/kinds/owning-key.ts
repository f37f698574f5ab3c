import type { Item } from "../model/item.js";
import { isObject, type JsonObject } from "../model/json.js";
import type { Kind } from "./kind.js";

/** A key of a declared object, and one in the map that it has. Null: there is none. */
export interface OwningKey {
  readonly key: string | null;
  readonly inner: string | null;
}

/** What in a declared object makes it own a field of the normal form. No key: its section always does. */
export function keyOwning(kind: Kind, field: string, body: JsonObject, item: Item | null): OwningKey {
  if (Object.hasOwn(kind.want({}, item), field)) return { key: null, inner: null };
  const owns = (part: JsonObject) => Object.hasOwn(kind.want(part, item), field);
  const [key = null] = Object.keys(body).filter((each) => owns({ [each]: body[each] ?? null }));
  const value = key === null ? null : body[key];
  // Some maps are one value, such as a CSP by its directives.
  if (key === null || !isObject(value) || owns({ [key]: {} })) return { key, inner: null };
  const [inner = null] = Object.keys(value).filter((each) =>
    owns({ [key]: { [each]: value[each] ?? null } }),
  );
  return { key, inner };
}
