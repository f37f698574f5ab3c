import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { keyText, valueText } from "./value-text.js";

/** An item of a block list, a map in lines of its own. */
export function itemLines(item: Json, indent: string): readonly string[] {
  if (!isObject(item) || Object.keys(item).length === 0) return [`${indent}- ${valueText(item, "block")}`];
  return pairLines(item, `${indent}  `).map((line, index) =>
    index === 0 ? `${indent}- ${line.slice(indent.length + 2)}` : line,
  );
}

/** Pairs of a block map. */
export function pairLines(map: JsonObject, indent: string): readonly string[] {
  return Object.entries(map).map(
    ([key, value]) => `${indent}${keyText(key, "block")}: ${valueText(value, "block")}`,
  );
}
