import type { Schema } from "../../model/wanted.js";
import { namedProperties } from "../named-schema.js";
import { actionSchema, responseSchema } from "../rule-actions.js";
import { enabledSchema, positionSchema } from "../rule-schema.js";

export const ACTIONS = ["block", "managed_challenge", "js_challenge", "challenge", "log"];

const seconds = (description: string, example: number): Schema => ({
  type: "integer",
  minimum: 0,
  description,
  examples: [example],
});

export const rateLimitSchema: Schema = {
  title: "Rate limit",
  description: "A rule that acts on clients whose requests exceed a rate.",
  type: "object",
  additionalProperties: false,
  required: ["description"],
  properties: {
    ...namedProperties("rate limit", "rule"),
    expression: {
      type: "string",
      pattern: "\\S",
      description: "The requests that the rate limit applies to, as a filter expression.",
      examples: ['http.request.uri.path eq "/login"'],
    },
    characteristics: {
      type: "array",
      minItems: 1,
      items: { type: "string", pattern: "\\S", description: "An expression field." },
      description: "The fields that requests are counted by. cf.colo.id is always added.",
      examples: [["ip.src"]],
    },
    period: seconds("The seconds over which requests are counted.", 60),
    requests_per_period: { type: "integer", minimum: 1, description: "The most requests in a period." },
    score_per_period: { type: "integer", minimum: 1, description: "The highest sum of scores in a period." },
    score_response_header_name: {
      type: "string",
      pattern: "\\S",
      description: "The header in which the origin answers a request's score.",
    },
    mitigation_timeout: seconds("The seconds that the action lasts.", 600),
    action: actionSchema(ACTIONS, "The action on requests beyond the rate"),
    counting_expression: {
      type: "string",
      description: "The requests that count, as a filter expression. Default: those of the expression.",
      examples: ["http.response.code eq 401"],
    },
    requests_to_origin: {
      type: "boolean",
      description: "Whether only requests that reach the origin count.",
    },
    response: responseSchema,
    enabled: enabledSchema,
    position: positionSchema,
  },
};
