import type { Declared } from "../../model/declared-zone.js";
import type { Item } from "../../model/item.js";
import type { Json, JsonObject } from "../../model/json.js";
import {
  CORE_RULESET,
  DOCUMENTED,
  documentedId,
  executedBy,
  isRulesetId,
  MANAGED_PHASE,
} from "../documented-rulesets.js";
import { entryName } from "../kind.js";
import type { Phase } from "../phase.js";

/** The managed ruleset that a file names. */
export interface Managed {
  readonly id: string;
  /** Null: the file gives the id, and the ruleset was not read. */
  readonly name: string | null;
  /** Null: unknown, and no declared key depends on the sort. */
  readonly sort: Sort | null;
  /** Null: the ruleset has none, or no declared key depends on the scoring rule. */
  readonly scoring: Scoring | null;
  /** Null: the ruleset was not read. */
  readonly content: Content | null;
}

/** The names that overrides can use: rule ids and tags. Each rule comes with its settings without overrides. */
export interface Content {
  readonly rules: ReadonlyMap<string, OwnRule>;
  /** Each tag with the number of rules that have it. */
  readonly tags: ReadonlyMap<string, number>;
}

/** A rule of the managed ruleset without overrides. */
export interface OwnRule {
  readonly tags: readonly string[];
  readonly action?: Json;
  /** Absent: the rule runs, the default of the published schema. */
  readonly enabled?: Json;
  readonly description?: string;
}

/**
 * `scored`: the rules add up a score, and one rule acts on it. `unscored`: each rule acts by itself. The sort decides
 * which keys an entry can have.
 */
export type Sort = "scored" | "unscored";

/** The rule that acts on the score. The other rules only add to the score, so the action overrides this rule. */
export interface Scoring {
  readonly id: string;
  /** The rule's settings without an override. Empty: the account was not read. */
  readonly own: Partial<OwnRule> & { readonly score_threshold?: Json };
}

/** The kind's name, and the name of an entry that is not in a list. */
export const KIND = "managed_ruleset";

/** A zone executes each managed ruleset once. */
export const KEYED = {
  section: KIND,
  sections: [{ section: KIND }, { section: "managed_rulesets", named: "ruleset" }],
  keys: {
    declared: (body: JsonObject, context: { readonly ids: Ids } | null) => ({
      name: rulesetId(body, context),
      within: null,
    }),
    live: ({ raw }: Pick<Item, "raw">) => ({ name: executedBy(raw ?? {}), within: null }),
  },
} as const;

/** The name of an entry's ruleset in messages. */
export function rulesetEntryName(declared: Declared): string {
  return entryName({ name: KIND, ...KEYED }, declared);
}

export const PHASE: Phase = {
  kind: KIND,
  ...MANAGED_PHASE,
};

/** A name or an id. */
export function declaredRuleset({ ruleset }: JsonObject): string {
  return typeof ruleset === "string" ? ruleset : CORE_RULESET.name;
}

/** Null: the file gives the id. */
export function declaredName(declared: JsonObject): string | null {
  const ruleset = declaredRuleset(declared);
  return isRulesetId(ruleset) ? null : ruleset;
}

/**
 * The id of an entry's ruleset. An undocumented name offline stands for itself; with a context, null means that the name
 * was not looked up.
 */
export function rulesetId(declared: JsonObject, context: { readonly ids: Ids } | null = null): string | null {
  const name = declaredName(declared);
  if (name === null) return declaredRuleset(declared).toLowerCase();
  const id = context?.ids.get(name) ?? documentedId(name);
  return id ?? (context === null ? name : null);
}

/** Ruleset ids by entry name. An entry that is not in a list has the name of the kind. */
export type Ids = ReadonlyMap<string, string>;

/** The sort of a ruleset, if known offline. Null: unknown. */
export function knownSort(declared: JsonObject): Sort | null {
  if (declaredScoringId(declared) !== null) return "scored";
  const id = rulesetId(declared) ?? "";
  if (!DOCUMENTED.has(id)) return null;
  return id === CORE_RULESET.id ? "scored" : "unscored";
}

/** The scoring rule's id in the file. Null: not declared. */
export function declaredScoringId({ score_rule: id }: JsonObject): string | null {
  return typeof id === "string" ? id.toLowerCase() : null;
}

/** The scoring rule's id, if known offline. Null: unknown. */
export function knownScoringId(declared: JsonObject): string | null {
  return declaredScoringId(declared) ?? knownManaged(rulesetId(declared) ?? "").scoring?.id ?? null;
}

/** The facts known offline about a ruleset that no entry names. */
export function knownManaged(id: string): Pick<Managed, "sort" | "scoring"> {
  const scoring = id === CORE_RULESET.id ? { id: CORE_RULESET.scoringId, own: {} } : null;
  return { sort: knownSort({ ruleset: id }), scoring };
}

export function declaresScore({ score_threshold: threshold, action }: JsonObject): boolean {
  return threshold !== undefined || action !== undefined;
}

/** Whether the file declares the scoring rule, or rules among which the scoring rule must be known. */
export function declaresRules(declared: JsonObject): boolean {
  const ruleKeys = [declared.disabled_rules, declared.rules, declared.tags];
  return declaresScore(declared) || ruleKeys.some((each) => each !== undefined);
}

/**
 * Whether a plan may read the account. It does not if the ruleset needs no lookup by name, and the entry is absent or
 * has `score_rule`. One exception is a zone that executes only unknown rulesets.
 */
export function readsAccount(declared: JsonObject): boolean {
  const name = declaredName(declared);
  if (name !== null && name !== CORE_RULESET.name) return true;
  if (knownSort(declared) === "unscored") return declared.ensure !== "absent" && declaresRules(declared);
  return declared.ensure !== "absent" && declaredScoringId(declared) === null;
}
