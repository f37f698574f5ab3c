import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import type { FieldChange } from "../../model/plan.js";
import { failed, ok, problem, type Result } from "../../model/problem.js";
import { SERVICE } from "../../model/strength.js";
import type { Schema } from "../../model/wanted.js";
import { type Fields, overLive, readFlag, writeFlag } from "../fields.js";
import type { Kind, Live, Was, ZoneReader } from "../kind.js";

const settingsSchema: Schema = {
  title: "Settings",
  description: "Client-side security settings of the zone. A key that is absent is left as it is.",
  type: "object",
  additionalProperties: false,
  properties: {
    enabled: {
      type: "boolean",
      description:
        "Whether client-side security is on for the zone. Switching it off does not switch the zone's policies off.",
    },
    use_cloudflare_reporting_endpoint: {
      type: "boolean",
      description: "Send CSP reports to the service's own host name instead of the zone's.",
    },
    use_service_reporting_endpoint: {
      type: "boolean",
      description: "Another name of use_cloudflare_reporting_endpoint.",
    },
    use_connection_url_path: {
      type: "boolean",
      description: "Store the path of a detected connection's URL, not only its host.",
    },
  },
};

const REPORTING = "use_cloudflare_reporting_endpoint";
/** Off, connections that are malicious by their path alone are not seen. */
const PATHS = "use_connection_url_path";

/**
 * Unless set, the service is off and connections are looked at without their paths. By default reports go to the service's
 * own address, says the documentation (page-shield/reference/settings), and not which value the field then has.
 */
const fields: Fields = {
  enabled: { unset: false },
  [REPORTING]: { aliases: ["use_service_reporting_endpoint"], unset: false, unsetVaries: true },
  [PATHS]: { unset: false },
};

const FIELDS = Object.keys(fields);

/** The client-side security settings: one object a zone, always there, written field by field. */
export const settings: Kind = {
  name: "settings",
  section: "settings",
  area: "pages",
  shape: { as: "one" },
  schema: settingsSchema,
  fields,
  includedAs: "client-side security",
  permissions: PAGE_SHIELD,
  dashboard: "security/settings",
  at: { as: "object", path: ["page_shield"] },

  check: () => [],
  read,
  normalOf: (raw) => live(raw).normal,
  restorable: overLive,
  toDesired: (declared) => declared,
  toConfig: ({ normal }, declared) =>
    Object.fromEntries(
      Object.entries(normal as JsonObject).filter(([field]) => declared === null || field in declared), // no secrets
    ),
  toWire,
  unmanaged: () => [],
  checkWhole: () => [],
  dimensions: ({ enabled, [PATHS]: paths }) => ({
    [SERVICE]: { as: "rank", value: enabled === true ? 1 : 0, called: "the service is" },
    connection_paths:
      typeof paths === "boolean"
        ? { as: "rank", value: paths ? 1 : 0, called: "detection in the paths of connections is" }
        : { as: "unknown", is: "", why: "whether connections are looked at with their paths is not known" },
  }),
  restsOn: (changes) => (changes.some(isSwitchedOff) ? ["policies"] : []),
  concerns: () => [],
};

async function read({ api, zoneId }: ZoneReader): Promise<Result<Live<null>>> {
  const answer = await api.get(pathOf(zoneId));
  if (!answer.ok) return answer;
  // Nothing was ever set there: the service is off.
  if (answer.value === null)
    return ok({ items: [{ ...live({}), normal: { enabled: false } }], context: null });
  if (isObject(answer.value) && typeof readFlag(answer.value.enabled ?? null) === "boolean")
    return ok({ items: [live(answer.value)], context: null });
  return failed(
    problem(
      "unexpected_answer",
      "The service gave settings of another shape",
      `GET ${pathOf(zoneId)} answered without saying whether the service is enabled. Nothing that rests on it is planned.`,
    ),
  );
}

function live(raw: JsonObject): Item {
  const normal: Record<string, Json> = {};
  for (const field of FIELDS) {
    const value = raw[wireName(field, raw)];
    if (value !== undefined && value !== null) normal[field] = readFlag(value);
  }
  return { ref: { kind: "settings", key: "settings", id: null }, normal, raw, owns: "nothing", at: null };
}

function toWire(want: Item, was: Was | null): JsonObject {
  const raw = was?.live.raw ?? {};
  const sent = FIELDS.filter((field) => was?.fields.includes(field) ?? true);
  return Object.fromEntries(
    sent.map((field) => {
      const name = wireName(field, raw);
      return [name, writeFlag(want.normal[field] === true, raw[name])];
    }),
  );
}

/** The service is switched off after all other calls. */
function isSwitchedOff(change: { readonly fields: readonly FieldChange[] }): boolean {
  return change.fields.some(({ path, after }) => path === "enabled" && after !== true);
}

/**
 * The reporting field carries the service's name: `use_cloudflare_reporting_endpoint` in the published schema,
 * another one elsewhere. The name that the live object showed is the one to write.
 */
function wireName(field: string, raw: JsonObject): string {
  if (field !== REPORTING || REPORTING in raw) return field;
  return Object.keys(raw).find((name) => /^use_.+_reporting_endpoint$/.test(name)) ?? field;
}

function pathOf(zoneId: string): string {
  return `/zones/${zoneId}/page_shield`;
}
