import { phasePermissions } from "../../model/phases.js";
import { expressionCheck } from "../expression.js";
import type { Kind } from "../kind.js";
import { documentedName, executedBy, isRulesetId } from "../managed-rules.js";
import type { LiveRule } from "../phase.js";
import { ruleList } from "../rule-list.js";
import { skipOf, skipping } from "../skip-rules.js";
import { type RuleEffect, unknownRule } from "../unmanaged-rules.js";
import { type Context, fromRule, idOf, PHASE, readBeside } from "./read.js";
import { managedExceptionSchema } from "./schema.js";
import {
  canonicalRuleset,
  checkSkip,
  parametersOf,
  rulesetsIn,
  skipField,
  skipValueOf,
  strengthOf,
} from "./skip.js";

const checkExpression = expressionCheck(PHASE.name);

const list = ruleList<Context["beside"]>({
  phase: PHASE,
  fields: { skip: { ...skipField, form: "any", required: true, identifies: true } },
  membersOf: { skip: ["action_parameters"] },
  fromRule,
  toRule: ({ skip = "all" }, beside) => ({
    action: "skip",
    action_parameters: parametersOf(skip, (name) => idOf(name, beside?.ids)),
  }),
  about(body, rule, beside) {
    const skip = body.skip ?? (rule === null ? null : skipValueOf(rule, (id) => id)) ?? "all";
    return skip === "all" ? null : rulesetsIn(skip).map((each) => idOf(each, beside?.ids));
  },
  concerns: (rule) => skipOf(rule) !== null,
  tell,
  readBeside,
  readsAccount: ({ ensure, skip = "all" }) =>
    ensure !== "absent" && rulesetsIn(skip).some((name) => !isRulesetId(canonicalRuleset(name))),
});

/** Exceptions to managed rulesets: skip rules in front of the rules that execute them. */
export const managedException: Kind<Context> = {
  ...list,
  section: "managed_exceptions",
  schema: managedExceptionSchema,
  touches: { requests: { does: "skips" } },
  service: {
    included: { as: "managed rules" },
    permissions: phasePermissions[PHASE.name],
    dashboard: "security/security-rules",
  },
  at: {
    ...list.at,
    actThemselves: false,
    before: ({ beside }) => beside.bypasses,
    rulesets: ({ beside }) => beside.ids,
  },

  checks: {
    declared: (body, service) => [...checkExpression(body, service), ...checkSkip(body.skip)],
  },
  dimensions: strengthOf,
  // The end of an exception can stop visitors.
  blocking: strengthOf,
};

function tell(rule: LiveRule, behind: readonly LiveRule[]): RuleEffect {
  const skip = skipOf(rule);
  if (skip === null) return unknownRule(rule);
  const isInFront = behind.some((each) => executedBy(each) !== null);
  return skipping(rule, skip, isInFront, documentedName);
}
