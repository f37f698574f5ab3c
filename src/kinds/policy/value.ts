import { fromMap, oneLine } from "../../csp/index.js";
import { isList, isObject, type Json } from "../../model/json.js";

/** A declared CSP, text or map, on one line. */
export function valueText(value: Json): string {
  if (typeof value === "string") return oneLine(value);
  const sources = Object.entries(isObject(value) ? value : {});
  return fromMap(
    Object.fromEntries(sources.map(([name, list]) => [name, isList(list) ? list.map(String) : []])),
  );
}
