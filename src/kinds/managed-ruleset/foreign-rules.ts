import { cutEnd } from "../../model/cut.js";
import { requestsOf } from "../expression.js";
import type { Stranger } from "../kind.js";
import { foreignRules, type LiveRule, type RuleEffect, unknownRule } from "../phase.js";
import { CORE_RULESET, executedBy, type Managed, PHASE } from "./managed.js";
import type { Around } from "./read.js";
import { type Skip, skipOf } from "./skips.js";

/** The rules of others in the list in which the managed ruleset is executed, each with what it does. */
export function strangersIn({ ruleset, managed }: Around): readonly Stranger[] {
  const isOwn = (rule: LiveRule) => managed !== null && executedBy(rule) === managed.id;
  // A rule that is not there yet is put last.
  const isToCome = managed !== null && !(ruleset?.rules ?? []).some(isOwn);
  return foreignRules(ruleset, PHASE, isOwn, (rule, behind) => {
    const executed = executedBy(rule);
    if (executed !== null) return executing(rule, executed);
    const skip = skipOf(rule);
    if (skip === null) return unknownRule(rule);
    // What is switched off may be switched on, and the skip rule is in front of it then.
    const isInFront = isToCome || behind.some((each) => executedBy(each) !== null);
    return skipping(rule, skippedText(skip, managed), isInFront);
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
function skipping({ expression = null }: LiveRule, what: string, isInFront: boolean): RuleEffect {
  const requests = requestsOf(expression);
  if (!isInFront) return { does: `skips ${requests} behind all managed rulesets${what}`, effect: "neutral" };
  const effect = requests === "no request" ? "neutral" : "weakens";
  return { does: `skips ${requests} before the managed ruleset${what}`, effect };
}

/** What it skips, where that is surely not all that follows. */
function skippedText({ isWhole, isClear, rulesets, rules, phases }: Skip, managed: Managed | null): string {
  if (isWhole || !isClear) return "";
  const parts = [
    ...rulesets.map((id) => nameOf(id, managed)),
    ...rules.map(
      ([id, ids]) => `${ids.length === 1 ? "1 rule" : `${ids.length} rules`} of ${nameOf(id, managed)}`,
    ),
    ...phases.map((phase) => `the phase ${cutEnd(phase, MAX_CHARS)}`),
  ];
  return `: ${parts.join(", ")}`;
}

function nameOf(id: string, managed: Managed | null): string {
  const known = id === managed?.id ? managed.name : null;
  return known ?? DOCUMENTED.get(id) ?? `the ruleset ${cutEnd(id, MAX_CHARS)}`;
}

const MAX_CHARS = 40;
