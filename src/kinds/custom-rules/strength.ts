import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions } from "../../model/strength.js";
import { requestsOf } from "../expression.js";
import { executedBy } from "../managed-rules.js";
import type { LiveRule } from "../phase.js";
import { CHALLENGES } from "../rule-actions.js";
import { type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { skipIn, wordsIn } from "./skip.js";

/** The effect of one rule alone is unknown, because it depends on the rules before and behind it. */
export function strengthOf({ enabled, action, skip, expression }: SealedObject): Dimensions {
  if (enabled === false) return {};
  const is = JSON.stringify([enabled, action, skip, expression]);
  return { custom_rules: { as: "unknown", is, why: "the effect depends on the rest of the list" } };
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
