import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { filledOutput, givenOutput } from "./output.js";

/** A log-push job as answers and dumps have it. */
export interface LogpushJob extends JobFields {
  readonly id: number;
}

interface JobFields extends JsonObject {
  readonly destination_conf: string;
}

/** The job of these fields, with its defaults in place of those that are missing. */
export function jobOf(id: number, fields: JobFields): LogpushJob {
  // The service takes a challenge and never shows it.
  const { ownership_challenge: _, ...shown } = fields;
  return { ...blank, ...shown, destination_conf: fields.destination_conf, id };
}

/**
 * The fields of a checked request as they are stored. Null means the default, where there is one.
 *
 * @param fills whether `output_options` are stored with the defaults of what they do not say
 */
export function settled(body: JsonObject, fills: boolean): JsonObject {
  const outputOf = fills ? filledOutput : givenOutput;
  const settledField = (field: string, value: Json): Json => {
    if (value === null) return defaults.get(field) ?? null;
    return field === "output_options" && isObject(value) ? outputOf(value) : value;
  };
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, settledField(field, value)]),
  );
}

export const defaultDataset = "http_requests";

/** What a job has of which nothing was given, in an order that no request has. */
const blank = {
  dataset: defaultDataset,
  enabled: false,
  error_message: null,
  frequency: "high",
  kind: "",
  last_complete: null,
  last_error: null,
  logpull_options: null,
  max_upload_bytes: null,
  max_upload_interval_seconds: null,
  max_upload_records: null,
  name: null,
  output_options: null,
};

const defaults: ReadonlyMap<string, Json> = new Map(Object.entries(blank));
