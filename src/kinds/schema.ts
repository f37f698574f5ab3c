import type { Schema } from "../model/declared-zone.js";
import { type Fields, valuesOf } from "./fields.js";
import { until } from "./until.js";

/** A text that is not blank. */
export function text(description: string, more: Schema = {}): Schema {
  return { type: "string", pattern: "\\S", description, ...more };
}

export const RULE_ID = "^[0-9a-fA-F]{32}$";

export const ruleId: Schema = {
  type: "string",
  pattern: RULE_ID,
  description: "A rule's id: 32 hexadecimal digits.",
};

/**
 * The schema of the keys that identify, rename, keep and delete an object with a description.
 *
 * @param noun the object in messages: `policy`
 * @param live the object in the service: `rule`
 */
export function namedProperties(noun: string, live: string = noun): { readonly [key: string]: Schema } {
  return {
    description: text(`The ${noun}'s name, unique within the zone. To rename, also set renamed_from.`),
    id: {
      type: "string",
      description: `The live ${live}'s id, if two have the same description.`,
      examples: ["9b1f0c6ab5e7441e8f0d7d2c4a91e001"],
    },
    renamed_from: text(`The previous description of the live ${live}.`),
    ensure: { enum: ["absent"], description: `absent: delete the live ${noun}.` },
    until,
  };
}

/** The parts in which the schemas of named rules differ. */
export interface RuleSchema {
  readonly title: string;
  readonly description: string;
  /** The rule in messages: `exception`. */
  readonly noun: string;
  /** The description and examples of the expression, and other keywords. */
  readonly expression: Schema;
  /** Absent: that of a rule. */
  readonly enabled?: Schema;
}

/**
 * @param fields the fields besides those of all named rules
 * @param hasPosition whether files can declare a position
 */
export function schemaOf(
  { title, description, noun, expression, enabled = enabledSchema }: RuleSchema,
  fields: Fields,
  hasPosition: boolean,
): Schema {
  return {
    title,
    description,
    type: "object",
    additionalProperties: false,
    required: ["description"],
    properties: {
      ...namedProperties(noun, "rule"),
      expression: { type: "string", pattern: "\\S", ...expression },
      ...valuesOf(fields, "schema"),
      enabled,
      ...(hasPosition ? { position: positionSchema } : {}),
    },
  };
}

const neighbour = (side: string) => text(`The description of the undeclared rule to stand ${side}.`);

/** The position of a rule of a list that other people's rules share. */
const positionSchema: Schema = {
  type: ["string", "object"],
  pattern: "^(first|last)$",
  additionalProperties: false,
  minProperties: 1,
  properties: { before: neighbour("before"), after: neighbour("after") },
  description:
    "The place among undeclared rules: first, last, before one or after one. Default: where the rule is; a new rule comes after the declared rule before it, else last.",
  examples: ["first", { before: "Office" }],
};

const enabledSchema: Schema = {
  type: "boolean",
  description: "Whether the rule applies. Default of a new rule: true.",
};
