import type { Item } from "../../model/item.js";
import { asText, type JsonObject } from "../../model/json.js";
import type { Hindrance } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import type { ZoneState } from "../../model/zone-state.js";
import { bypassedBy, bypassesWith, skippedBy } from "../bypasses.js";
import { DOCUMENTED, documentedName, executedBy } from "../documented-rulesets.js";
import { requestsOf } from "../expression.js";
import type { LiveRule } from "../phase.js";
import { type Skip, skipOf, skipping } from "../skips.js";
import { isSwitchedOff, type RuleEffect, unknownRule, unmanagedRules } from "../unmanaged-rules.js";
import { type Managed, PHASE } from "./named-ruleset.js";
import { type Context, managedOf } from "./read.js";

/**
 * The unmanaged rules of the list in which managed rulesets are executed, each with its effect.
 *
 * @param staying live rules that execute undeclared rulesets. All other executing rules are declared or to be deleted
 */
export function unmanagedRulesOf(
  staying: readonly Item[],
  { ruleset, managed }: Context,
): readonly LiveUnmanaged[] {
  const stays = new Set(staying.map(({ ref }) => ref.id));
  const isManaged = (rule: LiveRule) => executedBy(rule) !== null && !stays.has(rule.id);
  // A new rule comes last in the list.
  const executedIds = new Set((ruleset?.rules ?? []).map(executedBy));
  const isToCome = [...managed.keys()].some((id) => !executedIds.has(id));
  return unmanagedRules(ruleset, PHASE, isManaged, (rule, behind) => {
    const rulesetId = executedBy(rule);
    if (rulesetId !== null) return executing(rule, rulesetId);
    const skip = skipOf(rule);
    if (skip === null) return unknownRule(rule);
    // A disabled ruleset counts too: once enabled, it runs behind the skip rule.
    const isInFront = isToCome || behind.some((each) => executedBy(each) !== null);
    return skipping(rule, skip, isInFront, (id) => managed.get(id)?.name ?? documentedName(id));
  });
}

/** One more documented managed ruleset strengthens protection. The effect of another ruleset is unknown. */
function executing({ expression = null }: LiveRule, id: string): RuleEffect {
  const does = `executes ${documentedName(id)} on ${requestsOf(expression)}`;
  return { does, effect: DOCUMENTED.has(id) ? "strengthens" : "unknown" };
}

/**
 * The rules of this or an earlier list that keep the rule from running the ruleset, because they skip it.
 *
 * @param lists the zone's lists of rules. A list that is absent is as it was read
 */
export function hindrancesOf(
  item: Item,
  context: Context | null,
  lists: ZoneState["rules"],
): readonly Hindrance[] {
  const managed = managedOf(context, item);
  const scope = asText(item.normal.expression ?? "");
  const rules = lists.get(PHASE.name) ?? context?.ruleset?.rules ?? [];
  const skips = inFrontOf(item.ref.id, rules).flatMap((rule) => {
    const skip = isSwitchedOff(rule) ? null : skipOf(rule);
    const of = skip === null ? null : partOf(skip, managed);
    return of === null ? [] : [skippedBy(rule, scope, of)];
  });
  return [
    ...bypassedBy(bypassesWith(context?.bypasses ?? [], lists), scope, (skip) => partOf(skip, managed)),
    ...skips,
  ];
}

/** @param id the rule's id. Null: the rule is new, and comes last */
function inFrontOf(id: string | null, rules: readonly JsonObject[]): readonly JsonObject[] {
  const place = rules.findIndex((rule) => rule.id === id);
  return place < 0 ? rules : rules.slice(0, place);
}

/** The skipped part of the managed ruleset. Null: nothing. */
function partOf({ isWhole, rulesets, rules, isClear }: Skip, managed: Managed | null): "all" | "some" | null {
  const id = managed?.id ?? "";
  const single = rules.flatMap(([ruleset, ids]) => (ruleset === id ? ids : []));
  // Without the scoring rule, the score has no effect.
  if (isWhole || rulesets.includes(id) || single.includes(managed?.scoring?.id ?? "")) return "all";
  return single.length > 0 || !isClear ? "some" : null;
}
