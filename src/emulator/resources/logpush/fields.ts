import { equal, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { fieldError } from "../../answer.js";
import { isDestination, knownOutput, outputErrors } from "./job.js";

/** Errors of a log-push request with these `allowed` fields. */
export function fieldErrors(
  body: JsonObject,
  allowed: readonly string[],
  required: readonly string[],
): readonly JsonObject[] {
  const missing = required.filter((field) => !Object.hasOwn(body, field));
  return [
    ...missing.map((field) => fieldError(field, `${field} is required`)),
    ...Object.entries(body).flatMap(([field, value]) => {
      const check = (allowed.includes(field) ? checks.get(field) : undefined) ?? unknownField;
      return check(field, value);
    }),
  ];
}

/**
 * Errors of a request that creates a job.
 *
 * @param seeded fields, and paths of output options, that the seed shows to be valid, known here or not
 */
export function creationErrors(body: JsonObject, seeded: ReadonlySet<string>): readonly JsonObject[] {
  const isNewer = (field: string) => seeded.has(field) && !checks.has(field) && !readOnly.includes(field);
  const checked = Object.fromEntries(
    Object.entries(body).flatMap(([field, value]) => {
      if (isNewer(field)) return [];
      const isOutput = field === "output_options" && isObject(value);
      return [[field, isOutput ? knownOutput(value, seeded) : value]];
    }),
  );
  return [...fieldErrors(checked, [...checks.keys()], ["destination_conf"]), ...logpullErrors(checked)];
}

/** Errors of a request that updates the job `live`. Values from a seed may be sent back unchanged without a check. */
export function updateErrors(body: JsonObject, live: JsonObject): readonly JsonObject[] {
  const changed = changes(withoutNulls(body), live);
  const fixed = immutable.filter((field) => Object.hasOwn(changed, field));
  const rest = Object.entries(changed).filter(([field]) => !immutable.includes(field));
  return [
    ...fixed.map((field) => fieldError(field, `${field} cannot be changed`)),
    ...fieldErrors(Object.fromEntries(rest), [...checks.keys()], []),
    ...logpullErrors(changed),
  ];
}

/** Drops immutable fields that are null: the official Terraform provider sends them with every update. */
export function withoutNulls(body: JsonObject): JsonObject {
  const rest = Object.entries(body).filter(([field, value]) => value !== null || !immutable.includes(field));
  return Object.fromEntries(rest);
}

function logpullErrors({ logpull_options: options }: JsonObject): readonly JsonObject[] {
  const mistake = typeof options === "string" ? logpullMistake(options) : "";
  return mistake === "" ? [] : [fieldError("logpull_options", mistake)];
}

/** `kind`: the service's documentation. `dataset`: the official Terraform provider makes a new job. */
const immutable: readonly string[] = ["dataset", "kind"];

/** Never allowed in a request. */
const readOnly: readonly string[] = ["id", "last_complete", "last_error", "error_message"];

/** The members of `body` that differ from `live`, recursively in objects. */
function changes(body: JsonObject, live: JsonObject): JsonObject {
  const entries = Object.entries(body).flatMap(([name, value]): [string, Json][] => {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    if (equal(before, value) && !readOnly.includes(name)) return [];
    return [[name, isObject(value) && isObject(before) ? changes(value, before) : value]];
  });
  return Object.fromEntries(entries);
}

type FieldCheck = (field: string, value: Json) => readonly JsonObject[];

const unknownField: FieldCheck = (field) => [fieldError(field, "unknown field")];

function must(be: string, isGood: (value: Json) => boolean): FieldCheck {
  return (field, value) => (isGood(value) ? [] : [fieldError(field, `must be ${be}`)]);
}

/** A text with a pattern and a maximum length, both from the published OpenAPI document. */
function text(pattern: RegExp, maximum: number): (value: Json) => boolean {
  return (value) => typeof value === "string" && value.length <= maximum && pattern.test(value);
}

function orNull(isGood: (value: Json) => boolean): (value: Json) => boolean {
  return (value) => value === null || isGood(value);
}

const isBoolean = (value: Json) => typeof value === "boolean";

/** 0 switches the limit of a batch off. The bounds are those of the published OpenAPI document. */
function batch(minimum: number, maximum: number): FieldCheck {
  const isInside = (value: Json) =>
    Number.isInteger(value) && (value === 0 || (Number(value) >= minimum && Number(value) <= maximum));
  return must(`a whole number from ${minimum} to ${maximum}, 0 or null`, orNull(isInside));
}

/** A filter is JSON in a string. */
function isFilter(value: Json): boolean {
  if (value === "") return true;
  try {
    return typeof value === "string" && isObject(JSON.parse(value));
  } catch {
    return false;
  }
}

const outputOptions: FieldCheck = (field, value) => {
  if (value === null) return [];
  return isObject(value) ? outputErrors(value) : [fieldError(field, "must be an object or null")];
};

/**
 * `filter` and `filter_attack_traffic` are newer than the published OpenAPI document; the official TypeScript SDK has
 * them. Updating `name` is newer too.
 */
const checks: ReadonlyMap<string, FieldCheck> = new Map([
  ["dataset", must("the name of a dataset, or null", orNull(text(/^[a-zA-Z0-9_-]+$/, 256)))],
  ["destination_conf", must("a URL of up to 4096 characters", isDestination)],
  ["enabled", must("true or false", isBoolean)],
  ["filter", must("JSON as a string, or null", orNull(isFilter))],
  ["filter_attack_traffic", must("true or false", isBoolean)],
  ["frequency", must("high, low or null", orNull(text(/^(high|low)$/, 4)))],
  ["kind", must('"edge", "" or null', orNull(text(/^(edge)?$/, 4)))],
  ["logpull_options", must("a string of up to 4096 characters, or null", orNull(text(/^/, 4096)))],
  ["max_upload_bytes", batch(5_000_000, 1_000_000_000)],
  ["max_upload_interval_seconds", batch(30, 300)],
  ["max_upload_records", batch(1000, 1_000_000)],
  [
    "name",
    must("up to 512 letters, digits, hyphens and dots, or null", orNull(text(/^[a-zA-Z0-9\-.]*$/, 512))),
  ],
  ["output_options", outputOptions],
  ["ownership_challenge", must("a token of up to 4096 characters", text(/^[a-zA-Z0-9/+.\-_]*$/, 4096))],
]);

/** The error in `logpull_options`, which is a URL or its query; "": none. Other parameters are ignored. */
export function logpullMistake(options: string): string {
  const query = new URLSearchParams(options.slice(options.indexOf("?") + 1));
  const wrong = parameters.find(([name, pattern]) => query.getAll(name).some((text) => !pattern.test(text)));
  return wrong === undefined ? "" : `${wrong[0]} must be ${wrong[2]}`;
}

/** The service's documentation of logpull options: all of them are optional. */
const parameters: readonly (readonly [name: string, pattern: RegExp, wanted: string])[] = [
  ["fields", /^\w+(,\w+)*$/, "names of fields with commas between them"],
  ["timestamps", /^(unix|unixnano|rfc3339|rfc3339ms|rfc3339ns)$/, "unixnano, unix or rfc3339"],
  ["sample", /^(1(\.0*)?|0?\.\d*[1-9]\d*)$/, "greater than 0 and at most 1"],
  ["CVE-2021-44228", /^(true|false)$/, "true or false"],
];
