import { cutEnd } from "../model/cut.js";
import { isObject, isTexts, type Json, type JsonObject, textsIn } from "../model/json.js";
import { MANAGED_PHASE } from "./documented-rulesets.js";
import { requestsOf } from "./expression.js";
import { type LiveRule, parametersOf } from "./phase.js";
import type { RuleEffect } from "./unmanaged-rules.js";

/** What a rule with the action `skip` names. */
export interface SkipParameters {
  /** The parameters that name the rest of the rule's list. */
  readonly current: readonly string[];
  readonly phases: readonly string[];
  readonly products: readonly string[];
  /** The ids of whole rulesets. */
  readonly rulesets: readonly string[];
  /** Single rules by ruleset, all by id. */
  readonly rules: readonly (readonly [ruleset: string, ids: readonly string[]])[];
  /** Whether all of the rule was understood. A rule in an unknown form may skip anything. */
  readonly isClear: boolean;
}

/** The documented phases and products (https://developers.cloudflare.com/waf/custom-rules/skip/options/). */
export const PHASES: readonly string[] = ["http_ratelimit", "http_request_sbfm", MANAGED_PHASE.name];
export const PRODUCTS = ["zoneLockdown", "uaBlock", "bic", "hot", "securityLevel", "rateLimit", "waf"];

const isCurrent = (value: Json) => value === "current";

/** The parameters that name what is skipped, each with its documented form. */
const FORMS = new Map<string, (value: Json) => boolean>([
  ["ruleset", isCurrent],
  ["phase", isCurrent],
  ["phases", isTexts],
  ["products", isTexts],
  ["rulesets", isTexts],
  ["rules", (value) => isObject(value) && Object.values(value).every(isTexts)],
]);

export const SKIPPED: readonly string[] = [...FORMS.keys()];

/** Null: the rule has another action. */
export function skipParameters(rule: JsonObject): SkipParameters | null {
  if (rule.action !== "skip") return null;
  const { logging: _, ...parameters } = parametersOf(rule);
  const { phases, products, rulesets, rules = {} } = parameters;
  const read = {
    current: ["ruleset", "phase"].filter((name) => parameters[name] === "current"),
    phases: textsIn(phases),
    products: textsIn(products),
    rulesets: textsIn(rulesets),
    rules: Object.entries(isObject(rules) ? rules : {}).map(([id, ids]) => [id, textsIn(ids)] as const),
  };
  const namesAny = Object.values(read).some((each) => each.length > 0);
  const isKnown = Object.entries(parameters).every(([name, value]) => FORMS.get(name)?.(value) === true);
  return { ...read, isClear: namesAny && isKnown };
}

/** The managed rulesets, rules and phases that a skip rule skips. */
export interface Skip extends Pick<SkipParameters, "rulesets" | "rules" | "isClear"> {
  /** All managed rules behind the skip rule. */
  readonly isWhole: boolean;
  /** Phases other than that of managed rules. */
  readonly phases: readonly string[];
}

/**
 * What a rule lets requests skip of managed rulesets. Null: it does not skip.
 *
 * @param list the phase of the rule's list
 */
export function skipOf(rule: JsonObject, list: string = MANAGED_PHASE.name): Skip | null {
  const parameters = skipParameters(rule);
  if (parameters === null) return null;
  const { current, phases, products, rulesets, rules, isClear } = parameters;
  const isManaged = list === MANAGED_PHASE.name;
  const isKnown = isManaged
    ? products.length === 0 && !current.includes("phase")
    : products.every((product) => PRODUCTS.includes(product));
  return {
    isWhole: (isManaged && current.includes("ruleset")) || phases.includes(MANAGED_PHASE.name),
    rulesets,
    rules,
    phases: phases.filter((phase) => phase !== MANAGED_PHASE.name),
    isClear: isClear && isKnown,
  };
}

/**
 * The effect of a skip rule.
 *
 * @param isInFront whether a ruleset is executed behind it
 */
export function skipping(
  { expression = null }: LiveRule,
  skip: Skip,
  isInFront: boolean,
  nameOf: (ruleset: string) => string,
): RuleEffect {
  const requests = requestsOf(expression);
  const skipped = skippedText(skip, isInFront, nameOf);
  // Other phases run later, wherever the rule stands in this one.
  const isFelt = (isInFront || skip.phases.length > 0) && requests !== "no request";
  const place = isInFront ? "" : ", after all managed rulesets have run";
  return { does: `skips ${skipped}${place}: ${requests}`, effect: isFelt ? "weakens" : "neutral" };
}

/** Unless it is clear what a rule skips, it may skip every ruleset behind it. */
function skippedText(skip: Skip, isInFront: boolean, nameOf: (ruleset: string) => string): string {
  const rulesets = skip.isWhole || !skip.isClear ? ["the later managed rulesets"] : namedIn(skip, nameOf);
  const phases = skip.phases.map((phase) => `the phase ${cutEnd(phase, MAX_CHARS)}`);
  return [...(isInFront ? rulesets : []), ...phases].join(", ") || "nothing";
}

/** The rulesets that a skip rule names, and the number of single rules in other rulesets. */
export function namedIn(
  { rulesets, rules }: Pick<Skip, "rulesets" | "rules">,
  nameOf: (ruleset: string) => string,
): readonly string[] {
  const countText = (count: number) => (count === 1 ? "1 rule" : `${count} rules`);
  return [...rulesets.map(nameOf), ...rules.map(([id, ids]) => `${countText(ids.length)} of ${nameOf(id)}`)];
}

const MAX_CHARS = 40;
