import { cut } from "../../model/cut.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { isId, notAnId } from "../../model/read-api.js";
import { readFlag } from "../flag.js";

/**
 * What of a list of live policies nobody can read, as the middle of a sentence; null: nothing. A policy that is not
 * understood must not be passed over: it would be taken for absent, or for one that protects nothing.
 */
export function wrongWith(listed: readonly Json[]): string | null {
  const ids = new Set<string>();
  for (const each of listed) {
    if (!isObject(each)) return "something that is no policy";
    const { id } = each;
    if (typeof id !== "string" || !isId(id)) return `${nameOf(each)} with ${notAnId(id)}`;
    const odd = oddIn(each);
    if (odd !== null) return `${nameOf(each)}, ${id}, with ${odd}`;
    if (ids.has(id)) return `two policies with the id ${id}, of which the second is ${nameOf(each)}`;
    ids.add(id);
  }
  return null;
}

function nameOf({ description }: JsonObject): string {
  return typeof description === "string" ? `the policy ${quoted(description)}` : "a policy";
}

/** What the service leaves out, or has as null, is not there. */
function oddIn(policy: JsonObject): string | null {
  for (const [field, isReadable, form] of FORMS) {
    const value = policy[field] ?? null;
    if (value !== null && !isReadable(value)) return `the ${field} ${quoted(value)}, which is not ${form}`;
  }
  return null;
}

const isText = (value: Json) => typeof value === "string";

const FORMS: readonly (readonly [field: string, isReadable: (value: Json) => boolean, form: string])[] = [
  ["description", isText, "a text"],
  ["action", isText, "a text"],
  ["expression", isText, "a text"],
  ["value", isText, "a text"],
  ["enabled", (value) => typeof readFlag(value) === "boolean", "true or false"],
];

function quoted(value: Json): string {
  return cut(JSON.stringify(value), MAX_CHARS);
}

const MAX_CHARS = 100;
