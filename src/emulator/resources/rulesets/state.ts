import { equal, isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import {
  type Check,
  type Checks,
  checkAnyObject,
  checkBoolean,
  checkId,
  checkIdsDiffer,
  checkListOf,
  checkOneOf,
  checkText,
  child,
  isText,
  memberErrors,
  must,
  ofObject,
} from "../../checks.js";
import { type NewId, newIds } from "../../ids.js";
import { phases } from "./phases.js";

/** A ruleset in a seed. Unknown fields are kept and returned as they are. */
export interface RulesetSeed {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** Always `zone` for a zone. Default for an account: `managed`. */
  readonly kind?: string;
  readonly phase: string;
  readonly version?: string;
  readonly last_updated?: string;
  readonly rules?: readonly RuleSeed[];
  readonly [extra: string]: Json | readonly RuleSeed[] | undefined;
}

/** A ruleset as answers and dumps have it, with its fields in another order than in requests. */
export type Ruleset = JsonObject & {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: string;
  readonly phase: string;
  /** A number that grows with every modification of the ruleset or one of its rules. */
  readonly version: string;
  readonly rules: readonly Rule[];
};

export type Level = "zone" | "account";

/** The rulesets of one zone or account. */
export interface Rulesets {
  readonly level: Level;
  /** Each request works on a copy. */
  readonly byId: Map<string, Ruleset>;
  readonly newId: NewId;
}

/** The kinds in the published OpenAPI document. Each phase has one entry point. */
const kindsOf: {
  readonly [level in Level]: { readonly entryPoint: string; readonly all: readonly string[] };
} = {
  zone: { entryPoint: "zone", all: ["zone"] },
  account: { entryPoint: "root", all: ["managed", "custom", "root"] },
};

/** The default kind in a seed. */
const defaultKind: { readonly [level in Level]: string } = { zone: "zone", account: "managed" };

export function rulesetsFromSeed(
  seeds: readonly RulesetSeed[],
  level: Level,
  ownerId: string,
  now: Date,
): Rulesets {
  const seedIds = new Set(seeds.flatMap((seed) => [seed.id, ...(seed.rules ?? []).map((rule) => rule.id)]));
  const rulesets: Rulesets = { level, byId: new Map(), newId: newIds("ruleset", ownerId, String) };
  const identified = (id: string | undefined) =>
    id ?? rulesets.newId((each) => seedIds.has(each) || isInUse(rulesets, each));
  for (const seed of seeds) {
    const { version = "1", last_updated = timestamp(now), kind = defaultKind[level], phase, ...rest } = seed;
    const { id, name = "default", description = "", rules = [], ...extra } = rest;
    const ruleset: Ruleset = {
      version,
      phase,
      last_updated,
      id: identified(id),
      ...(extra as JsonObject), // the seed is JSON
      kind,
      description,
      name,
      rules: rules.map((rule) => ruleFromSeed(rule, identified(rule.id), timestamp(now))),
    };
    rulesets.byId.set(ruleset.id, ruleset);
  }
  return rulesets;
}

/** A ruleset before its first modification, which sets the version to 1. */
export function draftOf(name: string, kind: string, phase: string): Ruleset {
  return { version: "0", phase, last_updated: "", id: "", kind, description: "", name, rules: [] };
}

/** The next free identifier of a ruleset or rule. */
export function newId(rulesets: Rulesets): string {
  return rulesets.newId((id) => isInUse(rulesets, id));
}

function isInUse(rulesets: Rulesets, id: string): boolean {
  if (rulesets.byId.has(id)) return true;
  return [...rulesets.byId.values()].some(({ rules }) => rules.some((rule) => rule.id === id));
}

export function entryPointOf(rulesets: Rulesets, phase: string): Ruleset | undefined {
  const { entryPoint } = kindsOf[rulesets.level];
  return [...rulesets.byId.values()].find((each) => each.kind === entryPoint && each.phase === phase);
}

export function rulesetsOut(rulesets: Rulesets): readonly (RulesetSeed & JsonObject)[] {
  return [...rulesets.byId.values()].map(rulesetOut);
}

/** Users see that a ruleset without rules lacks the field. */
export function rulesetOut(ruleset: Ruleset): RulesetSeed & JsonObject {
  return ruleset.rules.length === 0 ? rulesetSummary(ruleset) : ruleset;
}

/** The ruleset in lists: without its rules. */
export function rulesetSummary({ rules: _, ...summary }: Ruleset): RulesetSeed & JsonObject {
  return summary;
}

/** A time with microseconds, as in the examples of the published OpenAPI document. */
export function timestamp(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}

/** A rule in a seed. Unknown fields are kept and returned as they are. */
export interface RuleSeed {
  readonly id?: string;
  readonly version?: string;
  readonly ref?: string;
  readonly last_updated?: string;
  readonly action: string;
  readonly [extra: string]: Json | undefined;
}

/** A rule as answers and dumps have it, with its fields in another order than in requests. */
export type Rule = JsonObject & {
  readonly id: string;
  /** The number of modifications. */
  readonly version: string;
  readonly ref: string;
  readonly action: string;
};

function ruleFromSeed(seed: RuleSeed, id: string, now: string): Rule {
  const { version = "1", last_updated = now } = seed;
  return { ...newRule(seed as RuleSeed & JsonObject, id, now), version, last_updated }; // the seed is JSON
}

/** A new rule from a request. The published OpenAPI document: `ref` defaults to the rule's id. */
export function newRule(body: JsonObject, id: string, now: string): Rule {
  const { id: _id, version: _v, ref, last_updated: _at, position: _p, action, ...definition } = body;
  return {
    version: "1",
    ref: textOr(ref, id),
    last_updated: now,
    id,
    ...reordered({ description: "", enabled: true, ...completed(action, definition) }),
    action: textOr(action, ""),
  };
}

/**
 * A rule redefined by a request. The documentation of updates: absent fields are lost. An unchanged rule keeps its
 * version.
 */
export function redefined(rule: Rule, body: JsonObject, now: string): Rule {
  const { version, last_updated = now } = rule;
  const next = newRule(body, rule.id, now);
  return equal({ ...next, version, last_updated }, rule) ? rule : { ...next, version: nextVersion(version) };
}

/** The documentation of the JSON object: versions are numbers in strings, one more with every modification. */
export function nextVersion(version: string): string {
  return String(Number(version) + 1);
}

/** With the defaults of the published OpenAPI document for an action. */
function completed(action: Json | undefined, rest: JsonObject): JsonObject {
  const { action_parameters: parameters } = rest;
  // Users see that a skip rule without `logging` logs, and that no other rule has it by default.
  if (action === "skip") return { logging: { enabled: true }, ...rest };
  // Rules that execute a ruleset always have the version `latest`.
  if (action === "execute" && isObject(parameters))
    return { ...rest, action_parameters: { ...parameters, version: "latest" } };
  return rest;
}

/** Reorders all keys, at every depth, as the service does. */
function reordered(value: JsonObject): JsonObject {
  const keys = Object.keys(value).sort().reverse();
  return Object.fromEntries(keys.map((key) => [key, reorderedJson(value[key] ?? null)]));
}

function reorderedJson(value: Json): Json {
  if (isList(value)) return value.map(reorderedJson);
  return isObject(value) ? reordered(value) : value;
}

/** A checked text, or its default. */
export function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** Checks the rulesets in a seed. */
export function checkRulesets(level: Level): Check {
  const checkRuleset = checkFields("phase", { ...rulesetFields, kind: checkOneOf(kindsOf[level].all) });
  const checkAll = checkListOf(checkRuleset, "a list of rulesets");
  return (value, pointer) => {
    const list = isList(value) ? value : [];
    const places = list.map((ruleset, index) => [ruleset, child(pointer, index)] as const);
    return [
      ...checkAll(value, pointer),
      ...checkIdsDiffer(places.flatMap(([ruleset, at]) => idsOf(ruleset, at))),
      ...checkEntryPointsDiffer(level, places),
    ];
  };
}

/** The identifiers of a ruleset and its rules. */
function idsOf(ruleset: Json, pointer: string): readonly (readonly [id: unknown, pointer: string])[] {
  if (!isObject(ruleset)) return [];
  const rules = isList(ruleset.rules) ? ruleset.rules : [];
  return [
    [ruleset.id, pointer],
    ...rules.map(
      (rule, index) => [isObject(rule) ? rule.id : undefined, `${pointer}/rules/${index}`] as const,
    ),
  ];
}

function checkEntryPointsDiffer(
  level: Level,
  places: readonly (readonly [ruleset: Json, pointer: string])[],
) {
  const { entryPoint } = kindsOf[level];
  const entryPoints = places.flatMap(([ruleset, at]) =>
    isObject(ruleset) && (ruleset.kind ?? defaultKind[level]) === entryPoint
      ? [[ruleset.phase, at] as const]
      : [],
  );
  return entryPoints
    .filter(([phase], index) => entryPoints.findIndex(([first]) => first === phase) < index)
    .map(([, at]) =>
      fieldError(child(at, "phase"), "an earlier ruleset is already the entry point of this phase."),
    );
}

/** Checks an object with a required field. Fields without a check are kept as they are. */
function checkFields(required: string, checks: Checks): Check {
  return ofObject((object, pointer) =>
    object[required] === undefined
      ? [fieldError(pointer, `the field "${required}" is missing.`)]
      : memberErrors(object, checks, pointer),
  );
}

const checkVersion = must(
  "must be a whole number in quotes.",
  (value) => isText(value) && /^\d{1,15}$/.test(value),
);

const checkRule = checkFields("action", {
  id: checkId,
  version: checkVersion,
  ref: checkText,
  last_updated: checkText,
  action: checkText,
  action_parameters: checkAnyObject,
  expression: checkText,
  description: checkText,
  enabled: checkBoolean,
});

const rulesetFields: Checks = {
  id: checkId,
  name: checkText,
  description: checkText,
  phase: checkOneOf(phases),
  version: checkVersion,
  last_updated: checkText,
  rules: checkListOf(checkRule, "a list of rules"),
};
