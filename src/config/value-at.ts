import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";

/** What stands at a path; undefined: nothing does. */
export function valueAt(root: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(childOf, root);
}

export function childOf(value: Json | undefined, step: string | number): Json | undefined {
  if (isList(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
