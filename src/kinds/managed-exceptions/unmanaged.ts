import type { Item } from "../../model/item.js";
import { type LiveUnmanaged, RULES } from "../../model/unmanaged.js";
import { documentedName, executedBy } from "../managed-rules.js";
import type { LiveRule } from "../phase.js";
import { skipOf, skipping } from "../skip-rules.js";
import { type RuleEffect, unknownRule, unmanagedRules } from "../unmanaged-rules.js";
import { type Context, PHASE } from "./read.js";
import { saidOf } from "./skip.js";

/** Skip rules that nobody declares: exceptions, and those that no file can declare. */
export function unmanagedExceptions(items: readonly Item[], { ruleset }: Context): readonly LiveUnmanaged[] {
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
