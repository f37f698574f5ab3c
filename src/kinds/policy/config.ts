import { lowerAscii, parsedCsp } from "../../csp/syntax.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { brokenTokens } from "./check.js";

/** The fields of a policy, in the order in which files and bodies have them. */
export const FIELDS = ["description", "action", "enabled", "expression", "value"] as const;

const FIND_BY = ["id", "renamed_from"] as const;

/** What a file says of a live policy. */
export function configOf(normal: JsonObject, declared: JsonObject | null): JsonObject {
  const found = pick(declared ?? {}, FIND_BY);
  const said = pick(
    normal,
    FIELDS.filter((field) => declared === null || field in declared),
  );
  const { value } = said;
  if (typeof value !== "string" || !isObject(declared?.value)) return { ...found, ...said };
  return { ...found, ...said, value: asMap(value, declared.value) ?? value };
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): (readonly [string, Json])[] => {
      const value = from[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Directives keep the spelling of their names that the map has. Null: a map cannot say it. */
function asMap(text: string, like: JsonObject): JsonObject | null {
  const [policy, another] = parsedCsp(text).policies;
  if (policy === undefined || another !== undefined) return null;
  const names = new Map(Object.keys(like).map((name) => [lowerAscii(name), name]));
  const entries = policy.directives.map(
    ({ name, written, sources }) =>
      [names.get(name) ?? written, sources.map((source) => source.text)] as const,
  );
  const map = Object.fromEntries(entries);
  const isWhole = Object.keys(map).length === entries.length && brokenTokens(map).length === 0;
  return isWhole ? map : null;
}
