import { isObject } from "../../model/json.js";
import type { Kind } from "../kind.js";
import type { Phase } from "../phase.js";
import { nothingBeside, type RuleListContext, ruleList } from "../rule-list.js";

const PHASE: Phase = {
  kind: "config_rule",
  name: "http_config_settings",
  description: "Configuration rules",
};

/** Configuration rules: zone settings that differ for some requests. */
export const configRule: Kind<RuleListContext<null>> = ruleList<null>({
  section: "config_rules",
  phase: PHASE,
  schema: {
    title: "Configuration rule",
    description: "Settings that the zone has otherwise for some requests.",
    noun: "rule",
    expression: { description: "The requests that have the settings." },
  },
  fields: {
    settings: {
      schema: { type: "object", minProperties: 1, description: "Settings by their names." },
      form: "any",
      required: true,
      identifies: true,
    },
  },
  fromRule: ({ action, action_parameters: settings = null }) =>
    action === "set_config" && isObject(settings) ? { settings } : null,
  toRule: ({ settings = null }) => ({ action: "set_config", action_parameters: settings }),
  readBeside: nothingBeside,
  service: { included: { as: "configuration rules" }, dashboard: "rules/configuration-rules" },
  dimensions: ({ normal: { enabled, expression, settings } }) =>
    enabled === false
      ? {}
      : {
          settings: {
            as: "unknown",
            is: JSON.stringify([expression, settings]),
            why: "what settings do to protection is unknown",
          },
        },
});
