import type { Kind } from "../kinds/kind.js";
import { isList, isObject, type Json, type JsonObject } from "../model/json.js";
import { secretName } from "./secret-names.js";
import type { Entry } from "./zone.js";

/** Names of secrets → what they are, as far as a file has them. */
export type Secrets = Map<string, string>;

/**
 * An object as the file has it: with references to secrets, which are added to those given.
 *
 * @param taken names that others have
 */
export function declaredBody(
  kind: Kind,
  { body, item }: Entry,
  zone: string,
  secrets: Secrets,
  taken: readonly string[] = [],
): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => {
      if (kind.sensitive[key] !== "always" || typeof value !== "string") return [key, literal(value)];
      const name = secretName([zone, item.ref.key], new Set([...taken, ...secrets.keys()]));
      secrets.set(name, value);
      return [key, `\${secret:${name}}`];
    }),
  );
}

/** A value in which nothing is taken for a reference. */
export function literal(value: Json): Json {
  if (typeof value === "string") return value.replaceAll("${", "$$${");
  if (isList(value)) return value.map(literal);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}
