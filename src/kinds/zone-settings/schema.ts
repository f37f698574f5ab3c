import type { Schema } from "../../model/wanted.js";
import { HEADER, settings } from "./table.js";

const headerSchema: Schema = {
  type: "object",
  additionalProperties: false,
  description: "HTTP Strict Transport Security (HSTS). Browsers remember it for max_age.",
  properties: {
    enabled: {
      type: ["boolean", "null"],
      description: "Whether responses tell browsers to use only HTTPS.",
    },
    max_age: {
      type: ["integer", "null"],
      minimum: 0,
      description: "For how many seconds browsers remember it.",
    },
    include_subdomains: { type: ["boolean", "null"], description: "Whether it is for all subdomains too." },
    preload: {
      type: ["boolean", "null"],
      description: "Whether browsers may have the zone in their built-in list.",
    },
    nosniff: {
      type: ["boolean", "null"],
      description: "Whether responses have X-Content-Type-Options: nosniff.",
    },
  },
};

export const zoneSettingsSchema: Schema = {
  title: "Zone settings",
  description: "TLS and security settings of the zone. Only declared settings are read and written.",
  type: "object",
  additionalProperties: false,
  properties: {
    ...Object.fromEntries([...settings].map(([id, { schema }]) => [id, schema])),
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
