import { cutEnd } from "../model/cut.js";
import type { JsonObject } from "../model/json.js";
import { requestsOf } from "./expression.js";
import { MANAGED_PHASE } from "./managed-rules.js";
import type { LiveRule } from "./phase.js";
import { type SkipParameters, skipParameters } from "./skip-parameters.js";
import type { RuleEffect } from "./unmanaged-rules.js";

/** The managed rulesets, rules and phases that a skip rule skips. */
export interface Skip extends Pick<SkipParameters, "rulesets" | "rules" | "isClear"> {
  /** All managed rules behind the skip rule. */
  readonly isWhole: boolean;
  /** Phases other than that of managed rules. */
  readonly phases: readonly string[];
}

/** What a rule in the list of managed rulesets skips. Null: nothing. */
export function skipOf(rule: JsonObject): Skip | null {
  const parameters = skipParameters(rule);
  if (parameters === null) return null;
  const { current, products, isClear } = parameters;
  return {
    ...managedSkip(parameters, current.includes("ruleset")),
    isClear: isClear && products.length === 0 && !current.includes("phase"),
  };
}

/** @param isRest whether the rule skips the rest of its list, which is that of managed rulesets */
export function managedSkip({ rulesets, rules, phases, isClear }: SkipParameters, isRest: boolean): Skip {
  return {
    isWhole: isRest || phases.includes(MANAGED_PHASE.name),
    rulesets,
    rules,
    phases: phases.filter((phase) => phase !== MANAGED_PHASE.name),
    isClear,
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
  const skipped = skippedText(skip, isInFront, nameOf);
  // Other phases run later, wherever the rule stands in this one.
  const isFelt = (isInFront || skip.phases.length > 0) && requests !== "no request";
  const place = isInFront ? "" : ", after all managed rulesets have run";
  return { does: `skips ${skipped}${place}: ${requests}`, effect: isFelt ? "weakens" : "neutral" };
}

/** Unless it is clear what a rule skips, it may skip every ruleset behind it. */
function skippedText(skip: Skip, isInFront: boolean, nameOf: (ruleset: string) => string): string {
  const rulesets = skip.isWhole || !skip.isClear ? ["the later managed rulesets"] : namedIn(skip, nameOf);
  const phases = skip.phases.map((phase) => `the phase ${cutEnd(phase, MAX_CHARS)}`);
  return [...(isInFront ? rulesets : []), ...phases].join(", ") || "nothing";
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
