import { PAGE_SHIELD } from "../../model/permissions.js";
import type { FieldChange } from "../../model/plan.js";
import { SERVICE } from "../../model/strength.js";
import type { Schema } from "../../model/wanted.js";
import { type Fields, overLive } from "../fields.js";
import type { Kind } from "../kind.js";
import { plain } from "../plain.js";

const settingsSchema: Schema = {
  title: "Settings",
  description: "Client-side security settings of the zone.",
  type: "object",
  additionalProperties: false,
  properties: {
    enabled: {
      type: "boolean",
      description: "Whether client-side security is on. The zone's policies stay in force when it is off.",
    },
    use_cloudflare_reporting_endpoint: {
      type: "boolean",
      description: "Whether CSP reports go to Cloudflare's host name instead of the zone's.",
    },
    use_service_reporting_endpoint: {
      type: "boolean",
      description: "An alias of use_cloudflare_reporting_endpoint.",
    },
    use_connection_url_path: {
      type: "boolean",
      description: "Whether detected connections keep the URL path, not only the host.",
    },
  },
};

const REPORTING = "use_cloudflare_reporting_endpoint";
/** If off, connections that only their path shows to be malicious are not detected. */
const PATHS = "use_connection_url_path";

/**
 * By default, the service is off and ignores the paths of connections. Reports go to the service's own address by
 * default (the documentation, page-shield/reference/settings). The value that this field then has is undocumented.
 */
const fields: Fields = {
  enabled: { form: "flag", shown: true, unset: false },
  // The name in the published schema. A service under another name uses another field name.
  [REPORTING]: {
    form: "flag",
    wireName: /^use_.+_reporting_endpoint$/,
    aliases: ["use_service_reporting_endpoint"],
    unset: false,
    unsetVaries: true,
  },
  [PATHS]: { form: "flag", unset: false },
};

/** The client-side security settings: one object in each zone, which always exists and is written field by field. */
export const settings: Kind = {
  name: "settings",
  section: "settings",
  depends: { area: "pages", on: (changes) => (changes.some(isSwitchedOff) ? ["policies"] : []) },
  shape: {},
  schema: settingsSchema,
  fields,
  service: {
    included: { as: "client-side security" },
    permissions: PAGE_SHIELD,
    dashboard: "security/settings",
  },
  at: { as: "object", path: ["page_shield"] },

  ...plain(fields),
  restorable: overLive,
  dimensions: ({ enabled, [PATHS]: paths }) => ({
    [SERVICE]: { as: "rank", value: enabled === true ? 1 : 0, called: "client-side security is" },
    connection_paths:
      typeof paths === "boolean"
        ? { as: "rank", value: paths ? 1 : 0, called: "detection in the paths of connections is" }
        : { as: "unknown", is: "", why: "detection of connection paths is unknown" },
  }),
};

/** A call that switches the service off comes after all other calls. */
function isSwitchedOff(change: { readonly fields: readonly FieldChange[] }): boolean {
  return change.fields.some(({ path, after }) => path === "enabled" && after !== true);
}
