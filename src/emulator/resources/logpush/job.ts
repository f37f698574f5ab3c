import { isObject, type Json, type JsonObject } from "../../../model/json.js";
import { readUrl } from "../../../model/url.js";
import { fieldError } from "../../answer.js";

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

/** Whether a value can be a job's `destination_conf`. */
export function isDestination(value: Json): value is string {
  return (
    typeof value === "string" && value.length <= 4096 && value.includes("://") && readUrl(value) !== null
  );
}

/** The members of what a job has as `output_options`, each by its path. */
export function outputMembers(options: Json | undefined): readonly string[] {
  return isObject(options) ? Object.keys(options).map(outputPath) : [];
}

/** The options without those that are not known here, and whose paths the service is said to take. */
export function knownOutput(options: JsonObject, taken: ReadonlySet<string>): JsonObject {
  const isNewer = (name: string) => taken.has(outputPath(name)) && !members.has(name);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !isNewer(name)));
}

function outputPath(name: string): string {
  return `output_options/${name}`;
}

/** What is wrong with the members of a job's `output_options`. */
export function outputErrors(options: JsonObject): readonly JsonObject[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const [isGood, wanted] = members.get(name) ?? [() => false, "unknown field"];
    return isGood(value) ? [] : [fieldError(outputPath(name), wanted)];
  });
}

/** The options as the service stores them. They are replaced whole: what is left out, or null, is not there. */
function givenOutput(options: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

/** The options with the defaults of what is not there, which depend on the type of the output. */
function filledOutput(options: JsonObject): JsonObject {
  return {
    ...outputDefaults,
    ...(options.output_type === "csv" ? csvDefaults : {}),
    ...givenOutput(options),
  };
}

/** The defaults are those of the published OpenAPI document, which misspells the last name as `CVE-2021-4428`. */
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

/** `merge_subrequests` and two forms of timestamps are newer than the document; the official TypeScript SDK has them. */
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
