import type { Schema } from "../../model/wanted.js";
import { namedProperties } from "../named-schema.js";

export const policySchema: Schema = {
  title: "Policy",
  description: "A content security policy that the service adds to matching pages.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("policy"),
    action: {
      enum: ["log", "allow", "add_reporting_directives"],
      description:
        "log: only report what the value does not allow. allow: block what the value does not allow. add_reporting_directives: have the site's own policy report; by its value nothing is blocked.",
    },
    enabled: { type: "boolean", description: "Whether the policy applies. A new policy is enabled." },
    expression: {
      type: "string",
      pattern: "\\S",
      description: "A filter expression: the pages that the policy applies to. The text true is every page.",
      examples: ['starts_with(http.request.uri.path, "/checkout")'],
    },
    value: {
      type: ["string", "object"],
      description:
        "The content security policy: as text, or as a map from directive to a list of sources, which is sent in the order written.",
      examples: ["script-src 'self' cdn.example.net", { "script-src": ["'self'", "cdn.example.net"] }],
      additionalProperties: { type: ["array", "null"], items: { type: "string" } },
    },
  },
};
