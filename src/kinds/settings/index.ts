import type { Schema } from "../../model/declared-zone.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import type { FieldChange } from "../../model/plan.js";
import type { Sealed } from "../../model/sealed.js";
import { SERVICE, type Strength } from "../../model/strength.js";
import type { Field } from "../fields.js";
import { oneIn } from "../keys.js";
import type { Kind } from "../kind.js";
import { sameNames } from "../same-names.js";

/** A flag of the settings. */
interface Flag extends Field {
  readonly description: string;
  /** The dimension in which the flag protects. Null: it has no effect on protection. */
  readonly protects: {
    readonly dimension: string;
    readonly called: string;
    /** Why an object without the flag may protect. Absent: it does not. */
    readonly ifMissing?: string;
  } | null;
}

/**
 * By default, the service is off and ignores the paths of connections. Reports go to the service's own address by
 * default (the documentation, page-shield/reference/settings). The value that this field then has is undocumented.
 */
const fields = {
  enabled: {
    description: "Whether client-side security is on. The zone's policies stay in force when it is off.",
    form: "flag",
    shown: true,
    unset: false,
    protects: { dimension: SERVICE, called: "client-side security is" },
  },
  // The name in the published schema. A service under another name uses another field name.
  use_cloudflare_reporting_endpoint: {
    description: "Whether CSP reports go to Cloudflare's host name instead of the zone's.",
    form: "flag",
    wireName: /^use_.+_reporting_endpoint$/,
    aliases: ["use_service_reporting_endpoint"],
    unset: false,
    unsetVaries: true,
    protects: null,
  },
  use_connection_url_path: {
    description: "Whether detected connections keep the URL path, not only the host.",
    form: "flag",
    unset: false,
    // If off, connections that only their path shows to be malicious are not detected.
    protects: {
      dimension: "connection_paths",
      called: "detection in the paths of connections is",
      ifMissing: "detection of connection paths is unknown",
    },
  },
} satisfies { readonly [field: string]: Flag };

const flags: readonly (readonly [field: string, flag: Flag])[] = Object.entries(fields);

const settingsSchema: Schema = {
  title: "Settings",
  description: "Client-side security settings of the zone.",
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(
    flags.flatMap(([field, { description, aliases = [] }]) => [
      [field, { type: "boolean", description }],
      ...aliases.map((alias) => [alias, { type: "boolean", description: `An alias of ${field}.` }]),
    ]),
  ),
};

/** The client-side security settings: one object in each zone, which always exists and is written field by field. */
export const settings: Kind = {
  name: "settings",
  ...oneIn("settings"),
  depends: { area: "pages", on: (changes) => (changes.some(isSwitchedOff) ? ["policies"] : []) },
  schema: settingsSchema,
  fields,
  service: {
    included: { as: "client-side security" },
    permissions: PAGE_SHIELD,
    dashboard: "security/settings",
    otherNames: ["page_shield"],
  },
  at: { as: "object", path: ["page_shield"] },

  ...sameNames(fields),
  dimensions: ({ normal }) =>
    Object.fromEntries(
      flags.flatMap(([field, { protects }]) =>
        protects === null ? [] : [[protects.dimension, strengthOf(normal[field], protects)]],
      ),
    ),
};

function strengthOf(
  value: Sealed | undefined,
  { called, ifMissing }: NonNullable<Flag["protects"]>,
): Strength {
  if (typeof value !== "boolean" && ifMissing !== undefined) return { as: "unknown", is: "", why: ifMissing };
  return { as: "rank", value: value === true ? 1 : 0, called };
}

/** A call that switches the service off comes after all other calls. */
function isSwitchedOff(change: { readonly fields: readonly FieldChange[] }): boolean {
  return change.fields.some(({ path, after }) => path === "enabled" && after !== true);
}
