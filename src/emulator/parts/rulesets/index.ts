import type { Json, JsonObject } from "../../../model/json.js";
import { idOf } from "../../ids.js";
import { nextVersion, type Rule, type RuleSeed, ruleFromSeed, ruleOut } from "./rules.js";

/** A ruleset as a seed has it. Fields that are not named here are kept and given back as they are. */
export interface RulesetSeed {
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  /** A zone's rulesets are of the kind `zone`; an account's, when absent, of the kind `managed`. */
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
  /** A number, one more with every modification of the ruleset or of a rule in it. */
  readonly version: string;
  readonly lastUpdated: string;
  readonly rules: readonly Rule[];
  readonly extra: JsonObject;
}

/** Whose rulesets: a zone's or an account's. */
export type Level = "zone" | "account";

/** The rulesets of one zone or account. The only one who changes them is the route of their name. */
export interface Rulesets {
  readonly level: Level;
  readonly ownerId: string;
  readonly byId: Map<string, Ruleset>;
  /** How many identifiers have been made here. */
  made: number;
}

/** The kinds that the published OpenAPI document lists; of the entry point there is one a phase. */
export const kindsOf: {
  readonly [level in Level]: { readonly entryPoint: string; readonly all: readonly string[] };
} = {
  zone: { entryPoint: "zone", all: ["zone"] },
  account: { entryPoint: "root", all: ["managed", "custom", "root"] },
};

/** The kind of a seed's ruleset that names none. */
export const defaultKind: { readonly [level in Level]: string } = { zone: "zone", account: "managed" };

export function rulesetsFromSeed(
  seeds: readonly RulesetSeed[],
  level: Level,
  ownerId: string,
  now: Date,
): Rulesets {
  const taken = new Set(seeds.flatMap((seed) => [seed.id, ...(seed.rules ?? []).map((rule) => rule.id)]));
  const rulesets: Rulesets = { level, ownerId, byId: new Map(), made: 0 };
  const identified = (id: string | undefined) => id ?? newId(rulesets, taken);
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

/** The next identifier of a ruleset or rule; the nth is always the same, or the next after it that is not in use. */
export function newId(rulesets: Rulesets, taken: ReadonlySet<string | undefined> = new Set()): string {
  for (;;) {
    rulesets.made += 1;
    const id = idOf("ruleset", rulesets.ownerId, rulesets.made);
    if (!taken.has(id) && !isInUse(rulesets, id)) return id;
  }
}

function isInUse(rulesets: Rulesets, id: string): boolean {
  if (rulesets.byId.has(id)) return true;
  return [...rulesets.byId.values()].some(({ rules }) => rules.some((rule) => rule.id === id));
}

/** The ruleset that the phase begins with. */
export function entryPointOf(rulesets: Rulesets, phase: string): Ruleset | undefined {
  const { entryPoint } = kindsOf[rulesets.level];
  return [...rulesets.byId.values()].find((each) => each.kind === entryPoint && each.phase === phase);
}

/** The ruleset after a modification; every one counts. */
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

/** The ruleset as answers and dumps have it. Users see that one without rules comes without the field. */
export function rulesetOut(ruleset: Ruleset): RulesetSeed & JsonObject {
  const summary = rulesetSummary(ruleset);
  return ruleset.rules.length === 0 ? summary : { ...summary, rules: ruleset.rules.map(ruleOut) };
}

/** The ruleset as lists have it: without its rules. */
export function rulesetSummary(ruleset: Ruleset): RulesetSeed & JsonObject {
  const { phase, version, lastUpdated, id, extra, kind, description, name } = ruleset;
  return { version, phase, last_updated: lastUpdated, id, ...extra, kind, description, name };
}

/** A time with microseconds, as in the examples of the published OpenAPI document. */
export function timestamp(time: Date): string {
  return time.toISOString().replace("Z", "000Z");
}
