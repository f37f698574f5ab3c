import { isObject, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { isLogpullOnly, readLogpull, writeLogpull } from "./logpull.js";
import { DEFAULT_TYPE, defaultsOf, isOutputOnly, readOutput, TYPE, writeOutput } from "./output.js";

/**
 * What a job writes of each request, and how, as fields of the normal form, whichever of its two styles says so.
 * Where both do, `output_options` counts (the published OpenAPI document). What neither says is the default.
 */
export function liveOptions(raw: JsonObject): JsonObject {
  const said = isObject(raw.output_options)
    ? readOutput(raw.output_options)
    : readLogpull(textOf(raw.logpull_options));
  return { ...defaultsOf(said[TYPE]), ...said };
}

/** The options that a declared job owns. `live` is what it is compared with. */
export function declaredOptions(
  { fields, timestamps, logpull_options: text, extra }: JsonObject,
  live: { readonly normal: SealedObject; readonly raw: JsonObject | null } | null,
): JsonObject {
  const output = isObject(extra) && isObject(extra.output_options) ? readOutput(extra.output_options) : null;
  const own: JsonObject = {
    ...(fields === undefined ? {} : { fields }),
    ...(timestamps === undefined ? {} : { timestamps }),
    ...(typeof text === "string" ? declaredLogpull(text, live) : {}),
    ...output,
  };
  // A new job for which output_options is declared is written with it: the type says so.
  if (live === null) return output === null ? own : { [TYPE]: DEFAULT_TYPE, ...own };
  return inLiveOrder({ ...defaultsOfNewType(own, live.normal), ...own }, live.normal);
}

/** Whoever declares the text declares all of it: what it does not say is the default. */
export function declaredLogpull(text: string, live: { readonly raw: JsonObject | null } | null): JsonObject {
  const said = readLogpull(text);
  if (live === null) return said;
  const {
    fields = null,
    timestamps = null,
    sample_rate = null,
    "CVE-2021-44228": cve = null,
  } = defaultsOf(undefined);
  const whole = { fields, timestamps, sample_rate, "CVE-2021-44228": cve, ...said };
  return isObject(live.raw?.output_options) ? without(whole, isLogpullOnly) : whole;
}

function without(fields: JsonObject, isOut: (field: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !isOut(field)));
}

/** Where the type of the output changes, what had the default of the old type gets that of the new one. */
function defaultsOfNewType(own: JsonObject, live: SealedObject): JsonObject {
  const [before, after] = [live[TYPE] as Json, own[TYPE]]; // no option is sealed
  if (after === undefined || after === before) return {};
  const old = defaultsOf(before);
  const moved = Object.entries(defaultsOf(after)).filter(
    ([field, value]) => old[field] !== value && live[field] === old[field] && isOutputOnly(field),
  );
  return Object.fromEntries(moved);
}

/** The order of fields counts only in CSV: elsewhere the same fields are as they are live. */
function inLiveOrder(own: JsonObject, live: SealedObject): JsonObject {
  const { fields } = own;
  const isCsv = (own[TYPE] ?? live[TYPE]) === "csv";
  if (fields === undefined || isCsv || !isSameSet(fields, live.fields as Json)) return own; // no option is sealed
  return { ...own, fields: live.fields as Json };
}

function isSameSet(a: Json, b: Json): boolean {
  const [one, other] = [a, b].map((each) => new Set(Array.isArray(each) ? each : []));
  return (
    one !== undefined &&
    other !== undefined &&
    one.size === other.size &&
    [...one].every((each) => other.has(each))
  );
}

export function isOption(field: string): boolean {
  return field in defaultsOf(undefined) || isOutputOnly(field) || isLogpullOnly(field);
}

/**
 * The part of a body that gives a job these options beside those of `raw`, the job that it changes: in the style of
 * that job, else in the one that the interface's description has. Never in both: one would be ignored.
 */
export function optionsBody(given: JsonObject, raw: JsonObject | null): JsonObject {
  if (isObject(raw?.output_options)) return { output_options: writeOutput(raw.output_options, given) };
  const before = textOf(raw?.logpull_options);
  if (Object.keys(given).some(isOutputOnly)) {
    const said = without(readLogpull(before), isLogpullOnly);
    return { output_options: writeOutput({}, { ...said, ...given }) };
  }
  const after = writeLogpull(before, given);
  return before === "" && after === "" ? {} : { logpull_options: after };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
