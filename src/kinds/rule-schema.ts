import type { Schema } from "../model/wanted.js";

const neighbour = (side: string): Schema => ({
  type: "string",
  pattern: "\\S",
  description: `The description of the undeclared rule to stand ${side}.`,
});

/** The position of a rule of a list that other people's rules share. */
export const positionSchema: Schema = {
  type: ["string", "object"],
  pattern: "^(first|last)$",
  additionalProperties: false,
  minProperties: 1,
  properties: { before: neighbour("before"), after: neighbour("after") },
  description:
    "The place among undeclared rules: first, last, before one or after one. Default: where the rule is; a new rule comes after the declared rule before it, else last.",
  examples: ["first", { before: "Office" }],
};

export const enabledSchema: Schema = {
  type: "boolean",
  description: "Whether the rule applies. Default of a new rule: true.",
};
