import { isObject, type Json } from "../../model/json.js";
import { phasePermissions } from "../../model/phases.js";
import { expressionCheck } from "../expression.js";
import type { Kind } from "../kind.js";
import type { Phase } from "../phase.js";
import { nothingBeside, type RuleListContext, ruleList } from "../rule-list.js";
import { configRuleSchema } from "./schema.js";

const PHASE: Phase = {
  kind: "config_rule",
  name: "http_config_settings",
  description: "Configuration rules",
};

/** Configuration rules: zone settings that differ for some requests. */
export const configRule: Kind<RuleListContext<null>> = {
  ...ruleList<null>({
    phase: PHASE,
    fields: { settings: { form: "any", required: true, identifies: true } },
    membersOf: { settings: ["action_parameters"] },
    fromRule: ({ action, action_parameters: settings = null }) =>
      action === "set_config" && isObject(settings) ? { settings } : null,
    toRule: ({ settings = null }) => ({
      action: "set_config",
      action_parameters: settings as Json, // no secrets
    }),
    readBeside: nothingBeside,
  }),
  section: "config_rules",
  schema: configRuleSchema,
  service: {
    included: { as: "configuration rules" },
    permissions: phasePermissions[PHASE.name],
    dashboard: "rules/configuration-rules",
  },

  checks: { declared: expressionCheck(PHASE.name) },
  dimensions: ({ enabled, expression, settings }) =>
    enabled === false
      ? {}
      : {
          settings: {
            as: "unknown",
            is: JSON.stringify([expression, settings]),
            why: "what settings do to protection is unknown",
          },
        },
};
