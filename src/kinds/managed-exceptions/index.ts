import type { Item } from "../../model/item.js";
import { ZONE_WAF } from "../../model/permissions.js";
import { type LiveUnmanaged, RULES } from "../../model/unmanaged.js";
import { expressionCheck } from "../expression.js";
import { whileOff } from "../fields.js";
import type { Kind } from "../kind.js";
import { allowingExpression, beyondLimit } from "../limits.js";
import { documentedName, executedBy, isRulesetId } from "../managed-rules.js";
import type { LiveRule } from "../phase.js";
import { ruleList } from "../rule-list/index.js";
import { skipOf, skipping } from "../skip-rules.js";
import { type RuleEffect, unknownRule, unmanagedRules } from "../unmanaged-rules.js";
import { type Context, fromRule, idOf, PHASE, readBeside } from "./read.js";
import { managedExceptionSchema } from "./schema.js";
import {
  canonicalRuleset,
  checkSkip,
  parametersOf,
  rulesetsIn,
  saidOf,
  skipField,
  strengthOf,
} from "./skip.js";

const checkExpression = expressionCheck(PHASE.name);

const list = ruleList<Context["beside"]>({
  phase: PHASE,
  fields: { skip: { ...skipField, form: "any", required: true, identifies: true } },
  memberOf: { skip: "action_parameters" },
  fromRule,
  toRule: ({ skip = "all" }, beside) => ({
    action: "skip",
    action_parameters: parametersOf(skip, (name) => idOf(name, beside?.ids)),
  }),
  about(body, rule, beside) {
    const skip = body.skip ?? (rule === null ? null : saidOf(rule, (id) => id)) ?? "all";
    return skip === "all" ? null : rulesetsIn(skip).map((each) => idOf(each, beside?.ids));
  },
  readBeside,
});

/** Exceptions to managed rulesets: skip rules in front of the rules that execute them. */
export const managedException: Kind<Context> = {
  ...list,
  name: PHASE.kind,
  section: "managed_exceptions",
  area: "requests",
  schema: managedExceptionSchema,
  requests: { does: "skips" },
  includedAs: "managed rules",
  permissions: ZONE_WAF,
  dashboard: "security/security-rules",
  at: {
    ...list.at,
    actThemselves: false,
    before: ({ beside }) => beside.bypasses,
    rulesets: ({ beside }) => beside.ids,
  },
  readsAccount: ({ ensure, skip = "all" }) =>
    ensure !== "absent" && rulesetsIn(skip).some((name) => !isRulesetId(canonicalRuleset(name))),

  check: (declared, service) =>
    declared.ensure === "absent" ? [] : [...checkExpression(declared, service), ...checkSkip(declared.skip)],
  allowing: allowingExpression,
  unmanaged: unmanagedExceptions,
  checkWhole: () => [],
  dimensions: strengthOf,
  // What is no longer skipped can stop visitors.
  blocking: strengthOf,
  hindrances: whileOff,
  concerns: ({ normal, ref }, { limits }) =>
    beyondLimit(
      () => `managed exception ${JSON.stringify(ref.key)}`,
      "expression",
      normal.expression,
      limits.expression_chars,
    ),
};

/** Skip rules that nobody declares: exceptions, and those that no file can declare. */
function unmanagedExceptions(items: readonly Item[], { ruleset }: Context): readonly LiveUnmanaged[] {
  const refs = new Map(items.map(({ ref }) => [ref.id, ref]));
  const isTold = (rule: LiveRule) =>
    refs.has(rule.id) || (skipOf(rule) !== null && saidOf(rule, (id) => id) === null);
  const told = unmanagedRules(ruleset, PHASE, (rule) => !isTold(rule), effectOfRule);
  return told.map((each) => ({ ...each, list: RULES, ref: refs.get(each.ref.id) ?? each.ref }));
}

function effectOfRule(rule: LiveRule, behind: readonly LiveRule[]): RuleEffect {
  const skip = skipOf(rule);
  if (skip === null) return unknownRule(rule);
  const isInFront = behind.some((each) => executedBy(each) !== null);
  return skipping(rule, skip, isInFront, documentedName);
}
