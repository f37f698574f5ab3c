import { isObject, type JsonObject } from "../../model/json.js";
import type { Habits } from "../dialect.js";
import { type Check, checkBoolean, checkObject, checkText, seedProblem } from "../seed-problem.js";

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
export function offsetTimestamp(time: Date): string {
  const anHourAhead = new Date(time.getTime() + 3_600_000);
  return anHourAhead.toISOString().replace("Z", "000+01:00");
}
