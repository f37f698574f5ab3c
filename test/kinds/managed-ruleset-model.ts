import { isList, isObject, type Json, type JsonObject } from "../../src/model/json.js";

/**
 * A second implementation of the service, from the interface's documentation: an override of a rule outweighs those of its
 * tags, of which the last one counts. These outweigh the override of the whole ruleset. Matching rules add up their scores,
 * and above the threshold the scoring rule acts.
 */
export interface ManagedRule {
  readonly id: string;
  readonly categories: readonly string[];
  readonly action: string;
  readonly enabled: boolean;
  /** The rule's score; none for the scoring rule. */
  readonly score: number;
}

export interface ModelRuleset {
  readonly rules: readonly ManagedRule[];
  readonly scoring: ManagedRule & { readonly threshold: number };
}

/** The documentation and its users disagree on whether an action for the whole ruleset reaches its rules. */
export interface Reading {
  readonly wholeActionCounts: boolean;
}

export const readings: readonly Reading[] = [{ wholeActionCounts: true }, { wholeActionCounts: false }];

interface Said {
  readonly isOn: boolean;
  readonly action: string;
}

/** From the live executing rule; null: it does not run for this request. */
export interface Judged {
  readonly evaluated: ReadonlySet<string>;
  /** The visitor gets: 0 nothing, 1 a log entry, 2 a challenge, 3 a block. */
  readonly outcome: number;
}

const STRENGTHS: { readonly [action: string]: number } = {
  log: 1,
  managed_challenge: 2,
  js_challenge: 2,
  challenge: 2,
  block: 3,
};

/** Judges requests, each given by its matching rules. */
export function judging(executing: JsonObject | null, { rules, scoring }: ModelRuleset, reading: Reading) {
  if (executing === null || String(executing.enabled ?? true).toLowerCase() !== "true") return () => NOTHING;
  const said = new Map([...rules, scoring].map((rule) => [rule.id, saidOf(executing, rule, reading)]));
  const score = said.get(scoring.id);
  const threshold = entriesOf(executing, "rules").findLast(
    (each) => each.id === scoring.id && each.score_threshold !== undefined,
  )?.score_threshold;
  const limit = typeof threshold === "number" ? threshold : scoring.threshold;
  return (matched: readonly ManagedRule[]): Judged => {
    const on = matched.filter(({ id }) => said.get(id)?.isOn === true);
    const own = on.map(({ id }) => STRENGTHS[said.get(id)?.action ?? ""] ?? 0);
    const sum = on
      .filter(({ id }) => said.get(id)?.action === "score")
      .reduce((all, each) => all + each.score, 0);
    const acts = sum > limit && score?.isOn === true;
    return {
      evaluated: new Set(on.map(({ id }) => id)),
      outcome: Math.max(0, ...own, acts ? (STRENGTHS[score.action] ?? 0) : 0),
    };
  };
}

const NOTHING: Judged = { evaluated: new Set(), outcome: 0 };

function saidOf(executing: JsonObject, rule: ManagedRule, { wholeActionCounts }: Reading): Said {
  const parameters = isObject(executing.action_parameters) ? executing.action_parameters : {};
  const whole = isObject(parameters.overrides) ? parameters.overrides : {};
  const mine = entriesOf(executing, "rules").filter((each) => each.id === rule.id);
  const tagged = entriesOf(executing, "categories").filter((each) =>
    rule.categories.some((tag) => tag === each.category),
  );
  const enabled = last(mine, "enabled") ?? last(tagged, "enabled") ?? whole.enabled ?? rule.enabled;
  const general = wholeActionCounts ? whole.action : undefined;
  const action = last(mine, "action") ?? last(tagged, "action") ?? general ?? rule.action;
  return { isOn: String(enabled).toLowerCase() === "true", action: String(action) };
}

function last(entries: readonly JsonObject[], key: string): Json | undefined {
  return entries.findLast((each) => each[key] !== undefined)?.[key];
}

function entriesOf(executing: JsonObject, list: "categories" | "rules"): readonly JsonObject[] {
  const parameters = isObject(executing.action_parameters) ? executing.action_parameters : {};
  const overrides = isObject(parameters.overrides) ? parameters.overrides[list] : [];
  return isList(overrides) ? overrides.filter(isObject) : [];
}
