import { ZONE_SETTINGS } from "../../model/permissions.js";
import { overLive } from "../fields.js";
import { oneIn } from "../keys.js";
import type { Kind } from "../kind.js";
import { checkDeclared, checkSent, checkWhole } from "./check.js";
import { KIND, readForExport, readSettings } from "./read.js";
import { zoneSettingsSchema } from "./schema.js";
import { blockingOf, strengthOf, withHsts } from "./strength.js";
import { fields } from "./table.js";
import { normalOf, settingWith, toConfig, toDesired, toReRead, toWire } from "./values.js";

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
  at: { as: "object", path: ["settings"], partOf: settingWith },
  reads: { live: readSettings, forExport: readForExport, again: toReRead, account: () => false },

  checks: { declared: checkDeclared, whole: checkWhole, sent: checkSent },
  normalOf,
  toDesired,
  toConfig,
  toWire,
  restorable: overLive,
  partsOn: withHsts,
  dimensions: strengthOf,
  blocking: blockingOf,
};
