import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { PAGE_SHIELD } from "../../model/permissions.js";
import { type Answer, failure, fieldError, result } from "../answer.js";
import { type Check, checkBoolean, checkObject, checkText, seedProblem } from "../checks.js";
import type { Dialect } from "../dialect.js";
import {
  type Call,
  type Holding,
  inZone,
  type Resource,
  stateOf,
  type World,
  type Zone,
} from "./resource.js";

/** A zone's client-side security settings in a seed; absent ones are off. */
export interface SettingsSeed {
  readonly enabled?: boolean;
  readonly updated_at?: string;
  /** Either name, in any dialect. */
  readonly use_cloudflare_reporting_endpoint?: boolean;
  readonly use_service_reporting_endpoint?: boolean;
  readonly use_connection_url_path?: boolean;
}

interface Settings {
  readonly enabled: boolean;
  readonly updatedAt: string;
  readonly reportingEndpoint: boolean;
  readonly connectionUrlPath: boolean;
}

const checkSettings: Check = (value, pointer) => {
  if (value === null) return [];
  const twice =
    isObject(value) &&
    "use_cloudflare_reporting_endpoint" in value &&
    "use_service_reporting_endpoint" in value;
  return [
    ...checkFields(value, pointer),
    ...(twice ? [seedProblem(pointer, "the reporting endpoint has two names here. Keep one.")] : []),
  ];
};

const checkFields = checkObject(
  new Map([
    ["enabled", checkBoolean],
    ["updated_at", checkText],
    ["use_cloudflare_reporting_endpoint", checkBoolean],
    ["use_service_reporting_endpoint", checkBoolean],
    ["use_connection_url_path", checkBoolean],
  ]),
);

function settingsFromSeed(seed: SettingsSeed, now: Date): Settings {
  return {
    enabled: seed.enabled ?? false,
    updatedAt: seed.updated_at ?? offsetTimestamp(now),
    reportingEndpoint: seed.use_cloudflare_reporting_endpoint ?? seed.use_service_reporting_endpoint ?? false,
    connectionUrlPath: seed.use_connection_url_path ?? false,
  };
}

/** The settings in answers and dumps. */
function settingsOut(settings: Settings, dialect: Dialect): SettingsSeed & JsonObject {
  return {
    enabled: settings.enabled,
    updated_at: settings.updatedAt,
    [habits[dialect].reportingField]: settings.reportingEndpoint,
    use_connection_url_path: settings.connectionUrlPath,
  };
}

/** A time with microseconds and an offset that is not `Z`, as in the example of the published OpenAPI document. */
function offsetTimestamp(time: Date): string {
  const anHourAhead = new Date(time.getTime() + 3_600_000);
  return anHourAhead.toISOString().replace("Z", "000+01:00");
}

const PATH = "/page_shield";

/** Null: the service shows null until they are set. */
type Sections = { readonly settings?: SettingsSeed | null };

const holding: Holding<Sections, { current: Settings | null }> = {
  sections: { settings: checkSettings },
  fromSeed: ({ settings = {} }, _, now) => ({
    current: settings === null ? null : settingsFromSeed(settings, now),
  }),
  toSeed: ({ current }, dialect) => ({ settings: current === null ? null : settingsOut(current, dialect) }),
  values: ({ current }) => [current],
};

/** A zone's client-side security settings: one object that always exists. */
export const settings: Resource<Sections> = {
  holding,
  routes: [inZone("GET", PATH, read), inZone("PUT", PATH, update)],
  permissions: PAGE_SHIELD,
  edits: { settings: { as: "one", path: PATH } },
};

/** The differences between the dialects. */
interface Habits {
  /** The field for the destination of browsers' reports. */
  readonly reportingField: "use_cloudflare_reporting_endpoint" | "use_service_reporting_endpoint";
  /** The fields in the answer to an update. */
  readonly afterUpdate: readonly string[];
}

const habits: { readonly [dialect in Dialect]: Habits } = {
  service: {
    reportingField: "use_cloudflare_reporting_endpoint",
    afterUpdate: ["enabled", "updated_at", "use_cloudflare_reporting_endpoint", "use_connection_url_path"],
  },
  interface: {
    reportingField: "use_service_reporting_endpoint",
    // The documentation's example of an update has only these two.
    afterUpdate: ["enabled", "updated_at"],
  },
};

function read(zone: Zone, _: Call, world: World): Answer {
  const { current } = stateOf(holding, zone);
  return result(current === null ? null : settingsOut(current, world.dialect));
}

/** All fields are optional in the published OpenAPI document, so absent ones stay. */
function update(zone: Zone, call: Call, world: World): Answer {
  const errors = Object.entries(call.body).flatMap(([field, value]) => wrong(field, value, world.dialect));
  if (errors.length > 0) return failure(400, ...errors);
  const state = stateOf(holding, zone);
  const now = revised(state.current ?? settingsFromSeed({}, world.now()), call.body, world);
  state.current = now;
  const fields = settingsOut(now, world.dialect);
  const { afterUpdate } = habits[world.dialect];
  const answer = Object.entries(fields).filter(([field]) => afterUpdate.includes(field));
  return result(Object.fromEntries(answer));
}

function wrong(field: string, value: Json, dialect: Dialect): readonly JsonObject[] {
  const names = ["enabled", habits[dialect].reportingField, "use_connection_url_path"];
  if (!names.includes(field)) return [fieldError(field, "unknown field")];
  return typeof value === "boolean" ? [] : [fieldError(field, "must be true or false")];
}

function revised(before: Settings, body: JsonObject, world: World): Settings {
  return {
    enabled: asBoolean(body.enabled) ?? before.enabled,
    updatedAt: offsetTimestamp(world.now()),
    reportingEndpoint: asBoolean(body[habits[world.dialect].reportingField]) ?? before.reportingEndpoint,
    connectionUrlPath: asBoolean(body.use_connection_url_path) ?? before.connectionUrlPath,
  };
}

function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
