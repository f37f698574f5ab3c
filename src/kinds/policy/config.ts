import { lowerAscii, parsedCsp } from "../../csp/syntax.js";
import { isObject, type JsonObject } from "../../model/json.js";
import { brokenTokens } from "./check.js";

/** What a file says of a live policy, with the CSP in the form that the file has. */
export function inDeclaredForm(config: JsonObject, declared: JsonObject | null): JsonObject {
  const { value } = config;
  if (typeof value !== "string" || !isObject(declared?.value)) return config;
  return { ...config, value: asMap(value, declared.value) ?? value };
}

/** Directives keep the spelling of their names that the map has. Null: a map cannot say it. */
function asMap(text: string, declaredMap: JsonObject): JsonObject | null {
  const [policy, another] = parsedCsp(text).policies;
  if (policy === undefined || another !== undefined) return null;
  const names = new Map(Object.keys(declaredMap).map((name) => [lowerAscii(name), name]));
  const entries = policy.directives.map(
    ({ name, written, sources }) =>
      [names.get(name) ?? written, sources.map((source) => source.text)] as const,
  );
  const map = Object.fromEntries(entries);
  const isWhole = Object.keys(map).length === entries.length && brokenTokens(map).length === 0;
  return isWhole ? map : null;
}
