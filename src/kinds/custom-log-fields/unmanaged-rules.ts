import { cutEnd } from "../../model/cut.js";
import type { JsonObject } from "../../model/json.js";
import { type Problem, type Span, warning } from "../../model/problem.js";
import { expressionField, requestsOf } from "../expression.js";
import { isSame } from "../fields.js";
import { descriptionOf, type LiveRule, type PhaseRuleset } from "../phase.js";
import { isSwitchedOff, type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { ACTION, allFields, DESCRIPTION, normalFrom } from "./rule.js";

/**
 * The managed rule matches every request, or has the description of managed rules and an expression that was changed
 * later. Any other rule was made on purpose by other people or tools.
 */
export function isManagedRule(rule: JsonObject): boolean {
  const isForAll = isSame(rule.expression ?? "true", "true", expressionField);
  return isLogging(rule) && (isForAll || rule.description === DESCRIPTION);
}

function isLogging({ action }: JsonObject): boolean {
  return action === ACTION;
}

/** The effect of an unmanaged rule. */
export function effectOfRule(
  rule: LiveRule,
  behind: readonly LiveRule[],
  ruleset: PhaseRuleset | null,
): RuleEffect {
  if (!isLogging(rule)) return unknownRule(rule);
  const normal = normalFrom(rule);
  const fields = normal === null ? "something" : allFields(normal).join(", ") || "nothing";
  const fieldText = cutEnd(fields, MAX_CHARS);
  const requests = requestsOf(rule.expression ?? null);
  return isInFront(behind, ruleset)
    ? { does: `logs ${fieldText} in place of what is declared, of ${requests}`, effect: "unknown" }
    : { does: `logs ${fieldText} of ${requests}, and is never reached`, effect: "neutral" };
}

const MAX_CHARS = 120;

/** Whether the rule runs before the managed one. A new managed rule comes last, so the rules before it keep logging. */
function isInFront(behind: readonly LiveRule[], ruleset: PhaseRuleset | null): boolean {
  return behind.some(isManagedRule) || !(ruleset?.rules ?? []).some(isManagedRule);
}

/**
 * Warns of undeclared rules that run first. Logging custom fields ends the phase (the service's documentation of
 * actions), so only the first matching rule logs.
 */
export function loggedByOthers(ruleset: PhaseRuleset | null, at: Span | null): readonly Problem[] {
  const earlierRules = (ruleset?.rules ?? []).filter(
    (rule, index, all) => logsBeside(rule) && isInFront(all.slice(index + 1), ruleset),
  );
  return earlierRules.map((rule) => {
    const { id, expression = null } = rule;
    const detail = `The undeclared rule ${nameOfRule(rule)} (${id}) logs custom fields of ${requestsOf(expression)}. Cloudflare stops at the first such rule that matches, so it does not log the declared fields of these requests. Remove that rule, or declare its fields here.`;
    const summary = `Undeclared rule ${nameOfRule(rule)} logs first`;
    return warning("logged_by_others", summary, detail, at);
  });
}

export function nameOfRule(rule: LiveRule): string {
  return JSON.stringify(cutEnd(descriptionOf(rule) || rule.id, MAX_CHARS));
}

/** Unmanaged rules behind the managed rule. They log nothing for requests that the managed rule matches. */
export function rulesBehind(ruleset: PhaseRuleset | null, id: string | null): readonly LiveRule[] {
  const rules = ruleset?.rules ?? [];
  const at = rules.findIndex((rule) => rule.id === id);
  return at === -1 ? [] : rules.slice(at + 1).filter(logsBeside);
}

/** Whether an undeclared rule logs. */
function logsBeside(rule: LiveRule): boolean {
  return isLogging(rule) && !isManagedRule(rule) && !isSwitchedOff(rule);
}
