import type { Json, JsonObject } from "../../../model/json.js";
import { apiError, fieldError } from "../../answer.js";
import { entryPointOf, kindsOf, type Ruleset, type Rulesets } from "../../parts/rulesets/index.js";
import { phases } from "../../parts/rulesets/phases.js";

/** What is wrong with the body of a request that creates a ruleset, its rules aside. */
export function creationErrors(body: JsonObject, rulesets: Rulesets): readonly JsonObject[] {
  const required = ["name", "kind", "phase"];
  return [
    ...required
      .filter((field) => body[field] === undefined)
      .map((field) => fieldError(field, `${field} is required`)),
    ...unknownFields(body, [...required, "description", "rules"]),
    ...textErrors(body),
    ...(body.kind === undefined ? [] : kindErrors(body.kind, body.phase, rulesets)),
    ...(body.phase === undefined || isOneOf(phases, body.phase) ? [] : [invalid("phase", body.phase)]),
  ];
}

/** Users see this code when they create the entry point of a phase that has one. */
function kindErrors(kind: Json, phase: Json | undefined, rulesets: Rulesets): readonly JsonObject[] {
  const { all, entryPoint } = kindsOf[rulesets.level];
  if (kind === "managed" || !isOneOf(all, kind)) return [invalid("kind", kind)];
  if (kind !== entryPoint || entryPointOf(rulesets, String(phase)) === undefined) return [];
  const why = `because exceeded maximum number of ${kind} rulesets for phase ${phase}`;
  return [fieldError("kind", `'${kind}' is not a valid value for kind ${why}`, 20217)];
}

/** The same for a request that updates one: what cannot change may be given as it is. */
export function updateErrors(body: JsonObject, ruleset: Ruleset): readonly JsonObject[] {
  return [
    ...unknownFields(body, ["name", "kind", "phase", "description", "rules"]),
    ...textErrors(body),
    ...fixed("name", body.name, ruleset.name),
    ...fixed("kind", body.kind, ruleset.kind),
    ...fixed("phase", body.phase, ruleset.phase),
  ];
}

/** The same for a phase's entry point, which has its kind and phase in the path: users see both refused. */
export function entryPointErrors(body: JsonObject, ruleset: Ruleset): readonly JsonObject[] {
  return [
    ...unknownFields(body, ["name", "description", "rules"]),
    ...textErrors(body),
    ...fixed("name", body.name, ruleset.name),
  ];
}

/** Users see no pointer with it. */
function unknownFields(body: JsonObject, known: readonly string[]): readonly JsonObject[] {
  const unknown = Object.keys(body).filter((field) => !known.includes(field));
  return unknown.map((field) => apiError(`invalid JSON: unknown field ${field}`));
}

function textErrors({ name, description }: JsonObject): readonly JsonObject[] {
  return [
    ...(name === undefined || (typeof name === "string" && name !== "")
      ? []
      : [fieldError("name", "must be a string that is not empty")]),
    ...(description === undefined || typeof description === "string"
      ? []
      : [fieldError("description", "must be a string")]),
  ];
}

/** Users see this text for the name. */
function fixed(field: string, got: Json | undefined, want: string): readonly JsonObject[] {
  if (got === undefined || got === want) return [];
  return [fieldError(field, `the ${field} field cannot be modified: got ${got}, want ${want}`)];
}

function invalid(field: string, value: Json): JsonObject {
  return fieldError(field, `'${value}' is not a valid value for ${field}`);
}

function isOneOf(values: readonly string[], value: Json): boolean {
  return typeof value === "string" && values.includes(value);
}
