import type { Json, JsonObject } from "../../model/json.js";
import { CORE_RULESET, isRulesetId, MANAGED_PHASE } from "../managed-rules.js";
import type { Phase } from "../phase.js";

/** The managed ruleset that a file means. */
export interface Managed {
  readonly id: string;
  /** Null: it was given by its id, and not read. */
  readonly name: string | null;
  /** Null: it has none, or nothing that the file declares depends on it. */
  readonly scoring: Scoring | null;
  /** Null: it was not read. */
  readonly content: Content | null;
}

/** What overrides can name, and what holds where they do not: the rules by their ids, and their tags. */
export interface Content {
  readonly rules: ReadonlyMap<string, OwnRule>;
  /** Each with the number of rules that have it. */
  readonly tags: ReadonlyMap<string, number>;
}

/** A rule of the managed ruleset by itself. */
export interface OwnRule {
  readonly tags: readonly string[];
  readonly action?: Json;
}

/** The rule that acts on the score. The others only add to it, so what happens is written as an override of this one. */
export interface Scoring {
  readonly id: string;
  /** What it does without an override. Empty: the account was not read. */
  readonly own: Partial<OwnRule> & { readonly score_threshold?: Json };
}

export const PHASE: Phase = {
  kind: "managed_ruleset",
  ...MANAGED_PHASE,
};

/** By its name or its id. */
export function declaredRuleset({ ruleset }: JsonObject): string {
  return typeof ruleset === "string" ? ruleset : CORE_RULESET.name;
}

/** Null: it was given by its id. */
export function declaredName(declared: JsonObject): string | null {
  const ruleset = declaredRuleset(declared);
  return isRulesetId(ruleset) ? null : ruleset;
}

/** The core ruleset is the same by its name and by its id. */
export function foundBy(declared: JsonObject): string {
  const name = declaredName(declared);
  if (name === null) return declaredRuleset(declared).toLowerCase();
  return name === CORE_RULESET.name ? CORE_RULESET.id : name;
}

/** The id of the scoring rule as the file gives it. */
export function declaredScoringId({ score_rule: id }: JsonObject): string | null {
  return typeof id === "string" ? id.toLowerCase() : null;
}

/** The scoring rule's id, where it can be told offline. */
export function knownScoringId(declared: JsonObject): string | null {
  const given = declaredScoringId(declared);
  if (given !== null) return given;
  const ruleset = declaredRuleset(declared);
  const isCore = ruleset === CORE_RULESET.name || ruleset.toLowerCase() === CORE_RULESET.id;
  return isCore ? CORE_RULESET.scoringId : null;
}

/** Whether the file says what happens to a score. */
export function speaksOfScore({ score_threshold: threshold, action }: JsonObject): boolean {
  return threshold !== undefined || action !== undefined;
}

/** Whether the file says something of the scoring rule, or of rules that it has to be told apart from. */
export function speaksOfRules(declared: JsonObject): boolean {
  return speaksOfScore(declared) || declared.disabled_rules !== undefined || declared.rules !== undefined;
}

/**
 * The account is left alone where the files give the scoring rule, or want the rule gone, of a ruleset that need not be
 * looked up by its name. Only a zone that executes nothing but rulesets that are not known has it read all the same.
 */
export function readsAccount(declared: JsonObject): boolean {
  const name = declaredName(declared);
  if (name !== null && name !== CORE_RULESET.name) return true;
  return declared.ensure !== "absent" && declaredScoringId(declared) === null;
}
