import { fromMap, oneLine } from "../../csp/syntax.js";
import { isList, isObject, type Json, type JsonObject } from "../../model/json.js";
import { remembered } from "../../model/remembered.js";

/** A declared CSP, text or map, on one line. */
export function valueText(value: Json): string {
  if (typeof value === "string") return oneLine(value);
  return isObject(value) ? mapText(value) : "";
}

const mapText = remembered((map: JsonObject) =>
  fromMap(
    Object.fromEntries(
      Object.entries(map).map(([name, list]) => [name, isList(list) ? list.map(String) : []]),
    ),
  ),
);
