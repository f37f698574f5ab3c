import { isObject, isTexts, type Json, type JsonObject, textsIn } from "../model/json.js";
import { MANAGED_PHASE } from "./managed-rules.js";
import { parametersOf } from "./phase.js";

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
