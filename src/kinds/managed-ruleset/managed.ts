import type { Json, JsonObject } from "../../model/json.js";
import type { Declared } from "../../model/wanted.js";
import { entryName } from "../kind.js";
import {
  CORE_RULESET,
  DOCUMENTED,
  documentedId,
  executedBy,
  isRulesetId,
  MANAGED_PHASE,
} from "../managed-rules.js";
import type { Phase } from "../phase.js";

/** The managed ruleset that a file means. */
export interface Managed {
  readonly id: string;
  /** Null: it was given by its id, and not read. */
  readonly name: string | null;
  /** Null: it is not known, and nothing that the file declares depends on it. */
  readonly sort: Sort | null;
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
  /** Absent: it runs, the default of the published schema. */
  readonly enabled?: Json;
  readonly description?: string;
}

/**
 * `scored`: its rules add up a score, on which one of them acts. `unscored`: each rule acts by itself. It decides which
 * keys an entry can have.
 */
export type Sort = "scored" | "unscored";

/** The rule that acts on the score. The others only add to it, so what happens is written as an override of this one. */
export interface Scoring {
  readonly id: string;
  /** What it does without an override. Empty: the account was not read. */
  readonly own: Partial<OwnRule> & { readonly score_threshold?: Json };
}

/** The kind's name, and what the entry that stands alone is called. */
export const KIND = "managed_ruleset";

/** One a zone of each managed ruleset. */
export const SHAPE = {
  each: { section: "managed_rulesets", named: "ruleset", aboutLive, aboutDeclared },
} as const;

/** What people call the ruleset of an entry. */
export function rulesetEntryName(declared: Declared): string {
  return entryName({ name: KIND, shape: SHAPE }, declared);
}

export const PHASE: Phase = {
  kind: KIND,
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

/** What a live rule is about: the ruleset that it executes. */
export function aboutLive(rule: JsonObject): string {
  return executedBy(rule) ?? "";
}

/**
 * Which ruleset an entry means: its id, where that is known. Those that the service documents are the same by their names
 * and by their ids. Offline another name stands for itself; among what is live, one that was not looked up is null.
 */
export function aboutDeclared(declared: JsonObject, context?: { readonly ids?: Ids }): string | null {
  const name = declaredName(declared);
  if (name === null) return declaredRuleset(declared).toLowerCase();
  const id = context?.ids?.get(name) ?? documentedId(name);
  return id ?? (context === undefined ? name : null);
}

/** The ids of rulesets by what entries call them: their names, and of the entry that stands alone that of the kind. */
export type Ids = ReadonlyMap<string, string>;

/** The sort of a ruleset, as far as that can be told offline. */
export function knownSort(declared: JsonObject): Sort | null {
  if (declaredScoringId(declared) !== null) return "scored";
  const name = declaredName(declared);
  const id = name === null ? declaredRuleset(declared).toLowerCase() : documentedId(name);
  if (id === null || !DOCUMENTED.has(id)) return null;
  return id === CORE_RULESET.id ? "scored" : "unscored";
}

/** The id of the scoring rule as the file gives it. */
export function declaredScoringId({ score_rule: id }: JsonObject): string | null {
  return typeof id === "string" ? id.toLowerCase() : null;
}

/** The scoring rule's id, where it can be told offline. */
export function knownScoringId(declared: JsonObject): string | null {
  const declaredId = declaredScoringId(declared);
  if (declaredId !== null) return declaredId;
  const ruleset = declaredRuleset(declared);
  const isCore = ruleset === CORE_RULESET.name || ruleset.toLowerCase() === CORE_RULESET.id;
  return isCore ? CORE_RULESET.scoringId : null;
}

/** What is known of a ruleset that no entry means. */
export function knownManaged(id: string): Pick<Managed, "sort" | "scoring"> {
  const scoring = id === CORE_RULESET.id ? { id: CORE_RULESET.scoringId, own: {} } : null;
  return { sort: knownSort({ ruleset: id }), scoring };
}

/** Whether the file says what happens to a score. */
export function declaresScore({ score_threshold: threshold, action }: JsonObject): boolean {
  return threshold !== undefined || action !== undefined;
}

/** Whether the file says something of the scoring rule, or of rules that it has to be told apart from. */
export function declaresRules(declared: JsonObject): boolean {
  const ruleKeys = [declared.disabled_rules, declared.rules, declared.tags];
  return declaresScore(declared) || ruleKeys.some((each) => each !== undefined);
}

/**
 * The account is left alone where the files give the scoring rule, or want the rule gone, of a ruleset that need not be
 * looked up by its name. Only a zone that executes nothing but rulesets that are not known has it read all the same.
 */
export function readsAccount(declared: JsonObject): boolean {
  const name = declaredName(declared);
  if (name !== null && name !== CORE_RULESET.name) return true;
  if (knownSort(declared) === "unscored") return declared.ensure !== "absent" && declaresRules(declared);
  return declared.ensure !== "absent" && declaredScoringId(declared) === null;
}
