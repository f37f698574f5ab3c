import type { Schema } from "../../model/wanted.js";
import type { FieldList } from "../logged-fields.js";

const name: Schema = {
  type: "string",
  pattern: "\\S",
  description: "A header's name in lower case, or a cookie's as it is sent.",
};

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
    description: "Of a header that comes several times, log all and not only the first.",
  },
});

function list(items: Schema, description: string, example: string): Schema {
  return {
    type: "array",
    items,
    description: `${description} Each a name, or an object with it. An empty list empties it.`,
    examples: [[example]],
  };
}

const lists: { readonly [list in FieldList]: Schema } = {
  request_fields: list(item({}), "Request headers, as they came.", "x-forwarded-for"),
  response_fields: list(preservable, "Response headers, as they are sent.", "server"),
  cookie_fields: list(item({}), "Cookies of the request.", "currency"),
  raw_response_fields: list(preservable, "Response headers, as the origin sent them.", "server"),
  transformed_request_fields: list(
    item({}),
    "Request headers, as transform rules leave them.",
    "x-forwarded-for",
  ),
};

export const customLogFieldsSchema: Schema = {
  title: "CustomLogFields",
  description:
    "Headers and cookies that log-push jobs can log, besides the fields that the service has. A list that is absent is left as it is.",
  type: "object",
  additionalProperties: false,
  properties: {
    ...lists,
    ensure: { enum: ["absent"], description: "absent: remove the rule, and with it all lists." },
  },
};
