import { asText, isObject, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions } from "../../model/strength.js";
import type { ListedRule } from "../../strength/index.js";
import { requestsOf } from "../expression.js";
import { executedBy } from "../managed-rules.js";
import type { LiveRule } from "../phase.js";
import { CHALLENGES } from "../rule-actions.js";
import { isSwitchedOff, type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { pastIn, skipIn, wordsIn } from "./skip.js";

/** The effect of one rule alone is unknown, because it depends on the rules before and behind it, and on its place. */
export function strengthOf({ enabled, action, skip, expression, position = null }: SealedObject): Dimensions {
  if (enabled === false) return {};
  const is = JSON.stringify([enabled, action, skip, expression, position]);
  return { custom_rules: { as: "unknown", is, why: "the effect depends on the rest of the list" } };
}

/** A rule as part of the list. Null: it is disabled. */
export function listed(rule: JsonObject): ListedRule | null {
  if (isSwitchedOff(rule)) return null;
  const { expression = null, description = "", id = "" } = rule;
  const name = asText(description) === "" ? `rule ${asText(id)}` : asText(description);
  return { name, expression: asText(expression), does: doesOf(rule) };
}

function doesOf(rule: JsonObject): ListedRule["does"] {
  const { action = null, action_parameters: parameters = null } = rule;
  if (action === "block" || action === "log") return { as: action };
  if (CHALLENGES.includes(action)) return { as: "challenge" };
  const { ruleset, phase, phases = [], products = [], ...others } = isObject(parameters) ? parameters : {};
  const isClear = action === "skip" && Object.keys(others).length === 0;
  if (!isClear) return { as: "other", is: JSON.stringify([action, parameters]) };
  const rest = ruleset === "current" || phase === "current";
  return { as: "skip", rest, past: pastIn({ phases, products }) };
}

/** The effect of an undeclared rule. */
export function tell(rule: LiveRule): RuleEffect {
  const { action = null, expression = null } = rule;
  const requests = requestsOf(expression);
  const executed = executedBy(rule);
  if (executed !== null)
    return {
      does: `executes the ruleset ${executed}, whose rules are not read, on ${requests}`,
      effect: "unknown",
    };
  if (action === "block") return { does: `blocks ${requests}`, effect: "strengthens" };
  if (CHALLENGES.includes(action)) return { does: `challenges ${requests}`, effect: "strengthens" };
  if (action === "log") return { does: `logs ${requests}`, effect: "neutral" };
  if (action !== "skip") return unknownRule(rule);
  const { skip = null } = skipIn(rule);
  return { does: `lets ${requests} skip ${wordsIn(skip).join(", ") || "nothing known"}`, effect: "weakens" };
}
