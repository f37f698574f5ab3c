import type { Json, JsonObject } from "../../model/json.js";
import { phasePermissions } from "../../model/phases.js";
import type { RequestAct } from "../../model/request-lines.js";
import { expressionCheck } from "../expression.js";
import { error, type Finding, type Kind } from "../kind.js";
import {
  actionField,
  blockParameters,
  checkAction,
  responseField,
  responseIn,
  responseStrength,
} from "../rule-actions.js";
import { checkPosition, nothingBeside, type RuleListContext, ruleList } from "../rule-list.js";
import { beyondRuleLimits } from "../rule-plans.js";
import { PHASE } from "./phase.js";
import { ACTIONS, customRuleSchema } from "./schema.js";
import { checkSkip, skipField, skipIn, skipMembers, skipsNothing } from "./skip.js";
import { listed, strengthOf, strengthWithLogs, tell } from "./strength.js";

const checkExpression = expressionCheck(PHASE.name);

/** Rules that block, challenge or log requests, or let them skip other protection. */
export const customRule: Kind<RuleListContext<null>> = {
  ...ruleList<null>({
    phase: PHASE,
    fields: { action: actionField, skip: skipField, response: responseField },
    membersOf: {
      action: ["action", "action_parameters", "logging"],
      skip: ["action_parameters", "logging"],
      response: ["action_parameters"],
    },
    // The rules of an executed ruleset are elsewhere.
    fromRule: (rule) =>
      typeof rule.action !== "string" || rule.action === "execute"
        ? null
        : { action: rule.action, ...(rule.action === "skip" ? skipIn(rule) : responseIn(rule)) },
    toRule: (normal, _, live) => ({
      action: normal.action as string, // a required field
      ...(normal.action === "skip" ? skipMembers(normal, live) : {}),
      ...(normal.action === "block" ? blockParameters(normal, live) : {}),
    }),
    excludedBy: ({ action }) => {
      if (action === undefined) return [];
      return [...(action === "skip" ? [] : ["skip"]), ...(action === "block" ? [] : ["response"])];
    },
    judged: { by: "list", listed },
    tell,
    readBeside: nothingBeside,
  }),
  section: "custom_rules",
  schema: customRuleSchema,
  touches: { requests: { does: "applies_to", acts: ({ action }) => ACTS.get(action as Json) ?? null } },
  service: {
    included: { as: "custom rules" },
    mostRules: { free: 5, pro: 20, business: 100, enterprise: 1000 },
    permissions: phasePermissions[PHASE.name],
    dashboard: "security/security-rules",
  },
  checks: {
    declared: (body, service) => [...checkExpression(body, service), ...check(body), ...checkPosition(body)],
    inPlan: beyondRuleLimits,
    whole: ({ normal }) =>
      normal.action === "skip" && (normal.skip ?? null) === null ? [skipsNothing()] : [],
  },
  dimensions: (normal) => ({ ...strengthWithLogs(normal), ...responseStrength(normal) }),
  blocking: strengthOf,
};

/** Other actions neither surely block nor only report. */
const ACTS: ReadonlyMap<Json, RequestAct> = new Map([
  ["block", "blocks"],
  ["log", "reports"],
]);

function check(body: JsonObject): readonly Finding[] {
  return body.action === "execute" ? [executes()] : [...checkAction(body, ACTIONS), ...checkSkip(body)];
}

function executes(): Finding {
  const detail =
    "A rule that executes a custom ruleset cannot be declared. Leave it in the zone as an undeclared rule, or write the rules of its ruleset here.";
  return error(["action"], "undeclarable_action", 'Action "execute" cannot be declared', detail);
}
