import type { Schema } from "../../model/wanted.js";
import { namedProperties } from "../named-schema.js";

const RULE_ID = "^[0-9a-fA-F]{32}$";

export const managedExceptionSchema: Schema = {
  title: "Managed exception",
  description:
    "Requests that managed rulesets let past: a skip rule in front of the rules that execute them, in the order of the list. A key that is absent is left as it is.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("exception", "rule"),
    expression: {
      type: "string",
      pattern: "\\S",
      description: "A filter expression: the requests that go past. The text true is every request.",
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
          description: "The id of a rule has 32 hexadecimal digits.",
        },
      },
      description:
        "What they go past. all: every managed ruleset that is executed. A list: these rulesets, by name or id. A map: of each ruleset these rules, by their ids.",
      examples: [
        "all",
        ["Cloudflare Managed Ruleset"],
        { "Cloudflare OWASP Core Ruleset": ["1a2b3c4d5e6f708192a3b4c5d6e7f809"] },
      ],
    },
    enabled: {
      type: "boolean",
      description: "Whether the exception applies. A new one does.",
    },
  },
};
