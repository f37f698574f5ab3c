import type { Json, JsonObject } from "../model/json.js";
import { fieldError } from "./answer.js";
import type { Habits } from "./dialect.js";

/** What is wrong with the body of a request that creates or updates a policy; `required` are the fields it must have. */
export function policyErrors(
  body: JsonObject,
  required: readonly string[],
  habits: Habits,
): readonly JsonObject[] {
  const missing = required.filter((field) => !Object.hasOwn(body, field));
  return [
    ...missing.map((field) => fieldError(field, `${field} is required`)),
    ...Object.entries(body).flatMap(([field, value]) => {
      const check = checks.get(field) ?? unknownField;
      return check(field, value, habits);
    }),
  ];
}

type FieldCheck = (field: string, value: Json, habits: Habits) => readonly JsonObject[];

const unknownField: FieldCheck = (field) => [fieldError(field, "unknown field")];

const description: FieldCheck = (field, value) =>
  typeof value === "string" ? [] : [fieldError(field, "must be a string")];

const action: FieldCheck = (field, value, habits) =>
  typeof value === "string" && habits.policyActions.includes(value)
    ? []
    : [fieldError(field, `must be one of ${habits.policyActions.join(", ")}`)];

const enabled: FieldCheck = (field, value, habits) =>
  habits.enabledIn(value) === null ? [fieldError(field, "must be true or false")] : [];

/** Codes and the length are those that users of the rulesets endpoints see for the same language. */
const expression: FieldCheck = (field, value) => {
  if (typeof value !== "string") return [fieldError(field, "must be a string")];
  if (value.trim() === "") return [fieldError(field, "expression cannot be blank", 20125)];
  if (value.length <= 4096) return [];
  return [fieldError(field, `expression size ${value.length} exceeds the maximum of 4096`, 20127)];
};

/** The greatest length is in the release notes of the service's documentation. */
const value: FieldCheck = (field, text) => {
  if (typeof text !== "string") return [fieldError(field, "must be a string")];
  if (text.trim() === "") return [fieldError(field, "value cannot be blank")];
  if (text.length > 6000) return [fieldError(field, "value is longer than 6000 characters")];
  return isOnlyKnownDirectives(text) ? [] : [fieldError(field, "unknown directive")];
};

const checks: ReadonlyMap<string, FieldCheck> = new Map([
  ["description", description],
  ["action", action],
  ["expression", expression],
  ["enabled", enabled],
  ["value", value],
]);

/**
 * Users see "unknown directive" for a value of more than one line, so a space is the only separator that is sure
 * to be understood; the emulator takes one of it and nothing else.
 */
function isOnlyKnownDirectives(text: string): boolean {
  if (/[\t\r\n]| {2}/.test(text)) return false;
  const names = text.split(";").map((each) => each.trim().split(" ")[0] ?? "");
  return names.every((name) => name === "" || directives.has(name.toLowerCase()));
}

/** The list is in the service's documentation of CSP directives. */
const directives: ReadonlySet<string> = new Set([
  "script-src",
  "connect-src",
  "default-src",
  "img-src",
  "style-src",
  "font-src",
  "object-src",
  "media-src",
  "child-src",
  "form-action",
  "worker-src",
  "base-uri",
  "manifest-src",
  "frame-src",
  "frame-ancestors",
  "upgrade-insecure-requests",
]);
