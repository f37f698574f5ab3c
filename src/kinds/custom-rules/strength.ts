import { areApart } from "../../expression/coverage/coverage.js";
import { quoted } from "../../model/cut.js";
import { asText, isObject, type JsonObject } from "../../model/json.js";
import { rememberedObject } from "../../model/remembered.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions } from "../../model/strength.js";
import { charged } from "../../model/work-budget.js";
import { isChallenge } from "../../strength/action-ranks.js";
import type { ListedRule } from "../../strength/index.js";
import { listText } from "../../strength/move.js";
import { executedBy } from "../documented-rulesets.js";
import { requestsOf } from "../expression.js";
import { readFlag } from "../fields.js";
import { type LiveRule, ruleName } from "../phase.js";
import { blockEffect } from "../rule-actions.js";
import { skipParameters } from "../skips.js";
import { isSwitchedOff, type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { PHASE } from "./phase.js";
import { pastIn, skipIn, wordsIn } from "./skip.js";

/** The effect of one rule alone is unknown, because it depends on the other rules of the list. */
export function strengthOf({ enabled, action, skip, expression, position = null }: SealedObject): Dimensions {
  if (enabled === false) return {};
  const { logging: _, ...skipped } = isObject(skip) ? skip : {};
  const is = JSON.stringify([enabled, action, skipped, expression, position]);
  return { rules: { as: "unknown", is, why: "the effect depends on the rest of the list" } };
}

/** The strength beside the effect in the list: whether skipped requests are logged. */
export function strengthWithLogs(normal: SealedObject): Dimensions {
  const { enabled, action, skip = null } = normal;
  if (enabled === false || action !== "skip") return strengthOf(normal);
  const isLogged = !isObject(skip) || skip.logging !== false;
  return {
    ...strengthOf(normal),
    logging: {
      as: "rank",
      value: isLogged ? 1 : 0,
      is: isLogged ? "logged" : "not logged",
      called: "skipped requests",
      isDetail: true,
    },
  };
}

/** A rule as a part of the list. Null: it is disabled. */
export function listed(rule: JsonObject): ListedRule | null {
  if (isSwitchedOff(rule)) return null;
  return { name: ruleName(rule), expression: asText(rule.expression ?? null), does: doesOf(rule) };
}

function doesOf(rule: JsonObject): ListedRule["does"] {
  const { action = null, enabled = true, action_parameters: parameters = null } = rule;
  const other = { as: "other", is: JSON.stringify([action, enabled, parameters]) } as const;
  if (readFlag(enabled) !== true || NARROWING.some((member) => member in rule)) return other;
  if (action === "block" || action === "log") return { as: action };
  if (isChallenge(action)) return { as: "challenge" };
  return skipDoing(rule) ?? other;
}

/** Members by which a rule acts on fewer requests than its expression matches. */
const NARROWING = ["exposed_credential_check", "ratelimit"];

/** Null: the rule does not skip, or its parameters have a form that this version does not know. */
function skipDoing(rule: JsonObject): ListedRule["does"] | null {
  const skip = skipParameters(rule);
  if (skip === null || !skip.isClear) return null;
  const { current, phases, rulesets, rules } = skip;
  if (rulesets.length + rules.length > 0 || phases.includes(PHASE.name)) return null;
  return { as: "skip", rest: current.length > 0, past: pastIn(skip) };
}

/** The later rules that block requests of a rule, which no longer reach them. */
function blocksBehind(rule: LiveRule, behind: readonly LiveRule[]): readonly string[] {
  const expression = asText(rule.expression ?? "");
  return behind.flatMap((each) => {
    const other = liveListed(each);
    if (other?.does.as !== "block") return [];
    const question = () => ["custom rules", expression, other.expression] as const;
    const answer = () => ({ value: !areApart(other.expression, expression), work: PAIR_WORK });
    return charged(question, answer, true) ? [other.called] : [];
  });
}

/** Thousands of live rules make millions of pairs. */
const PAIR_WORK = 100;

/** A live rule is read once, and not for each rule in front of it. */
const liveListed = rememberedObject((rule: LiveRule) => {
  const inList = listed(rule);
  return inList === null ? null : { ...inList, called: quoted(inList.name) };
});

/** The effect of an undeclared rule. */
export function tell(rule: LiveRule, behind: readonly LiveRule[]): RuleEffect {
  const { action = null, expression = null } = rule;
  const requests = requestsOf(expression);
  const executed = executedBy(rule);
  if (executed !== null)
    return {
      does: `executes the ruleset ${executed}, whose rules are not read, on ${requests}`,
      effect: "unknown",
    };
  if (action === "block") return blockEffect(`blocks ${requests}`, rule);
  if (isChallenge(action)) {
    const hidden = blocksBehind(rule, behind);
    if (hidden.length === 0) return { does: `challenges ${requests}`, effect: "strengthens" };
    return { does: `challenges ${requests}, before ${listText(hidden)}`, effect: "unknown" };
  }
  if (action === "log") return { does: `logs ${requests}`, effect: "strengthens" };
  if (action !== "skip") return unknownRule(rule);
  const { skip = null } = skipIn(rule);
  return { does: `skips ${wordsIn(skip).join(", ") || "nothing known"}: ${requests}`, effect: "weakens" };
}
