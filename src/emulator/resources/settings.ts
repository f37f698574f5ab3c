import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { type Answer, failure, fieldError, result } from "../answer.js";
import { type Check, checkBoolean, checkObject, checkText, seedProblem } from "../checks.js";
import type { Habits } from "../dialect.js";
import type { Zone } from "../store.js";
import { type Call, inZone, type Route, type World } from "./resource.js";

/** A zone's client-side security settings as a seed has them; what is absent is off. */
export interface SettingsSeed {
  readonly enabled?: boolean;
  readonly updated_at?: string;
  /** Either of these two, whatever the dialect. */
  readonly use_cloudflare_reporting_endpoint?: boolean;
  readonly use_service_reporting_endpoint?: boolean;
  readonly use_connection_url_path?: boolean;
}

export interface Settings {
  readonly enabled: boolean;
  readonly updatedAt: string;
  readonly reportingEndpoint: boolean;
  readonly connectionUrlPath: boolean;
}

export const checkSettings: Check = (value, pointer) => {
  const twice =
    isObject(value) &&
    "use_cloudflare_reporting_endpoint" in value &&
    "use_service_reporting_endpoint" in value;
  return [
    ...checkFields(value, pointer),
    ...(twice ? [seedProblem(pointer, "the reporting endpoint is named twice; keep one of the names.")] : []),
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

export function settingsFromSeed(seed: SettingsSeed, now: Date): Settings {
  return {
    enabled: seed.enabled ?? false,
    updatedAt: seed.updated_at ?? offsetTimestamp(now),
    reportingEndpoint: seed.use_cloudflare_reporting_endpoint ?? seed.use_service_reporting_endpoint ?? false,
    connectionUrlPath: seed.use_connection_url_path ?? false,
  };
}

/** The settings as answers and dumps have them. */
export function settingsOut(settings: Settings, habits: Habits): SettingsSeed & JsonObject {
  return {
    enabled: settings.enabled,
    updated_at: settings.updatedAt,
    [habits.reportingField]: settings.reportingEndpoint,
    use_connection_url_path: settings.connectionUrlPath,
  };
}

/** A time with microseconds and an offset that is not `Z`, as in the example of the published OpenAPI document. */
function offsetTimestamp(time: Date): string {
  const anHourAhead = new Date(time.getTime() + 3_600_000);
  return anHourAhead.toISOString().replace("Z", "000+01:00");
}

export const settings: readonly Route[] = [
  inZone("GET", "/page_shield", read),
  inZone("PUT", "/page_shield", update),
];

function read(zone: Zone, _: Call, world: World): Answer {
  return result(settingsOut(zone.settings, world.habits));
}

/** All fields are optional in the published OpenAPI document, so what is not given stays. */
function update(zone: Zone, call: Call, world: World): Answer {
  const errors = Object.entries(call.body).flatMap(([field, value]) => wrong(field, value, world.habits));
  if (errors.length > 0) return failure(400, ...errors);
  zone.settings = revised(zone.settings, call.body, world);
  const all = settingsOut(zone.settings, world.habits);
  const shown = Object.entries(all).filter(([field]) => world.habits.settingsAfterUpdate.includes(field));
  return result(Object.fromEntries(shown));
}

function wrong(field: string, value: Json, habits: Habits): readonly JsonObject[] {
  const known = ["enabled", habits.reportingField, "use_connection_url_path"];
  if (!known.includes(field)) return [fieldError(field, "unknown field")];
  return typeof value === "boolean" ? [] : [fieldError(field, "must be true or false")];
}

function revised(before: Settings, body: JsonObject, world: World): Settings {
  return {
    enabled: asBoolean(body.enabled) ?? before.enabled,
    updatedAt: offsetTimestamp(world.now()),
    reportingEndpoint: asBoolean(body[world.habits.reportingField]) ?? before.reportingEndpoint,
    connectionUrlPath: asBoolean(body.use_connection_url_path) ?? before.connectionUrlPath,
  };
}

function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
