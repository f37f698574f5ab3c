import type { Schema } from "../../model/declared-zone.js";
import type { FieldList } from "../logged-fields.js";
import { text } from "../schema.js";

const name: Schema = text("The header's name in lowercase, or the cookie's exact name.");

function item(more: { readonly [key: string]: Schema }): Schema {
  return {
    type: ["string", "object"],
    pattern: "\\S",
    additionalProperties: false,
    required: ["name"],
    properties: { name, ...more },
  };
}

const preservable: Schema = item({
  preserve_duplicates: {
    type: "boolean",
    description: "Whether all values of a repeated header are logged. Default: the first one only.",
  },
});

function list(items: Schema, description: string, example: string): Schema {
  return {
    type: "array",
    items,
    description: `${description} [] removes all of them.`,
    examples: [[example]],
  };
}

const lists: { readonly [list in FieldList]: Schema } = {
  request_fields: list(item({}), "Request headers as received.", "x-forwarded-for"),
  response_fields: list(preservable, "Response headers as sent to the visitor.", "server"),
  cookie_fields: list(item({}), "Request cookies.", "currency"),
  raw_response_fields: list(preservable, "Response headers as sent by the origin.", "server"),
  transformed_request_fields: list(item({}), "Request headers after transform rules.", "x-forwarded-for"),
};

export const customLogFieldsSchema: Schema = {
  title: "CustomLogFields",
  description: "Headers and cookies that log-push jobs can log.",
  type: "object",
  additionalProperties: false,
  properties: {
    ...lists,
    ensure: { enum: ["absent"], description: "absent: remove all lists." },
  },
};
