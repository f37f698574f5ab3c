import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";

/** A rule as a seed has it. Fields that are not named here are kept and given back as they are. */
export interface RuleSeed {
  readonly id?: string;
  readonly version?: string;
  readonly ref?: string;
  readonly last_updated?: string;
  readonly action: string;
  readonly [extra: string]: Json | undefined;
}

export interface Rule {
  readonly id: string;
  /** A number: rules count how often they were modified. */
  readonly version: string;
  readonly ref: string;
  readonly lastUpdated: string;
  readonly action: string;
  /** All other fields, the defaults filled in. */
  readonly definition: JsonObject;
}

export function ruleFromSeed(seed: RuleSeed, id: string, now: string): Rule {
  const definition = definitionOf(JSON.parse(JSON.stringify(seed)));
  const { version = "1", ref = id, last_updated: lastUpdated = now, action } = seed;
  return { id, version, ref, lastUpdated, action, definition };
}

/** A rule that a request makes; `ref` is the rule's id by default, says the published OpenAPI document. */
export function newRule(body: JsonObject, id: string, now: string): Rule {
  return {
    id,
    version: "1",
    ref: textOr(body.ref, id),
    lastUpdated: now,
    action: textOr(body.action, ""),
    definition: definitionOf(body),
  };
}

/**
 * The rule as a request defines it anew. What the body leaves out is lost, says the documentation of updates; a rule
 * that stays as it is keeps its version.
 */
export function redefined(rule: Rule, body: JsonObject, now: string): Rule {
  const next = newRule(body, rule.id, now);
  return isSameRule(rule, next) ? rule : { ...next, version: nextVersion(rule.version) };
}

function isSameRule(one: Rule, other: Rule): boolean {
  const defined = ({ ref, action, definition }: Rule) => JSON.stringify([ref, action, definition]);
  return defined(one) === defined(other);
}

/** Versions are numbers as texts, one more with every modification, says the documentation of the JSON object. */
export function nextVersion(version: string): string {
  return String(Number(version) + 1);
}

/** The rule as answers and dumps have it: with its keys in another order than they were sent in. */
export function ruleOut(rule: Rule): RuleSeed & JsonObject {
  const { version, ref, lastUpdated, id, definition, action } = rule;
  return { version, ref, last_updated: lastUpdated, id, ...definition, action };
}

/** What a rule says besides its action, with the defaults of the published OpenAPI document. */
function definitionOf(raw: JsonObject): JsonObject {
  const { id: _id, version: _v, ref: _ref, last_updated: _at, position: _p, action, ...rest } = raw;
  return reordered({ description: "", enabled: true, ...completed(action, rest) });
}

function completed(action: Json | undefined, rest: JsonObject): JsonObject {
  const { action_parameters: parameters } = rest;
  // Users see that a skip rule without `logging` logs, and that no other rule has it by default.
  if (action === "skip") return { logging: { enabled: true }, ...rest };
  // Rules that execute a ruleset come with the version `latest`, and no other one can be set.
  if (action === "execute" && isObject(parameters))
    return { ...rest, action_parameters: { ...parameters, version: "latest" } };
  return rest;
}

/** All keys, at every depth, in an order of the service's own. */
function reordered(value: JsonObject): JsonObject {
  const keys = Object.keys(value).sort().reverse();
  return Object.fromEntries(keys.map((key) => [key, reorderedJson(value[key] ?? null)]));
}

function reorderedJson(value: Json): Json {
  if (isList(value)) return value.map(reorderedJson);
  return isObject(value) ? reordered(value) : value;
}

/** A text of a body that has been checked, or what holds where it is not given. */
export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
