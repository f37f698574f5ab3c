import type { Json, JsonObject } from "../../model/json.js";
import { type Answer, failure, fieldError, result } from "../answer.js";
import type { Habits } from "../dialect.js";
import { offsetTimestamp, type Settings, settingsOut } from "../parts/settings.js";
import type { Zone } from "../store.js";
import { type Call, inZone, type Route, type World } from "./route.js";

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
