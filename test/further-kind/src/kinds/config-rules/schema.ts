import type { Schema } from "../../model/wanted.js";

export const configRuleSchema: Schema = {
  title: "Configuration rule",
  description: "Settings that the zone has otherwise for some requests.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    description: {
      type: "string",
      pattern: "\\S",
      description: "The rule's name, unique within the zone. It is how the rule is found again.",
    },
    id: { type: "string", description: "Pins the live rule with this id." },
    renamed_from: { type: "string", pattern: "\\S", description: "The description that it had before." },
    ensure: { enum: ["absent"], description: "absent: delete the rule if it is live." },
    expression: { type: "string", description: "The requests that have the settings." },
    settings: { type: "object", minProperties: 1, description: "Settings by their names." },
    enabled: { type: "boolean", description: "Whether the rule has an effect." },
  },
};
