import { isList, isObject, type Json } from "../model/json.js";
import { type Problem, problem } from "../model/problem.js";
import { isId } from "./ids.js";

/** Checks one value of a seed; `pointer` is its place. */
export type Check = (value: Json, pointer: string) => readonly Problem[];

export function seedProblem(pointer: string, detail: string): Problem {
  const at = pointer === "" ? "the top" : pointer;
  return problem("invalid_seed", "The emulator's seed or state is not valid", `At ${at}: ${detail}`);
}

/** The JSON pointer of a member. */
export function child(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Checks an object with known keys only, each with its own check. */
export function checkObject(checks: ReadonlyMap<string, Check>): Check {
  return (value, pointer) => {
    if (!isObject(value)) return [seedProblem(pointer, "must be an object.")];
    return Object.entries(value).flatMap(([key, member]) => {
      const check = checks.get(key) ?? unknownField([...checks.keys()]);
      return check(member, child(pointer, key));
    });
  };
}

function unknownField(fields: readonly string[]): Check {
  return (_, pointer) => [seedProblem(pointer, `unknown field. Known fields: ${fields.join(", ")}.`)];
}

export const checkId: Check = (value, pointer) =>
  isId(value) ? [] : [seedProblem(pointer, typeof value === "number" ? UNQUOTED : NO_ID)];

const NO_ID = "an identifier is 32 lower-case hexadecimal digits.";
const UNQUOTED = `this is a number. ${NO_ID.replace("an", "An")} Quote it: YAML reads an unquoted identifier of digits as a number.`;

export const checkText: Check = (value, pointer) =>
  typeof value === "string" ? [] : [seedProblem(pointer, "must be a text.")];

export function checkListOf(check: Check, noun = "a list"): Check {
  return (value, pointer) =>
    isList(value)
      ? value.flatMap((item, index) => check(item, child(pointer, index)))
      : [seedProblem(pointer, `must be ${noun}.`)];
}

export const checkBoolean: Check = (value, pointer) =>
  typeof value === "boolean" ? [] : [seedProblem(pointer, "must be true or false.")];

export function checkOneOf(values: readonly string[]): Check {
  return (value, pointer) =>
    typeof value === "string" && values.includes(value)
      ? []
      : [seedProblem(pointer, `must be one of ${values.join(", ")}.`)];
}

/** Checks that identifiers differ, each given with the place of its owner. Absent ones are ignored. */
export function checkIdsDiffer(
  ids: readonly (readonly [id: unknown, pointer: string])[],
): readonly Problem[] {
  const earlier = new Set<unknown>();
  return ids.flatMap(([id, pointer]) => {
    if (id === undefined || !earlier.has(id)) {
      earlier.add(id);
      return [];
    }
    return [seedProblem(child(pointer, "id"), "duplicate identifier.")];
  });
}

/**
 * Checks a list of objects with different identifiers. Members without a check can have any value.
 *
 * @param nouns the objects in messages: `policies`, `a policy`
 */
export function checkObjects(
  [all, one]: readonly [all: string, one: string],
  checks: ReadonlyMap<string, Check>,
  required: readonly string[],
): Check {
  const checkOne: Check = (value, pointer) => {
    if (!isObject(value)) return [seedProblem(pointer, "must be an object.")];
    return [...checks].flatMap(([field, check]) => {
      const member = value[field];
      if (member !== undefined) return check(member, child(pointer, field));
      return required.includes(field) ? [seedProblem(pointer, `${one} has the field "${field}".`)] : [];
    });
  };
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
