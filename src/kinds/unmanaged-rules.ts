import { cutEnd } from "../model/cut.js";
import { asText, type JsonObject } from "../model/json.js";
import { type LiveUnmanaged, RULES } from "../model/unmanaged.js";
import { requestsOf } from "./expression.js";
import { readFlag } from "./fields.js";
import { descriptionOf, type LiveRule, type Phase, type PhaseRuleset } from "./phase.js";

/** The effect of an unmanaged rule, in words and as a label. */
export type RuleEffect = Pick<LiveUnmanaged, "does" | "effect">;

/**
 * The unmanaged rules of a phase.
 *
 * @param tell returns the effect of an enabled rule, which may depend on the rules behind it
 */
export function unmanagedRules(
  ruleset: PhaseRuleset | null,
  phase: Phase,
  isExcluded: (rule: LiveRule) => boolean,
  tell: (rule: LiveRule, behind: readonly LiveRule[]) => RuleEffect,
): readonly LiveUnmanaged[] {
  return (ruleset?.rules ?? []).flatMap((rule, index, all) => {
    if (isExcluded(rule)) return [];
    const ref = { kind: phase.kind, key: descriptionOf(rule), id: rule.id };
    const effect = tell(rule, all.slice(index + 1));
    return [{ ref, list: RULES, raw: rule, ...(isSwitchedOff(rule) ? effectWhileOff(effect) : effect) }];
  });
}

/** Absent means enabled: the default of the published schema. */
export function isSwitchedOff({ enabled }: JsonObject): boolean {
  return readFlag(enabled ?? true) === false;
}

function effectWhileOff({ does }: RuleEffect): RuleEffect {
  return { does: `is disabled; when enabled, ${does}`, effect: "neutral" };
}

export function unknownRule(rule: JsonObject): RuleEffect {
  return { does: actionWords(rule, ", an unknown action,"), effect: "unknown" };
}

/** `does "set_config" on every request`. */
export function actionWords({ action = null, expression = null }: JsonObject, remark = ""): string {
  const name = JSON.stringify(cutEnd(asText(action), MAX_ACTION_CHARS));
  return `does ${name}${remark} on ${requestsOf(expression)}`;
}

const MAX_ACTION_CHARS = 40;
