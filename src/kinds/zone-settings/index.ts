import type { Schema } from "../../model/declared-zone.js";
import { mapValues } from "../../model/json.js";
import { ZONE_SETTINGS } from "../../model/permissions.js";
import { oneIn } from "../keys.js";
import type { Kind } from "../kind.js";
import { checkDeclared, checkSent, checkWhole } from "./check.js";
import { fields, HEADER, header, type Setting, settings } from "./fields.js";
import { KIND, readForExport, readSettings } from "./read.js";
import { blockingOf, strengthOf, withHsts } from "./strength.js";
import { normalOf, settingWith, toConfig, toDesired, toReRead, toWire } from "./values.js";

const headerSchema: Schema = {
  type: "object",
  additionalProperties: false,
  description: "HTTP Strict Transport Security (HSTS). Browsers remember it for max_age.",
  properties: schemasOf(header),
};

const zoneSettingsSchema: Schema = {
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
  return mapValues(Object.fromEntries(table), ({ schema }) => schema);
}

/** The TLS and security settings of a zone: one object, of which each setting is read and written by itself. */
export const zoneSettings: Kind = {
  name: KIND,
  ...oneIn("zone_settings"),
  depends: { area: "zone" },
  schema: zoneSettingsSchema,
  fields,
  service: {
    included: { as: "zone settings" },
    permissions: ZONE_SETTINGS,
    dashboard: "ssl-tls",
  },
  at: {
    as: "object",
    path: ["settings"],
    partOf: settingWith,
    reads: { live: readSettings, forExport: readForExport, again: toReRead },
  },

  checks: { declared: checkDeclared, whole: checkWhole, sent: checkSent },
  normalOf,
  toDesired,
  toConfig,
  toWire,
  partsOn: withHsts,
  dimensions: strengthOf,
  blocking: blockingOf,
};
