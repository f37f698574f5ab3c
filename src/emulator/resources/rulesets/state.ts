import { isList, isObject, type Json, type JsonObject } from "../../../model/json.js";
import {
  type Check,
  checkBoolean,
  checkId,
  checkIdsDiffer,
  checkListOf,
  checkOneOf,
  checkText,
  child,
  seedProblem,
} from "../../checks.js";
import { idOf } from "../../ids.js";
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

export interface Ruleset {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly kind: string;
  readonly phase: string;
  /** A number that grows with every modification of the ruleset or one of its rules. */
  readonly version: string;
  readonly lastUpdated: string;
  readonly rules: readonly Rule[];
  readonly extra: JsonObject;
}

export type Level = "zone" | "account";

/** The rulesets of one zone or account. Only the rulesets routes change them. */
export interface Rulesets {
  readonly level: Level;
  readonly ownerId: string;
  readonly byId: Map<string, Ruleset>;
  /** The number of identifiers made here. */
  idCount: number;
}

/** The kinds in the published OpenAPI document. Each phase has one entry point. */
export const kindsOf: {
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
  const rulesets: Rulesets = { level, ownerId, byId: new Map(), idCount: 0 };
  const identified = (id: string | undefined) => id ?? newId(rulesets, seedIds);
  for (const seed of seeds) {
    const { id: _, name, description, kind, phase, version, last_updated, rules = [], ...extra } = seed;
    const ruleset: Ruleset = {
      id: identified(seed.id),
      name: name ?? "default",
      description: description ?? "",
      kind: kind ?? defaultKind[level],
      phase,
      version: version ?? "1",
      lastUpdated: last_updated ?? timestamp(now),
      rules: rules.map((rule) => ruleFromSeed(rule, identified(rule.id), timestamp(now))),
      extra: JSON.parse(JSON.stringify(extra)),
    };
    rulesets.byId.set(ruleset.id, ruleset);
  }
  return rulesets;
}

/** The next free identifier of a ruleset or rule: always the same sequence. */
export function newId(rulesets: Rulesets, inUse: ReadonlySet<string | undefined> = new Set()): string {
  for (;;) {
    rulesets.idCount += 1;
    const id = idOf("ruleset", rulesets.ownerId, rulesets.idCount);
    if (!inUse.has(id) && !isInUse(rulesets, id)) return id;
  }
}

function isInUse(rulesets: Rulesets, id: string): boolean {
  if (rulesets.byId.has(id)) return true;
  return [...rulesets.byId.values()].some(({ rules }) => rules.some((rule) => rule.id === id));
}

export function entryPointOf(rulesets: Rulesets, phase: string): Ruleset | undefined {
  const { entryPoint } = kindsOf[rulesets.level];
  return [...rulesets.byId.values()].find((each) => each.kind === entryPoint && each.phase === phase);
}

/** The ruleset after a modification, with the next version. */
export function modified(
  ruleset: Ruleset,
  change: Partial<Pick<Ruleset, "description" | "rules">>,
  now: string,
): Ruleset {
  return { ...ruleset, ...change, version: nextVersion(ruleset.version), lastUpdated: now };
}

export function rulesetsOut(rulesets: Rulesets): readonly (RulesetSeed & JsonObject)[] {
  return [...rulesets.byId.values()].map(rulesetOut);
}

/** The ruleset in answers and dumps. Users see that a ruleset without rules lacks the field. */
export function rulesetOut(ruleset: Ruleset): RulesetSeed & JsonObject {
  const summary = rulesetSummary(ruleset);
  return ruleset.rules.length === 0 ? summary : { ...summary, rules: ruleset.rules.map(ruleOut) };
}

/** The ruleset in lists: without its rules. */
export function rulesetSummary(ruleset: Ruleset): RulesetSeed & JsonObject {
  const { phase, version, lastUpdated, id, extra, kind, description, name } = ruleset;
  return { version, phase, last_updated: lastUpdated, id, ...extra, kind, description, name };
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

export interface Rule {
  readonly id: string;
  /** The number of modifications. */
  readonly version: string;
  readonly ref: string;
  readonly lastUpdated: string;
  readonly action: string;
  /** All other fields, with defaults. */
  readonly definition: JsonObject;
}

function ruleFromSeed(seed: RuleSeed, id: string, now: string): Rule {
  const definition = definitionOf(JSON.parse(JSON.stringify(seed)));
  const { version = "1", ref = id, last_updated: lastUpdated = now, action } = seed;
  return { id, version, ref, lastUpdated, action, definition };
}

/** A new rule from a request. The published OpenAPI document: `ref` defaults to the rule's id. */
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
 * A rule redefined by a request. The documentation of updates: absent fields are lost. An unchanged rule keeps its
 * version.
 */
export function redefined(rule: Rule, body: JsonObject, now: string): Rule {
  const next = newRule(body, rule.id, now);
  return isSameRule(rule, next) ? rule : { ...next, version: nextVersion(rule.version) };
}

function isSameRule(a: Rule, b: Rule): boolean {
  const defined = ({ ref, action, definition }: Rule) => JSON.stringify([ref, action, definition]);
  return defined(a) === defined(b);
}

/** The documentation of the JSON object: versions are numbers in strings, one more with every modification. */
function nextVersion(version: string): string {
  return String(Number(version) + 1);
}

/** The rule in answers and dumps: with its keys in another order than in requests. */
export function ruleOut(rule: Rule): RuleSeed & JsonObject {
  const { version, ref, lastUpdated, id, definition, action } = rule;
  return { version, ref, last_updated: lastUpdated, id, ...definition, action };
}

/** The fields of a rule besides its action, with the defaults of the published OpenAPI document. */
function definitionOf(raw: JsonObject): JsonObject {
  const { id: _id, version: _v, ref: _ref, last_updated: _at, position: _p, action, ...rest } = raw;
  return reordered({ description: "", enabled: true, ...completed(action, rest) });
}

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
  const checkRuleset = checkFields("phase", [...rulesetFields, ["kind", checkOneOf(kindsOf[level].all)]]);
  return (value, pointer) => {
    if (!isList(value)) return [seedProblem(pointer, "must be a list of rulesets.")];
    const places = value.map((ruleset, index) => [ruleset, child(pointer, index)] as const);
    return [
      ...places.flatMap(([ruleset, at]) => checkRuleset(ruleset, at)),
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
      seedProblem(child(at, "phase"), "an earlier ruleset is already the entry point of this phase."),
    );
}

/** Checks an object with a required field. Fields without a check are kept as they are. */
function checkFields(required: string, checks: readonly (readonly [field: string, check: Check])[]): Check {
  return (value, pointer) => {
    if (!isObject(value)) return [seedProblem(pointer, "must be an object.")];
    if (value[required] === undefined) return [seedProblem(pointer, `the field "${required}" is missing.`)];
    return checks.flatMap(([field, check]) => {
      const member = value[field];
      return member === undefined ? [] : check(member, child(pointer, field));
    });
  };
}

const checkVersion: Check = (value, pointer) =>
  typeof value === "string" && /^\d{1,15}$/.test(value)
    ? []
    : [seedProblem(pointer, "must be a whole number in quotes.")];

const checkParameters: Check = (value, pointer) =>
  isObject(value) ? [] : [seedProblem(pointer, "must be an object.")];

const checkRule = checkFields("action", [
  ["id", checkId],
  ["version", checkVersion],
  ["ref", checkText],
  ["last_updated", checkText],
  ["action", checkText],
  ["action_parameters", checkParameters],
  ["expression", checkText],
  ["description", checkText],
  ["enabled", checkBoolean],
]);

const rulesetFields: readonly (readonly [field: string, check: Check])[] = [
  ["id", checkId],
  ["name", checkText],
  ["description", checkText],
  ["phase", checkOneOf(phases)],
  ["version", checkVersion],
  ["last_updated", checkText],
  ["rules", checkListOf(checkRule, "a list of rules")],
];
