import { isObject, type JsonObject } from "../model/json.js";
import type { At } from "./kind.js";

/** The live object after a call with this body. Fields that a body leaves out stay as they were. */
export function objectAfter(
  { partOf }: Extract<At, { as: "object" }>,
  before: JsonObject | null,
  path: string,
  body: JsonObject,
): JsonObject {
  if (partOf === undefined) return { ...before, ...body };
  const part = path.slice(path.lastIndexOf("/") + 1);
  const was = before?.[part];
  return { ...before, [part]: { ...(isObject(was) ? was : {}), ...body } };
}
