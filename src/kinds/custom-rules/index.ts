import { type Json, type JsonObject, pick } from "../../model/json.js";
import type { RequestAct } from "../../model/request-lines.js";
import { error, type Finding, type Kind } from "../kind.js";
import { beyondRuleLimits } from "../plan-limits.js";
import {
  ACTIONS,
  actionField,
  checkAction,
  responseField,
  responseIn,
  responseMembers,
  responseStrength,
} from "../rule-actions.js";
import { nothingBeside, type RuleListContext, ruleList } from "../rule-list.js";
import { PHASE } from "./phase.js";
import { checkSkip, skipField, skipIn, skipMembers, skipsNothing } from "./skip.js";
import { listed, strengthOf, strengthWithLogs, tell } from "./strength.js";

const ACTIONS_OR_SKIP = [...ACTIONS, "skip"];

/** Rules that block, challenge or log requests, or let them skip other protection. */
export const customRule: Kind<RuleListContext<null>> = ruleList<null>({
  section: "custom_rules",
  phase: PHASE,
  schema: {
    title: "Custom rule",
    description:
      "A rule that blocks, challenges or logs requests, or lets them skip protection. Rules are evaluated in the order of the list; block and challenges end it.",
    noun: "rule",
    expression: {
      description: "The requests that the rule applies to, as a filter expression.",
      examples: ['starts_with(http.request.uri.path, "/v1/")'],
    },
  },
  fields: {
    action: actionField(ACTIONS_OR_SKIP, "The action on matching requests"),
    skip: skipField,
    response: responseField,
  },
  // The rules of an executed ruleset are elsewhere.
  fromRule: (rule) =>
    typeof rule.action !== "string" || rule.action === "execute"
      ? null
      : { action: rule.action, ...(rule.action === "skip" ? skipIn(rule) : responseIn(rule)) },
  toRule: (normal, _, live) => ({
    ...pick(normal, ["action"]),
    ...(normal.action === "skip" ? skipMembers(normal, live) : responseMembers(normal, live)),
  }),
  excludedBy: ({ action }) => {
    if (action === undefined) return [];
    return [...(action === "skip" ? [] : ["skip"]), ...(action === "block" ? [] : ["response"])];
  },
  at: { judged: { by: "list", listed } },
  tell,
  readBeside: nothingBeside,
  touches: { requests: { does: "applies_to", acts: ({ action }) => ACTS.get(action as Json) ?? null } },
  service: {
    included: { as: "custom rules" },
    otherNames: ["firewall_rules"],
    mostRules: { free: 5, pro: 20, business: 100, enterprise: 1000 },
  },
  checks: {
    declared: check,
    inPlan: beyondRuleLimits,
    whole: ({ normal }) =>
      normal.action === "skip" && (normal.skip ?? null) === null ? [skipsNothing()] : [],
  },
  dimensions: ({ normal }) => ({ ...strengthWithLogs(normal), ...responseStrength(normal) }),
  blocking: ({ normal }) => strengthOf(normal),
});

/** Other actions neither surely block nor only report. */
const ACTS: ReadonlyMap<Json, RequestAct> = new Map([
  ["block", "blocks"],
  ["log", "reports"],
]);

function check(body: JsonObject): readonly Finding[] {
  if (body.action !== "execute") return [...checkAction(body, ACTIONS_OR_SKIP), ...checkSkip(body)];
  const detail =
    "A rule that executes a custom ruleset cannot be declared. Leave it in the zone as an undeclared rule, or write the rules of its ruleset here.";
  return [error(["action"], "undeclarable_action", 'Action "execute" cannot be declared', detail)];
}
