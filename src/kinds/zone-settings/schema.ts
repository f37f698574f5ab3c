import type { Schema } from "../../model/wanted.js";
import { HEADER, header, type Setting, settings } from "./table.js";

const headerSchema: Schema = {
  type: "object",
  additionalProperties: false,
  description: "HTTP Strict Transport Security (HSTS). Browsers remember it for max_age.",
  properties: schemasOf(header),
};

export const zoneSettingsSchema: Schema = {
  title: "Zone settings",
  description: "TLS and security settings of the zone. Only declared settings are read and written.",
  type: "object",
  additionalProperties: false,
  properties: {
    ...schemasOf(settings),
    [HEADER]: headerSchema,
    other: {
      type: "object",
      propertyNames: { pattern: "^[a-z0-9_]{1,64}$" },
      additionalProperties: {},
      description: "Other settings by their ids, each with its value as the API has it.",
      examples: [{ http3: "on" }],
    },
  },
};

function schemasOf(table: ReadonlyMap<string, Setting>): { readonly [key: string]: Schema } {
  return Object.fromEntries([...table].map(([key, { schema }]) => [key, schema]));
}
