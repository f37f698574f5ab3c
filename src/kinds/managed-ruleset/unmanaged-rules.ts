import { cutEnd } from "../../model/cut.js";
import { asText, isList, isObject, type Json, textsIn } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Hindrance } from "../../model/strength.js";
import type { LiveUnmanaged } from "../../model/unmanaged.js";
import { requestsOf } from "../expression.js";
import { whileOff } from "../fields.js";
import type { LiveRule } from "../phase.js";
import { isSwitchedOff, type RuleEffect, unknownRule, unmanagedRules } from "../unmanaged-rules.js";
import { CORE_RULESET, executedBy, type Managed, PHASE } from "./managed.js";
import type { Context } from "./read.js";

/** The unmanaged rules of the list in which the managed ruleset is executed, each with what it does. */
export function unmanagedRulesOf({ ruleset, managed }: Context): readonly LiveUnmanaged[] {
  const isOwn = (rule: LiveRule) => managed !== null && executedBy(rule) === managed.id;
  // A rule that is not there yet is put last.
  const isToCome = managed !== null && !(ruleset?.rules ?? []).some(isOwn);
  return unmanagedRules(ruleset, PHASE, isOwn, (rule, behind) => {
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

/** What a skip rule makes requests go past. */
interface Skip {
  /** All managed rules behind it. */
  readonly isWhole: boolean;
  /** By their ids. */
  readonly rulesets: readonly string[];
  /** Single rules of rulesets: the ids of both. */
  readonly rules: readonly (readonly [ruleset: string, ids: readonly string[]])[];
  /** Other phases than that of managed rules. */
  readonly phases: readonly string[];
  /** Whether that is all of it: what is said in another form may skip anything. */
  readonly isClear: boolean;
}

/** The forms are those of the service's documentation of skip rules. Null: the rule skips nothing. */
function skipOf({ action, action_parameters: said }: LiveRule): Skip | null {
  if (action !== "skip") return null;
  const { ruleset, rulesets = [], rules = {}, phases = [], ...others } = isObject(said) ? said : {};
  const single = Object.entries(isObject(rules) ? rules : {});
  const lists: readonly Json[] = [rulesets, phases, ...single.map(([, ids]) => ids)];
  const isSaid = [ruleset, ...textsIn(rulesets), ...textsIn(phases), ...single].some(
    (each) => each !== undefined,
  );
  const isRead = isObject(rules) && lists.every(isTexts) && Object.keys(others).length === 0;
  return {
    isWhole: ruleset === "current" || textsIn(phases).includes(PHASE.name),
    rulesets: textsIn(rulesets),
    rules: single.map(([id, ids]) => [id, textsIn(ids)]),
    phases: textsIn(phases).filter((phase) => phase !== PHASE.name),
    isClear: isSaid && isRead && (ruleset === undefined || ruleset === "current"),
  };
}

function isTexts(value: Json): boolean {
  return isList(value) && value.every((each) => typeof each === "string");
}

/** What keeps the rule from running the ruleset: that it is switched off, and unmanaged skip rules in front of it. */
export function hindrancesOf(
  normal: SealedObject,
  context: Pick<Context, "ruleset" | "managed"> | null,
): readonly Hindrance[] {
  const own = asText(normal.expression ?? "");
  const managed = context?.managed ?? null;
  const skips = inFrontOf(managed, context?.ruleset?.rules ?? []).flatMap((rule) => {
    const skip = isSwitchedOff(rule) ? null : skipOf(rule);
    const of = skip === null ? null : partOf(skip, managed);
    return of === null
      ? []
      : [{ as: "skip", by: ruleName(rule), where: asText(rule.expression ?? ""), own, of } as const];
  });
  return [...whileOff(normal), ...skips];
}

/** A rule that is to be made comes last. */
function inFrontOf(managed: Managed | null, rules: readonly LiveRule[]): readonly LiveRule[] {
  const place = rules.findIndex((rule) => managed !== null && executedBy(rule) === managed.id);
  return place < 0 ? rules : rules.slice(0, place);
}

/** How much of the managed ruleset it is; null: nothing. */
function partOf({ isWhole, rulesets, rules, isClear }: Skip, managed: Managed | null): "all" | "some" | null {
  const id = managed?.id ?? "";
  const single = rules.flatMap(([ruleset, ids]) => (ruleset === id ? ids : []));
  // Without the scoring rule, the score that the other rules add up has no effect.
  if (isWhole || rulesets.includes(id) || single.includes(managed?.scoring?.id ?? "")) return "all";
  return single.length > 0 || !isClear ? "some" : null;
}

function ruleName({ description, id }: LiveRule): string {
  return typeof description === "string" && description !== "" ? description : `rule ${id}`;
}
