import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { readUrl } from "../../../model/url.js";
import { fieldError } from "../../answer.js";

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

/** The paths of a job's `output_options`. */
export function outputMembers(options: Json | undefined): readonly string[] {
  return isObject(options) ? Object.keys(options).map(outputPath) : [];
}

/** Drops options that are unknown here but accepted by the service. */
export function knownOutput(options: JsonObject, accepted: ReadonlySet<string>): JsonObject {
  const isNewer = (name: string) => accepted.has(outputPath(name)) && !members.has(name);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !isNewer(name)));
}

function outputPath(name: string): string {
  return `output_options/${name}`;
}

/** Errors of a job's `output_options`. */
export function outputErrors(options: JsonObject): readonly JsonObject[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const [isGood, wanted] = members.get(name) ?? [() => false, "unknown field"];
    return isGood(value) ? [] : [fieldError(outputPath(name), wanted)];
  });
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

type Member = readonly [isGood: (value: Json) => boolean, wanted: string];

const isText = (value: Json) => typeof value === "string";
const text: Member = [(value) => value === null || isText(value), "must be a string"];
const flag: Member = [(value) => value === null || typeof value === "boolean", "must be true or false"];

function oneOf(...values: readonly string[]): Member {
  return [
    (value) => value === null || (isText(value) && values.includes(value)),
    `must be one of ${values.join(", ")}`,
  ];
}

const sampleRate: Member = [
  (value) => value === null || (typeof value === "number" && value > 0 && value <= 1),
  "must be greater than 0 and at most 1",
];

const names: Member = [
  (value) => value === null || (Array.isArray(value) && value.every(isText)),
  "must be a list of strings",
];

/** `merge_subrequests` and two timestamp formats are newer than the document; the official TypeScript SDK has them. */
const members: ReadonlyMap<string, Member> = new Map([
  ["CVE-2021-44228", flag],
  ["batch_prefix", text],
  ["batch_suffix", text],
  ["field_delimiter", text],
  ["field_names", names],
  ["merge_subrequests", flag],
  ["output_type", oneOf("ndjson", "csv")],
  ["record_delimiter", text],
  ["record_prefix", text],
  ["record_suffix", text],
  ["record_template", text],
  ["sample_rate", sampleRate],
  ["timestamp_format", oneOf("unixnano", "unix", "rfc3339", "rfc3339ms", "rfc3339ns")],
]);
