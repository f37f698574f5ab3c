import { cutEnd } from "../../model/cut.js";
import { isList, isObject, type Json, type JsonObject, textsIn } from "../../model/json.js";
import { requestsOf } from "../expression.js";
import type { Stranger } from "../kind.js";
import { foreignRules, type LiveRule, type RuleEffect, unknownRule } from "../phase.js";
import { CORE_RULESET, executedBy, type Managed, PHASE } from "./managed.js";
import type { Around } from "./read.js";

/** The rules of others in the list in which the managed ruleset is executed, each with what it does. */
export function strangersIn({ ruleset, managed }: Around): readonly Stranger[] {
  const isOwn = (rule: LiveRule) => managed !== null && executedBy(rule) === managed.id;
  // A rule that is not there yet is put last.
  const isToCome = managed !== null && !(ruleset?.rules ?? []).some(isOwn);
  return foreignRules(ruleset, PHASE, isOwn, (rule, behind) => {
    const executed = executedBy(rule);
    if (executed !== null) return executing(rule, executed);
    if (rule.action !== "skip") return unknownRule(rule);
    // What is switched off may be switched on, and the skip rule is in front of it then.
    return skipping(rule, managed, isToCome || behind.some((each) => executedBy(each) !== null));
  });
}

/** A managed ruleset more is one more that protects, where it is one that the service documents. */
function executing({ expression = null }: LiveRule, id: string): RuleEffect {
  const name = DOCUMENTED.get(id);
  const does = `executes ${name ?? `the ruleset ${cutEnd(id, MAX_CHARS)}`} on ${requestsOf(expression)}`;
  return { does, effect: name === undefined ? "unknown" : "strengthens" };
}

/** Those whose ids are the same in all accounts, says the service's documentation. */
const DOCUMENTED: ReadonlyMap<string, string> = new Map([
  [CORE_RULESET.id, CORE_RULESET.name],
  ["efb7b8c949ac4650a09736fc376e9aee", "Cloudflare Managed Ruleset"],
  ["c2e184081120413c86c3ab7e14069605", "Cloudflare Exposed Credentials Check Managed Ruleset"],
  ["77454fe2d30c4220b5701f6fdfb893ba", "Cloudflare Managed Free Ruleset"],
  ["e22d83c647c64a3eae91b71b499d988e", "Cloudflare Sensitive Data Detection"],
]);

/** @param isInFront whether a ruleset is executed behind it */
function skipping(rule: LiveRule, managed: Managed | null, isInFront: boolean): RuleEffect {
  const requests = requestsOf(rule.expression ?? null);
  const what = skippedBy(rule, managed);
  if (!isInFront) return { does: `skips ${requests} behind all managed rulesets${what}`, effect: "neutral" };
  const effect = requests === "no request" ? "neutral" : "weakens";
  return { does: `skips ${requests} before the managed ruleset${what}`, effect };
}

/** What it skips, where that is not all that follows. */
function skippedBy({ action_parameters: parameters }: JsonObject, managed: Managed | null): string {
  const { rulesets, rules } = isObject(parameters) ? parameters : {};
  if (isList(rulesets))
    return `: ${textsIn(rulesets)
      .map((id) => nameOf(id, managed))
      .join(", ")}`;
  if (!isObject(rules)) return "";
  const some = Object.entries(rules).map(([id, ids]) => `${countOf(ids)} of ${nameOf(id, managed)}`);
  return `: ${some.join(", ")}`;
}

function countOf(ids: Json): string {
  const n = isList(ids) ? ids.length : 0;
  return n === 1 ? "1 rule" : `${n} rules`;
}

function nameOf(id: string, managed: Managed | null): string {
  const known = id === managed?.id ? managed.name : DOCUMENTED.get(id);
  return known ?? DOCUMENTED.get(id) ?? `the ruleset ${cutEnd(id, MAX_CHARS)}`;
}

const MAX_CHARS = 40;
