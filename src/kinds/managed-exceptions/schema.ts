import type { Schema } from "../../model/wanted.js";
import { namedProperties } from "../named-schema.js";

const RULE_ID = "^[0-9a-fA-F]{32}$";

export const managedExceptionSchema: Schema = {
  title: "Managed exception",
  description:
    "A rule that lets requests skip managed rulesets. Exceptions are evaluated in the order of the list.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("exception", "rule"),
    expression: {
      type: "string",
      pattern: "\\S",
      description: 'The requests that skip, as a filter expression. "true" matches every request.',
      examples: ['http.request.uri.path eq "/healthz"'],
    },
    skip: {
      type: ["string", "array", "object"],
      pattern: "^all$",
      minItems: 1,
      items: { type: "string", pattern: "\\S", description: "A ruleset's name or id." },
      minProperties: 1,
      additionalProperties: {
        type: ["array", "null"],
        minItems: 1,
        items: {
          type: "string",
          pattern: RULE_ID,
          description: "A rule's id: 32 hexadecimal digits.",
        },
      },
      description: "all: every managed ruleset. A list names rulesets; a map names rules by ruleset.",
      examples: [
        "all",
        ["Cloudflare Managed Ruleset"],
        { "Cloudflare OWASP Core Ruleset": ["1a2b3c4d5e6f708192a3b4c5d6e7f809"] },
      ],
    },
    enabled: {
      type: "boolean",
      description: "Whether the exception applies. Default of a new exception: true.",
    },
  },
};
