import type { Schema } from "../../model/wanted.js";

export const policySchema: Schema = {
  title: "Policy",
  description: "A content security policy that the service adds to matching pages.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    description: {
      type: "string",
      pattern: "\\S",
      description: "The policy's name, unique within the zone.",
    },
    id: { type: "string", description: "Pins the live policy with this id." },
    renamed_from: {
      type: "string",
      pattern: "\\S",
      description: "The description that the live policy had before.",
    },
    ensure: { enum: ["absent"], description: "absent: delete the policy if it is live." },
    action: {
      enum: ["log", "allow", "add_reporting_directives"],
      description: "log reports what the policy does not allow; allow blocks it.",
    },
    enabled: { type: "boolean", description: "Whether the policy applies. A new policy is enabled." },
    expression: {
      type: "string",
      pattern: "\\S",
      description: "A filter expression: the requests that the policy applies to.",
    },
    value: {
      type: ["string", "object"],
      description: "The CSP: as text, or as a map from directive to a list of sources.",
      additionalProperties: { type: ["array", "null"], items: { type: "string" } },
    },
  },
};
