import type { Schema } from "../../model/wanted.js";
import { namedProperties } from "../named-schema.js";
import { actionSchema, responseSchema } from "../rule-actions.js";
import { enabledSchema, positionSchema } from "../rule-schema.js";
import { skipSchema } from "./skip.js";

export const ACTIONS = ["block", "managed_challenge", "js_challenge", "challenge", "log", "skip"];

export const customRuleSchema: Schema = {
  title: "Custom rule",
  description:
    "A rule that blocks, challenges or logs requests, or lets them skip protection. Rules are evaluated in the order of the list; block and challenges end it.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("rule"),
    expression: {
      type: "string",
      pattern: "\\S",
      description: "The requests that the rule applies to, as a filter expression.",
      examples: ['starts_with(http.request.uri.path, "/v1/")'],
    },
    action: actionSchema(ACTIONS, "The action on matching requests"),
    skip: skipSchema,
    response: responseSchema,
    enabled: enabledSchema,
    position: positionSchema,
  },
};
