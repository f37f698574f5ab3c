import { uniform } from "../../expression/spelling/uniform.js";
import { asText, isObject, type Json, textsIn } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Dimensions, Strength } from "../../model/strength.js";
import { NO_ACTION } from "./normal.js";
import { levelsOn } from "./paranoia.js";

/** How strongly the ruleset protects. Where it does not run, nothing else of it counts. */
export function strengthOf(normal: SealedObject): Dimensions {
  if (normal.enabled !== true) return { managed_ruleset: { as: "rank", value: 0 } };
  const {
    paranoia_level: level,
    score_threshold: threshold,
    action,
    expression,
  } = normal as { readonly [field: string]: Json }; // none of them is sensitive
  return {
    managed_ruleset: { as: "rank", value: 1, is: "the managed ruleset" },
    paranoia_level: {
      as: "set",
      stronger: "more",
      of: levelsOn(asText(level)).map((each) => `level ${each}`),
    },
    score_threshold: thresholdStrength(threshold),
    action: actionStrength(action),
    expression: { as: "opaque", is: uniform(asText(expression ?? "")) },
    disabled_tags: disabled(normal.disabled_tags as Json), // not sensitive
    ...ruleStrengths(normal),
  };
}

/** The higher the threshold, the more rules must match before the action runs. */
function thresholdStrength(threshold: Json | undefined): Strength {
  return typeof threshold === "number"
    ? { as: "rank", value: -threshold, is: `score threshold ${threshold}` }
    : { as: "opaque", is: "the ruleset's own score threshold" };
}

function actionStrength(action: Json | undefined): Strength {
  const value = ACTIONS.get(asText(action));
  if (value === undefined) return { as: "opaque", is: asText(action ?? "the ruleset's own action") };
  return { as: "rank", value, is: `action ${asText(action)}` };
}

/** The challenges differ in what they ask of a visitor, not in what they let through. */
const ACTIONS: ReadonlyMap<string, number> = new Map([
  [NO_ACTION, 0],
  ["log", 1],
  ["managed_challenge", 2],
  ["js_challenge", 2],
  ["challenge", 2],
  ["block", 3],
]);

function disabled(names: Json | undefined): Strength {
  return { as: "set", stronger: "fewer", of: textsIn(names) };
}

/** Single rules: switched off, switched on where the ruleset may have them off, and with another action. */
function ruleStrengths({ rules, disabled_rules: ids }: SealedObject): Dimensions {
  if (!isObject(rules)) return { disabled_rules: disabled(ids as Json) }; // not sensitive
  const entries = Object.entries(rules).flatMap(([id, said]) =>
    isObject(said) ? [[id, said] as const] : [],
  );
  const having = (enabled: boolean) =>
    entries.filter(([, said]) => said.enabled === enabled).map(([id]) => id);
  const actions = entries.flatMap(([id, { action }]) =>
    typeof action === "string" ? [`${id}: ${action}`] : [],
  );
  return {
    disabled_rules: disabled(having(false)),
    enabled_rules: { as: "set", stronger: "more", of: having(true) },
    rule_actions: { as: "opaque", is: actions.sort().join(", ") || "the rules' own actions" },
  };
}
