import type { Item } from "../model/item.js";
import { isObject } from "../model/json.js";
import type { Sealed } from "../model/sealed.js";

/**
 * A live item in which nothing looks like a plan's own references to secrets or to what calls make. What the service
 * gives is anybody's data: such a map is shown and compared as text.
 */
export function harmless(item: Item): Item {
  if (!Object.values(item.normal).some(isLikeReference)) return item;
  const odd = Object.entries(item.normal).filter(([, value]) => isLikeReference(value));
  const texts = odd.map(([field, value]) => [field, JSON.stringify(value)] as const);
  return { ...item, normal: { ...item.normal, ...Object.fromEntries(texts) } };
}

function isLikeReference(value: Sealed): boolean {
  return isObject(value) && Object.keys(value).some((key) => key.startsWith("$"));
}
