import type { Json, JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";

export interface ValueCheck {
  readonly isRight: (value: Json) => boolean;
  /** The rest of a sentence about a value that is not right. */
  readonly wanted: string;
}

/** What is wrong with those values of an object that are checked and given; `at` is what stands before the names. */
export function valueErrors(
  object: JsonObject,
  checks: ReadonlyMap<string, ValueCheck>,
  at: string,
): readonly JsonObject[] {
  return [...checks].flatMap(([name, { isRight, wanted }]) => {
    const value = object[name];
    return value === undefined || isRight(value) ? [] : [fieldError(at + name, wanted)];
  });
}

export function isText(value: unknown): boolean {
  return typeof value === "string";
}

export function isFilledText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

export function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}
