import { isList, type Json, type JsonObject } from "../../model/json.js";

/** Members that `logpull_options` can say too → fields of the normal form. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["field_names", "fields"],
  ["timestamp_format", "timestamps"],
  ["sample_rate", "sample_rate"],
  ["CVE-2021-44228", "CVE-2021-44228"],
  // The published OpenAPI document misspells it, and so have services.
  ["CVE-2021-4428", "CVE-2021-44228"],
]);

/** Other members, as fields of the normal form. */
const OTHER = "output_options.";

export const TYPE = "output_options.output_type";
export const DEFAULT_TYPE = "ndjson";

/** The defaults of the published OpenAPI document; the last member is newer than that. */
const DEFAULTS: JsonObject = {
  fields: [],
  timestamps: "unixnano",
  sample_rate: 1,
  "CVE-2021-44228": false,
  [TYPE]: DEFAULT_TYPE,
  "output_options.batch_prefix": "",
  "output_options.batch_suffix": "",
  "output_options.field_delimiter": ",",
  "output_options.record_delimiter": "",
  "output_options.record_prefix": "{",
  "output_options.record_suffix": "}\n",
  "output_options.record_template": "",
  "output_options.merge_subrequests": false,
};

/** The type has defaults of its own (the service's documentation of output options). */
const CSV_DEFAULTS: JsonObject = {
  "output_options.record_prefix": "",
  "output_options.record_suffix": "\n",
};

/** Whether what the option is where nothing is said depends on the type. */
export function isByType(field: string): boolean {
  return field in CSV_DEFAULTS;
}

/** All options as they are where nothing is said of them. */
export function defaultsOf(type: Json | undefined): JsonObject {
  return type === "csv" ? { ...DEFAULTS, [TYPE]: type, ...CSV_DEFAULTS } : DEFAULTS;
}

/** What `output_options` says, as fields of the normal form; null says nothing. */
export function readOutput(options: JsonObject): JsonObject {
  const fields = Object.entries(options).flatMap(([member, value]): readonly (readonly [string, Json])[] => {
    if (value === null) return [];
    const field = FIELDS.get(member) ?? OTHER + member;
    return [[field, field === "fields" ? textsIn(value) : value]];
  });
  return Object.fromEntries(fields);
}

function textsIn(value: Json): Json {
  return isList(value) ? value.map((each) => (typeof each === "string" ? each : JSON.stringify(each))) : [];
}

/** `output_options` with these fields of the normal form. It is replaced whole, so all that it had goes along. */
export function writeOutput(options: JsonObject, fields: JsonObject): JsonObject {
  const kept = Object.entries(options).map(
    ([member, value]) => [memberOf(FIELDS.get(member) ?? OTHER + member), value] as const,
  );
  const given = Object.entries(fields).map(([field, value]) => [memberOf(field), value] as const);
  return Object.fromEntries([...kept, ...given]);
}

/** The member of `output_options` that a field of the normal form is. */
export function memberOf(field: string): string {
  const known = [...FIELDS].find(([, each]) => each === field);
  return known?.[0] ?? field.slice(OTHER.length);
}

/** Whether only `output_options` can say it. */
export function isOutputOnly(field: string): boolean {
  return field.startsWith(OTHER);
}
