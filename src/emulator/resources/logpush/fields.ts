import { equal, isObject, type Json, type JsonObject } from "../../../model/json.js";
import { type FieldError, fieldError } from "../../answer.js";
import { anyFlag, bodyErrors, type Check, type Checks, must, orNull } from "../../checks.js";
import { checkOutput, isDestination } from "./job.js";

/** Errors of a question about these fields. */
export function questionErrors(body: JsonObject, fields: readonly string[]): readonly FieldError[] {
  const allowed = Object.entries(checks).filter(([field]) => fields.includes(field));
  return bodyErrors(body, Object.fromEntries(allowed), fields);
}

/** Errors of a request that creates a job, with checks from `creationChecks`. */
export function creationErrors(body: JsonObject, checks: Checks): readonly FieldError[] {
  return [...bodyErrors(body, checks, ["destination_conf"]), ...logpullErrors(body)];
}

/** The checks of a new job. Fields and output options that a seed has are valid, known here or not. */
export function creationChecks(seeds: readonly JsonObject[]): Checks {
  const output = seeds.flatMap(({ output_options: options = null }) => (isObject(options) ? [options] : []));
  return { ...accepting(seeds), ...checks, output_options: orNull(checkOutput(accepting(output))) };
}

function accepting(objects: readonly JsonObject[]): Checks {
  const fields = objects.flatMap((each) => Object.keys(each)).filter((field) => !readOnly.includes(field));
  return Object.fromEntries(fields.map((field) => [field, () => []]));
}

/** Errors of a request that updates the job `live`. Values from a seed may be sent back unchanged without a check. */
export function updateErrors(body: JsonObject, live: JsonObject): readonly FieldError[] {
  const changed = changes(withoutNulls(body), live);
  const fixed = immutable.filter((field) => Object.hasOwn(changed, field));
  const rest = Object.entries(changed).filter(([field]) => !immutable.includes(field));
  return [
    ...fixed.map((field) => fieldError(`/${field}`, `${field} cannot be changed`)),
    ...bodyErrors(Object.fromEntries(rest), checks),
    ...logpullErrors(changed),
  ];
}

/** Drops immutable fields that are null: the official Terraform provider sends them with every update. */
export function withoutNulls(body: JsonObject): JsonObject {
  const rest = Object.entries(body).filter(([field, value]) => value !== null || !immutable.includes(field));
  return Object.fromEntries(rest);
}

/** The error in `logpull_options`, which is a URL or its query. Other parameters are ignored. */
function logpullErrors({ logpull_options: options }: JsonObject): readonly FieldError[] {
  if (typeof options !== "string") return [];
  const query = new URLSearchParams(options.slice(options.indexOf("?") + 1));
  const wrong = parameters.find(([name, pattern]) => query.getAll(name).some((text) => !pattern.test(text)));
  return wrong === undefined ? [] : [fieldError("/logpull_options", `${wrong[0]} must be ${wrong[2]}`)];
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

/** A text with a pattern and a maximum length, both from the published OpenAPI document. */
function text(wanted: string, pattern: RegExp, maximum: number): Check {
  return must(
    `must be ${wanted}`,
    (value) => typeof value === "string" && value.length <= maximum && pattern.test(value),
  );
}

/** 0 switches the limit of a batch off. The bounds are those of the published OpenAPI document. */
function batch(minimum: number, maximum: number): Check {
  const isInside = (value: Json) =>
    Number.isInteger(value) && (value === 0 || (Number(value) >= minimum && Number(value) <= maximum));
  return orNull(must(`must be a whole number from ${minimum} to ${maximum}, 0 or null`, isInside));
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

/**
 * `filter` and `filter_attack_traffic` are newer than the published OpenAPI document; the official TypeScript SDK has
 * them. Updating `name` is newer too.
 */
const checks: Checks = {
  dataset: orNull(text("the name of a dataset, or null", /^[a-zA-Z0-9_-]+$/, 256)),
  destination_conf: must("must be a URL of up to 4096 characters", isDestination),
  enabled: anyFlag,
  filter: orNull(must("must be JSON as a string, or null", isFilter)),
  filter_attack_traffic: anyFlag,
  frequency: orNull(text("high, low or null", /^(high|low)$/, 4)),
  kind: orNull(text('"edge", "" or null', /^(edge)?$/, 4)),
  logpull_options: orNull(text("a string of up to 4096 characters, or null", /^/, 4096)),
  max_upload_bytes: batch(5_000_000, 1_000_000_000),
  max_upload_interval_seconds: batch(30, 300),
  max_upload_records: batch(1000, 1_000_000),
  name: orNull(text("up to 512 letters, digits, hyphens and dots, or null", /^[a-zA-Z0-9\-.]*$/, 512)),
  output_options: orNull(checkOutput({})),
  ownership_challenge: text("a token of up to 4096 characters", /^[a-zA-Z0-9/+.\-_]*$/, 4096),
};

/** The service's documentation of logpull options: all of them are optional. */
const parameters: readonly (readonly [name: string, pattern: RegExp, wanted: string])[] = [
  ["fields", /^\w+(,\w+)*$/, "names of fields with commas between them"],
  ["timestamps", /^(unix|unixnano|rfc3339|rfc3339ms|rfc3339ns)$/, "unixnano, unix or rfc3339"],
  ["sample", /^(1(\.0*)?|0?\.\d*[1-9]\d*)$/, "greater than 0 and at most 1"],
  ["CVE-2021-44228", /^(true|false)$/, "true or false"],
];
