import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { type FieldError, fieldError } from "./answer.js";
import { isId } from "./ids.js";

/** Checks a value of a request, a seed or faults; `pointer` is its place. */
export type Check = (value: Json, pointer: string) => readonly FieldError[];

export interface Checks {
  readonly [field: string]: Check;
}

/** The JSON pointer of a member. */
export function child(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function must(message: string, isRight: (value: Json) => boolean): Check {
  return (value, pointer) => (isRight(value) ? [] : [fieldError(pointer, message)]);
}

export function orNull(check: Check): Check {
  return (value, pointer) => (value === null ? [] : check(value, pointer));
}

export function isText(value: Json | undefined): value is string {
  return typeof value === "string";
}

export function isFilledText(value: Json | undefined): value is string {
  return isText(value) && value !== "";
}

export function isBoolean(value: Json | undefined): value is boolean {
  return typeof value === "boolean";
}

/** Checks of requests. */
export const anyText = must("must be a string", isText);
export const filledText = must("must be a string that is not empty", isFilledText);
export const anyFlag = must("must be true or false", isBoolean);

/** Errors of all members of a request's object: one without a check is unknown. */
export function bodyErrors(
  body: JsonObject,
  checks: Checks,
  required: readonly string[] = [],
  pointer = "",
): readonly FieldError[] {
  return [
    ...missingErrors(body, required, pointer),
    ...Object.entries(body).flatMap(([field, value]) => {
      const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
      return (check ?? unknownField)(value, child(pointer, field));
    }),
  ];
}

const unknownField = must("unknown field", () => false);

export function missingErrors(
  body: JsonObject,
  required: readonly string[],
  pointer = "",
): readonly FieldError[] {
  return required
    .filter((field) => !Object.hasOwn(body, field))
    .map((field) => fieldError(child(pointer, field), `${field} is required`));
}

/** Errors of the members with a check. Others can have any value. */
export function memberErrors(object: JsonObject, checks: Checks, pointer = ""): readonly FieldError[] {
  return Object.entries(checks).flatMap(([field, check]) => {
    const value = object[field];
    return value === undefined ? [] : check(value, child(pointer, field));
  });
}

/** The problem of a seed. */
export function seedProblem({ message, source }: FieldError): Problem {
  return problem(
    "invalid_seed",
    "The emulator's seed or state is not valid",
    placed(message, source.pointer),
  );
}

/** An error with its place, in a sentence. */
export function placed(message: string, pointer: string): string {
  return `At ${pointer === "" ? "the top" : pointer}: ${message}`;
}

/** Checks an object of a file with known members only. */
export function checkObject(checks: Checks): Check {
  const unknown = must(`unknown field. Known fields: ${Object.keys(checks).join(", ")}.`, () => false);
  return ofObject((object, pointer) =>
    Object.entries(object).flatMap(([key, member]) => {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      return (check ?? unknown)(member, child(pointer, key));
    }),
  );
}

export function ofObject(check: (object: JsonObject, pointer: string) => readonly FieldError[]): Check {
  return (value, pointer) => (isObject(value) ? check(value, pointer) : checkAnyObject(value, pointer));
}

export const checkAnyObject = must("must be an object.", isObject);

export const checkId: Check = (value, pointer) =>
  isId(value) ? [] : [fieldError(pointer, typeof value === "number" ? UNQUOTED : NO_ID)];

const NO_ID = "an identifier is 32 lower-case hexadecimal digits.";
const UNQUOTED = `this is a number. ${NO_ID.replace("an", "An")} Quote it: YAML reads an unquoted identifier of digits as a number.`;

export const checkText = must("must be a text.", isText);

export const checkBoolean = must("must be true or false.", isBoolean);

export const checkCount = must(
  "must be a whole number from 1 up.",
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
);

export function checkListOf(check: Check, noun = "a list"): Check {
  return (value, pointer) =>
    isList(value)
      ? value.flatMap((item, index) => check(item, child(pointer, index)))
      : [fieldError(pointer, `must be ${noun}.`)];
}

export function checkOneOf(values: readonly string[]): Check {
  return must(`must be one of ${values.join(", ")}.`, (value) => isText(value) && values.includes(value));
}

/** Checks that identifiers differ, each given with the place of its owner. Absent ones are ignored. */
export function checkIdsDiffer(
  ids: readonly (readonly [id: unknown, pointer: string])[],
): readonly FieldError[] {
  const earlier = new Set<unknown>();
  return ids.flatMap(([id, pointer]) => {
    if (id !== undefined && earlier.has(id))
      return [fieldError(child(pointer, "id"), "duplicate identifier.")];
    earlier.add(id);
    return [];
  });
}

/**
 * Checks a list of objects with different identifiers. Members without a check can have any value.
 *
 * @param nouns the objects in messages: `policies`, `a policy`
 */
export function checkObjects(
  [all, one]: readonly [all: string, one: string],
  checks: Checks,
  required: readonly string[],
): Check {
  const checkOne = ofObject((object, pointer) => [
    ...required
      .filter((field) => object[field] === undefined)
      .map((field) => fieldError(pointer, `${one} must have the field "${field}".`)),
    ...memberErrors(object, checks, pointer),
  ]);
  const checkAll = checkListOf(checkOne, `a list of ${all}`);
  return (value, pointer) => [
    ...checkAll(value, pointer),
    ...checkIdsDiffer(
      (isList(value) ? value : []).map((each, index) => [
        isObject(each) ? each.id : undefined,
        child(pointer, index),
      ]),
    ),
  ];
}
