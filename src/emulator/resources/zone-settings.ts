import { equal, isObject, isTexts, type Json, type JsonObject } from "../../model/json.js";
import { ZONE_SETTINGS } from "../../model/permissions.js";
import { type Answer, apiError, failure, fieldError, result } from "../answer.js";
import { checkListOf, checkObject, checkText, child, ofObject } from "../checks.js";
import { entitlementsOf } from "../plans.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  setState,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

/** A zone's settings in a seed. */
export interface ZoneSettingsSeed {
  /** Values by id. Other settings are as in a new zone. */
  readonly values?: JsonObject;
  /** Ids that the zone's Cloudflare plan does not have. */
  readonly unavailable?: readonly string[];
  /** Ids that can be read only. */
  readonly not_editable?: readonly string[];
  /** Ids whose new values are accepted and not stored. */
  readonly not_stored?: readonly string[];
}

const checkValues = ofObject((values, pointer) =>
  Object.entries(values).flatMap(([id, value]) =>
    isValid(id, value)
      ? []
      : [fieldError(child(pointer, id), "the API does not have this setting or value.")],
  ),
);

const checkSeed = checkObject({
  values: checkValues,
  unavailable: checkListOf(checkText),
  not_editable: checkListOf(checkText),
  not_stored: checkListOf(checkText),
});

const SWITCH: readonly Json[] = ["on", "off"];

/** The value of a setting in a new zone, and all its values: those listed, or of this type. */
type Setting = readonly [initial: Json, values: readonly Json[] | ((value: Json) => boolean)];

const SETTINGS: { readonly [id: string]: Setting } = {
  ssl: ["full", ["off", "flexible", "full", "strict", "origin_pull"]],
  min_tls_version: ["1.0", ["1.0", "1.1", "1.2", "1.3"]],
  tls_1_3: ["on", [...SWITCH, "zrt"]],
  ciphers: [[], isTexts],
  "0rtt": ["off", SWITCH],
  always_use_https: ["off", SWITCH],
  automatic_https_rewrites: ["on", SWITCH],
  opportunistic_encryption: ["on", SWITCH],
  tls_client_auth: ["off", SWITCH],
  browser_check: ["on", SWITCH],
  challenge_ttl: [
    1800,
    [300, 900, 1800, 2700, 3600, 7200, 10800, 14400, 28800, 57600, 86400, 604800, 2592000, 31536000],
  ],
  hotlink_protection: ["off", SWITCH],
  email_obfuscation: ["on", SWITCH],
  security_level: ["medium", ["off", "essentially_off", "low", "medium", "high", "under_attack"]],
  security_header: [
    {
      strict_transport_security: {
        enabled: false,
        max_age: 0,
        include_subdomains: false,
        preload: false,
        nosniff: false,
      },
    },
    (value) => isObject(value) && isObject(value.strict_transport_security),
  ],
  http3: ["on", SWITCH],
  ipv6: ["on", SWITCH],
  websockets: ["on", SWITCH],
};

function settingOf(id: string): Setting | undefined {
  return Object.hasOwn(SETTINGS, id) ? SETTINGS[id] : undefined;
}

function initialOf(id: string): Json {
  return settingOf(id)?.[0] ?? null;
}

function isValid(id: string, value: Json): boolean {
  const [, values = []] = settingOf(id) ?? [];
  return typeof values === "function" ? values(value) : values.some((each) => equal(each, value));
}

interface State {
  readonly seed: ZoneSettingsSeed;
  /** The values that were set. Other settings are as in a new zone. */
  readonly values: JsonObject;
  /** When settings were changed, by id. Seeds do not have it. */
  readonly modified: JsonObject;
}

type Sections = { readonly zone_settings?: ZoneSettingsSeed };

const holding: Holding<Sections, State> = {
  sections: { zone_settings: checkSeed },
  fromSeed: ({ zone_settings: seed = {} }) => ({ seed, values: seed.values ?? {}, modified: {} }),
  toSeed({ seed, values: all }) {
    const { values: _, ...rest } = seed;
    const values = Object.fromEntries(
      Object.entries(all).filter(([id, value]) => !equal(value, initialOf(id))),
    );
    const whole = { ...(Object.keys(values).length === 0 ? {} : { values }), ...rest };
    return Object.keys(whole).length === 0 ? {} : { zone_settings: whole };
  },
};

const PATH = "/settings/{setting_id}";

/** A zone's TLS and security settings, each with its own path. The interface's documentation does not have them. */
export const zoneSettings: Resource<Sections> = {
  holding,
  routes: [
    { ...inZone("GET", PATH, read), onlyIn: "service" },
    { ...inZone("PATCH", PATH, update), onlyIn: "service" },
  ],
  permissions: ZONE_SETTINGS,
  edits: {
    zone_settings: {
      as: "one",
      writes: (zone, set) =>
        Object.entries(set).map(([id, value]) => ({
          method: "PATCH",
          path: `${zone}/settings/${id}`,
          body: { value },
        })),
    },
  },
};

function read(zone: Zone, call: Call): Answer {
  const state = stateOf(holding, zone);
  const id = idIn(call);
  const refusal = refusalOf(id, zone);
  return refusal ?? result(settingOut(id, state, state.values[id] ?? initialOf(id)));
}

function update(zone: Zone, call: Call, world: World): Answer {
  const state = stateOf(holding, zone);
  const id = idIn(call);
  const refusal = refusalOf(id, zone);
  if (refusal !== null) return refusal;
  if (state.seed.not_editable?.includes(id) === true)
    return failure(400, apiError(`Not allowed to edit setting for ${id}`, 1015));
  const { value = null } = call.body;
  if (!isValid(id, value)) return failure(400, apiError(`Invalid value for zone setting ${id}`, 1007));
  if (state.seed.not_stored?.includes(id) === true) return result(settingOut(id, state, value));
  const values = { ...state.values, [id]: value };
  const updated = { ...state, values, modified: { ...state.modified, [id]: world.now().toISOString() } };
  setState(holding, zone, updated);
  return result(settingOut(id, updated, value));
}

function idIn({ parameters }: Call): string {
  return parameters.get("setting_id") ?? "";
}

function refusalOf(id: string, zone: Zone): Answer | null {
  if (settingOf(id) === undefined) return failure(400, apiError(`Undefined zone setting: ${id}`, 1006));
  const closed = entitlementsOf(zone.plan)?.closedSettings ?? [];
  const { unavailable = [] } = stateOf(holding, zone).seed;
  return [...closed, ...unavailable].includes(id)
    ? failure(400, apiError(`Setting ${id} is not available to this zone`, 1015))
    : null;
}

function settingOut(id: string, { seed, modified }: State, value: Json): JsonObject {
  const editable = seed.not_editable?.includes(id) !== true;
  return { id, value, editable, modified_on: modified[id] ?? null };
}
