import { isObject, isTexts, type Json, type JsonObject } from "../../../model/json.js";
import { readUrl } from "../../../model/url.js";
import { fieldError } from "../../answer.js";
import { anyFlag, anyText, bodyErrors, type Check, type Checks, isText, must, orNull } from "../../checks.js";

/** A log-push job in answers and dumps. */
export interface LogpushJob extends JobFields {
  readonly id: number;
}

interface JobFields extends JsonObject {
  readonly destination_conf: string;
}

/** A job of these fields, completed with defaults. */
export function jobOf(id: number, fields: JobFields): LogpushJob {
  // The service accepts a challenge and never shows it.
  const { ownership_challenge: _, ...rest } = fields;
  return { ...blank, ...rest, destination_conf: fields.destination_conf, id };
}

/**
 * The stored form of a checked request's fields. Null means the default, if there is one.
 *
 * @param fills whether `output_options` are completed with defaults
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

/** A job's defaults, in an order that no request has. */
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

export function isDestination(value: Json): value is string {
  return (
    typeof value === "string" && value.length <= 4096 && value.includes("://") && readUrl(value) !== null
  );
}

/** Stored options. They are replaced as a whole; absent or null members are not stored. */
function givenOutput(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

/** Options completed with defaults, which depend on the output's type. */
function filledOutput(options: JsonObject): JsonObject {
  return {
    ...outputDefaults,
    ...(options.output_type === "csv" ? csvDefaults : {}),
    ...givenOutput(options),
  };
}

/** From the published OpenAPI document, which misspells the last name as `CVE-2021-4428`. */
const outputDefaults = {
  batch_prefix: "",
  batch_suffix: "",
  field_delimiter: ",",
  field_names: [],
  output_type: "ndjson",
  record_delimiter: "",
  record_prefix: "{",
  record_suffix: "}\n",
  record_template: "",
  sample_rate: 1,
  timestamp_format: "unixnano",
  "CVE-2021-44228": false,
};

/** From the service's documentation of output options. */
const csvDefaults = { record_prefix: "", record_suffix: "\n" };

const text = orNull(anyText);
const flag = orNull(anyFlag);

function oneOf(...values: readonly string[]): Check {
  return orNull(
    must(`must be one of ${values.join(", ")}`, (value) => isText(value) && values.includes(value)),
  );
}

/** `merge_subrequests` and two timestamp formats are newer than the document; the official TypeScript SDK has them. */
const outputChecks: Checks = {
  "CVE-2021-44228": flag,
  batch_prefix: text,
  batch_suffix: text,
  field_delimiter: text,
  field_names: orNull(must("must be a list of strings", isTexts)),
  merge_subrequests: flag,
  output_type: oneOf("ndjson", "csv"),
  record_delimiter: text,
  record_prefix: text,
  record_suffix: text,
  record_template: text,
  sample_rate: orNull(
    must(
      "must be greater than 0 and at most 1",
      (value) => typeof value === "number" && value > 0 && value <= 1,
    ),
  ),
  timestamp_format: oneOf("unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns"),
};

/** @param newer checks of options that are unknown here but accepted by the service */
export function checkOutput(newer: Checks): Check {
  return (value, pointer) =>
    isObject(value)
      ? bodyErrors(value, { ...newer, ...outputChecks }, [], pointer)
      : [fieldError(pointer, "must be an object or null")];
}
