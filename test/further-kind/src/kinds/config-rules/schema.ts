import type { Schema } from "../../model/wanted.js";
import { namedProperties } from "../named-schema.js";

export const configRuleSchema: Schema = {
  title: "Configuration rule",
  description: "Settings that the zone has otherwise for some requests.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("rule"),
    expression: { type: "string", description: "The requests that have the settings." },
    settings: { type: "object", minProperties: 1, description: "Settings by their names." },
    enabled: { type: "boolean", description: "Whether the rule has an effect." },
  },
};
