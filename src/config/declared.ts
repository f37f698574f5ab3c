import type { Kind } from "../kinds/kind.js";
import { isList, isObject, type JsonObject } from "../model/json.js";
import type { Declared } from "../model/wanted.js";

/** The objects of a kind that a zone's merged sections declare. */
export function declaredIn(kind: Kind, sections: JsonObject): readonly Declared[] {
  const section = sections[kind.section];
  if (kind.shape.as === "one") return isObject(section) ? [{ path: [kind.section], body: section }] : [];
  if (!isList(section)) return [];
  return section.flatMap((body, index) => (isObject(body) ? [{ path: [kind.section, index], body }] : []));
}
