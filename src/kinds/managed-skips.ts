import { cutEnd } from "../model/cut.js";
import { isObject, isTexts, type Json, type JsonObject, textsIn } from "../model/json.js";
import { requestsOf } from "./expression.js";
import { MANAGED_PHASE } from "./managed-rules.js";
import { type LiveRule, parametersOf } from "./phase.js";
import type { RuleEffect } from "./unmanaged-rules.js";

/** The managed rulesets, rules and phases that a skip rule skips. */
export interface Skip {
  /** All managed rules behind the skip rule. */
  readonly isWhole: boolean;
  /** The ids of whole rulesets. */
  readonly rulesets: readonly string[];
  /** Single rules by ruleset, all by id. */
  readonly rules: readonly (readonly [ruleset: string, ids: readonly string[]])[];
  /** Phases other than that of managed rules. */
  readonly phases: readonly string[];
  /** Whether all of the rule was understood. A rule in an unknown form may skip anything. */
  readonly isClear: boolean;
}

/** The documented phases and products (https://developers.cloudflare.com/waf/custom-rules/skip/options/). */
export const PHASES: readonly string[] = ["http_ratelimit", "http_request_sbfm", MANAGED_PHASE.name];
export const PRODUCTS = ["zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf"];

/** Reads the documented forms of skip rules. Null: the rule skips nothing. */
export function skipOf(rule: JsonObject): Skip | null {
  if (rule.action !== "skip") return null;
  const { ruleset, rulesets = [], rules = {}, phases = [], ...unknown } = parametersOf(rule);
  const single = Object.entries(isObject(rules) ? rules : {});
  const lists: readonly Json[] = [rulesets, phases, ...single.map(([, ids]) => ids)];
  const namesAny = [ruleset, ...textsIn(rulesets), ...textsIn(phases), ...single].some(
    (each) => each !== undefined,
  );
  const isRead = isObject(rules) && lists.every(isTexts) && Object.keys(unknown).length === 0;
  return {
    isWhole: ruleset === "current" || textsIn(phases).includes(MANAGED_PHASE.name),
    rulesets: textsIn(rulesets),
    rules: single.map(([id, ids]) => [id, textsIn(ids)]),
    phases: textsIn(phases).filter((phase) => phase !== MANAGED_PHASE.name),
    isClear: namesAny && isRead && (ruleset === undefined || ruleset === "current"),
  };
}

/**
 * The effect of a skip rule.
 *
 * @param isInFront whether a ruleset is executed behind it
 */
export function skipping(
  { expression = null }: LiveRule,
  skip: Skip,
  isInFront: boolean,
  nameOf: (ruleset: string) => string,
): RuleEffect {
  const requests = requestsOf(expression);
  const skipped = skippedText(skip, nameOf);
  // Other phases run later, wherever the rule stands in this one.
  const isFelt = (isInFront || skip.phases.length > 0) && requests !== "no request";
  const place = isInFront ? "before the managed ruleset" : "after all managed rulesets have run";
  return { does: `skips ${requests} ${place}${skipped}`, effect: isFelt ? "weakens" : "neutral" };
}

/** The skipped rulesets and phases. If the rule may skip every ruleset behind it, only the phases. */
function skippedText(
  { isWhole, isClear, rulesets, rules, phases }: Skip,
  nameOf: (ruleset: string) => string,
): string {
  const phaseNames = phases.map((phase) => `the phase ${cutEnd(phase, MAX_CHARS)}`);
  if (isWhole || !isClear) return phaseNames.map((each) => `, and ${each}`).join("");
  return `: ${[...namedIn({ rulesets, rules }, nameOf), ...phaseNames].join(", ")}`;
}

/** The rulesets that a skip rule names, and the number of single rules in other rulesets. */
export function namedIn(
  { rulesets, rules }: Pick<Skip, "rulesets" | "rules">,
  nameOf: (ruleset: string) => string,
): readonly string[] {
  const countText = (count: number) => (count === 1 ? "1 rule" : `${count} rules`);
  return [...rulesets.map(nameOf), ...rules.map(([id, ids]) => `${countText(ids.length)} of ${nameOf(id)}`)];
}

const MAX_CHARS = 40;
