import { DAY_PATTERN } from "../model/day.js";
import type { Schema } from "../model/declared-zone.js";
import { isList, isObject, type Json, type JsonObject, mapValues } from "../model/json.js";

/** The day on which an entry of the files expires. It is never sent to the service. */
export const until: Schema = {
  type: "string",
  pattern: DAY_PATTERN,
  description: "The expiry date, in UTC. From that day validate, plan and apply refuse the files.",
  examples: ["2026-12-31"],
};

/** A text, or a map with the text and its expiry day. */
export function orUntil(key: string, text: Schema): Schema {
  return {
    ...text,
    type: ["string", "object"],
    additionalProperties: false,
    required: [key, "until"],
    properties: { [key]: text, until },
  };
}

/** The object without expiry days. An object without any is returned itself. */
export function withoutUntil(body: JsonObject): JsonObject {
  const isDated = (value: Json) => isList(value) && value.some((each) => withoutDay(each) !== each);
  if (!("until" in body) && !Object.values(body).some(isDated)) return body;
  const { until: _, ...rest } = body;
  return mapValues(rest, (value) => (isList(value) ? value.map(withoutDay) : value));
}

/** `{ id: X, until: … }` → X. Any other entry is returned unchanged. */
export function withoutDay(entry: Json): Json {
  if (!isObject(entry) || !("until" in entry)) return entry;
  const { until: _, ...rest } = entry;
  return Object.values(rest)[0] ?? entry;
}
