import type { Schema } from "../../model/declared-zone.js";
import { namedProperties, text } from "../schema.js";

export const policySchema: Schema = {
  title: "Policy",
  description: "A content security policy for matching pages.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("policy"),
    action: {
      enum: ["log", "allow", "add_reporting_directives"],
      description:
        "log: report loads that the value does not allow; allow: block them. add_reporting_directives: make the site's own policy report.",
    },
    enabled: { type: "boolean", description: "Whether the policy applies. Default of a new policy: true." },
    expression: text('The pages of the policy, as a filter expression. "true" matches every page.', {
      examples: ['starts_with(http.request.uri.path, "/checkout")'],
    }),
    value: {
      type: ["string", "object"],
      description: "The CSP value, as a string or as a map from directive to sources.",
      examples: ["script-src 'self' cdn.example.net", { "script-src": ["'self'", "cdn.example.net"] }],
      additionalProperties: {
        type: ["array", "null"],
        items: { type: "string" },
        examples: [["'self'"], ["'none'"]],
      },
    },
  },
};
