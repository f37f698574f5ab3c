import type { Item } from "../../model/item.js";
import {
  equal,
  isList,
  isObject,
  type Json,
  type JsonObject,
  mapKeys,
  pick,
  pickBy,
} from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { isSame, setField } from "../fields.js";
import { isLogpullOnly, readLogpull, writeLogpull } from "./logpull.js";

/**
 * The content and format of a job's records as fields of the normal form, from either style of options. If a job has
 * both styles, `output_options` counts (the published OpenAPI document). Missing options have their defaults.
 */
export function liveOptions(raw: JsonObject): JsonObject {
  const options = isObject(raw.output_options)
    ? readOutput(raw.output_options)
    : readLogpull(textOf(raw.logpull_options));
  return { ...defaultsOf(options[TYPE]), ...options, ...unread(raw) };
}

/** Keeps options of an unexpected shape as fields, so that they count as a difference. */
function unread({ logpull_options: text = null, output_options: output = null }: JsonObject): JsonObject {
  return {
    ...(text === null || typeof text === "string" ? {} : { logpull_options: text }),
    ...(output === null || isObject(output) ? {} : { output_options: output }),
  };
}

/** The options that a declared job owns. `live` is the job to compare with. */
export function declaredOptions(
  declared: JsonObject,
  live: { readonly normal: SealedObject; readonly raw: JsonObject | null } | null,
): JsonObject {
  const { logpull_options: text, extra } = declared;
  const output = isObject(extra) && isObject(extra.output_options) ? readOutput(extra.output_options) : null;
  const options: JsonObject = {
    ...pick(declared, ["fields", "timestamps"]),
    ...(typeof text === "string" ? declaredLogpull(text, live) : {}),
    ...output,
  };
  // The output type makes a new job use the style of output_options.
  if (live === null) return output === null ? options : { [TYPE]: DEFAULT_TYPE, ...options };
  return inLiveOrder({ ...defaultsOfNewType(options, live.normal), ...options }, live.normal);
}

/** The text sets all options: an option that it does not name gets its default. */
export function declaredLogpull(text: string, live: { readonly raw: JsonObject | null } | null): JsonObject {
  const options = readLogpull(text);
  if (live === null) return options;
  const whole = { ...pick(DEFAULTS, [...FIELDS.values()]), ...options };
  return isObject(live.raw?.output_options) ? withoutLogpullOnly(whole) : whole;
}

function withoutLogpullOnly(options: JsonObject): JsonObject {
  return pickBy(options, (_, field) => !isLogpullOnly(field));
}

/** The options to change with the output type: those with the old type's default get the new type's default. */
function defaultsOfNewType(options: JsonObject, live: SealedObject): JsonObject {
  const [before, after] = [live[TYPE] as Json, options[TYPE]]; // no option is sealed
  if (after === undefined || after === before) return {};
  const old = defaultsOf(before);
  return pickBy(
    defaultsOf(after),
    (value, field) => old[field] !== value && live[field] === old[field] && isOutputOnly(field),
  );
}

/** Keeps the live order of the fields if only the order differs. The order matters only in CSV. */
function inLiveOrder(options: JsonObject, live: SealedObject): JsonObject {
  const fields = live.fields as Json; // no option is sealed
  const isCsv = (options[TYPE] ?? live[TYPE]) === "csv";
  const isReordered = options.fields !== undefined && isSame(options.fields, fields, setField);
  return isReordered && !isCsv ? { ...options, fields } : options;
}

export function isOption(field: string): boolean {
  return field in defaultsOf(undefined) || isOutputOnly(field) || isLogpullOnly(field);
}

/**
 * The part of a body that sets these options and keeps the other options of `raw`, the live job. The style is that of
 * the live job, else `logpull_options` where that can express the options. A body never has both: the service ignores
 * one.
 */
export function optionsBody(options: JsonObject, raw: JsonObject | null): JsonObject {
  if (isObject(raw?.output_options)) return { output_options: writeOutput(raw.output_options, options) };
  const before = textOf(raw?.logpull_options);
  if (Object.keys(options).some(isOutputOnly)) {
    return { output_options: writeOutput({}, { ...readLogpull(before), ...options }) };
  }
  const after = writeLogpull(before, options);
  return before === "" && after === "" ? {} : { logpull_options: after };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Members that `logpull_options` can express too → fields of the normal form. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["field_names", "fields"],
  ["timestamp_format", "timestamps"],
  ["sample_rate", "sample_rate"],
  ["CVE-2021-44228", "CVE-2021-44228"],
  // A misspelling in the published OpenAPI document, which services have used too.
  ["CVE-2021-4428", "CVE-2021-44228"],
]);

/** The prefix of all other members in the normal form. */
const OTHER = "output_options.";

export const TYPE = "output_options.output_type";
const DEFAULT_TYPE = "ndjson";
export const TEMPLATE = "output_options.record_template";
export const BY_TEMPLATE = "record_template decides which fields are written";

/** The defaults of the published OpenAPI document. The last member is newer than the document. */
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
  [TEMPLATE]: "",
  "output_options.merge_subrequests": false,
};

/** The defaults of the type csv (the service's documentation of output options). */
const CSV_DEFAULTS: JsonObject = {
  "output_options.record_prefix": "",
  "output_options.record_suffix": "\n",
};

/** Whether the option's default depends on the output type. */
export function isByType(field: string): boolean {
  return field in CSV_DEFAULTS;
}

/** The defaults of all options. */
export function defaultsOf(type: Json | undefined): JsonObject {
  return type === "csv" ? { ...DEFAULTS, [TYPE]: type, ...CSV_DEFAULTS } : DEFAULTS;
}

/** The members of `output_options` as fields of the normal form. Null counts as absent. */
function readOutput(options: JsonObject): JsonObject {
  const fields = Object.entries(options).flatMap(([member, value]): readonly (readonly [string, Json])[] => {
    if (value === null) return [];
    const field = FIELDS.get(member) ?? OTHER + member;
    if (field !== "fields") return [[field, value]];
    return [isList(value) ? [field, textsIn(value)] : [OTHER + member, value]];
  });
  return Object.fromEntries(fields);
}

function textsIn(list: readonly Json[]): Json {
  return list.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
}

/** `output_options` with these fields of the normal form. A call replaces all of it, so old members are sent too. */
function writeOutput(options: JsonObject, fields: JsonObject): JsonObject {
  const oldMembers = mapKeys(options, (member) => memberOf(FIELDS.get(member) ?? OTHER + member));
  return { ...oldMembers, ...mapKeys(withoutLogpullOnly(fields), memberOf) };
}

/** The member of `output_options` for a field of the normal form. */
export function memberOf(field: string): string {
  const entry = [...FIELDS].find(([, each]) => each === field);
  return entry?.[0] ?? field.slice(OTHER.length);
}

/** Whether only `output_options` can express the field. */
function isOutputOnly(field: string): boolean {
  return field.startsWith(OTHER);
}

/**
 * Undeclared options of a live job that stay, although the job declares its fields. A job that declares
 * `logpull_options` leaves all options that the text cannot express.
 */
export function optionsLeft({ normal, raw, owns }: Item): readonly string[] {
  if (raw === null || !Array.isArray(owns) || !owns.includes("fields")) return [];
  const isWhole = [...FIELDS.values()].every((field) => owns.includes(field));
  const usual: JsonObject = { ...defaultsOf(normal[TYPE] as Json), [TYPE]: DEFAULT_TYPE }; // no option is sealed
  return Object.entries(normal).flatMap(([field, value]) => {
    const isLeft = isOutputOnly(field) && !owns.includes(field) && (isWhole || field === TEMPLATE);
    return isLeft && !equal(value, usual[field] ?? null) ? [memberOf(field)] : [];
  });
}
