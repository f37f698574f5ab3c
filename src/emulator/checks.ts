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
    if (!isObject(value)) return [seedProblem(pointer, "an object is expected here.")];
    return Object.entries(value).flatMap(([key, member]) => {
      const check = checks.get(key) ?? unknownField([...checks.keys()]);
      return check(member, child(pointer, key));
    });
  };
}

function unknownField(fields: readonly string[]): Check {
  return (_, pointer) => [
    seedProblem(pointer, `there is no field of that name here; there are ${fields.join(", ")}.`),
  ];
}

export const checkId: Check = (value, pointer) =>
  isId(value) ? [] : [seedProblem(pointer, typeof value === "number" ? UNQUOTED : NO_ID)];

const NO_ID = "an identifier is 32 lower-case hexadecimal digits.";
const UNQUOTED = `this is a number. ${NO_ID.replace("an", "An")} Put it in quotes: without them, YAML takes one for a number that is all digits, or has an e among them.`;

export const checkText: Check = (value, pointer) =>
  typeof value === "string" ? [] : [seedProblem(pointer, "a text is expected here.")];

export function checkListOf(check: Check, noun = "a list"): Check {
  return (value, pointer) =>
    isList(value)
      ? value.flatMap((item, index) => check(item, child(pointer, index)))
      : [seedProblem(pointer, `${noun} is expected here.`)];
}

export const checkBoolean: Check = (value, pointer) =>
  typeof value === "boolean" ? [] : [seedProblem(pointer, "true or false is expected here.")];

export function checkOneOf(values: readonly string[]): Check {
  return (value, pointer) =>
    typeof value === "string" && values.includes(value)
      ? []
      : [seedProblem(pointer, `one of ${values.join(", ")} is expected here.`)];
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
    return [seedProblem(child(pointer, "id"), "this identifier belongs to something that stands before.")];
  });
}
