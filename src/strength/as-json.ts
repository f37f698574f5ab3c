import { isObject, type Json, type JsonObject } from "../model/json.js";

/** A request in JSON, for people to look at; null where it is too long for that, or has a number that JSON has not. */
export function asJsonObject(request: Readonly<Record<string, unknown>>): JsonObject | null {
  return isJson(request) && isObject(request) && JSON.stringify(request).length <= MOST_CHARS
    ? request
    : null;
}

const MOST_CHARS = 2_000;

function isJson(value: unknown): value is Json {
  if (value === null || ["string", "boolean", "number"].includes(typeof value)) return true;
  return typeof value === "object" && Object.values(value).every(isJson);
}
