import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { parseStrictly } from "../../model/json-text.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Field, Fields } from "../fields.js";
import { logpushJobSchema } from "./schema.js";

/** The prefix, in the normal form, of API fields that are declared under `extra`. */
const PREFIX = "extra.";

/**
 * Fields that users set, with the values that null or absence stands for. The batch limits have 0, which means no limit
 * (the published OpenAPI document and the official TypeScript SDK).
 */
const DEFAULTS: JsonObject = {
  filter: "",
  filter_attack_traffic: false,
  frequency: "high",
  kind: "",
  max_upload_bytes: 0,
  max_upload_interval_seconds: 0,
  max_upload_records: 0,
};

/** Known fields without credentials. */
export const PLAIN: readonly string[] = [...Object.keys(DEFAULTS), "sample_rate", "transformer_id"];

/** Fields that are declared outside `extra`. */
export const BESIDE: readonly string[] = Object.keys(logpushJobSchema.properties ?? {}).filter(
  (key) => key !== "extra",
);

/** Fields that only the service writes. */
export const READ_ONLY: readonly string[] = ["last_complete", "last_error", "error_message"];

const ELSEWHERE: readonly string[] = [...BESIDE, ...READ_ONLY, "output_options"];

/** All fields of a live job that belong under `extra`. */
export function liveExtra(raw: JsonObject): JsonObject {
  const liveFields = Object.entries(raw).filter(
    ([name, value]) => value !== null && !ELSEWHERE.includes(name),
  );
  return withPrefix({ ...DEFAULTS, ...Object.fromEntries(liveFields) });
}

/** The values that reset the fields of a live job. Only fields that the live job sets are included. */
export function nothingOf(live: JsonObject): JsonObject {
  const resets = Object.entries(DEFAULTS).filter(([name]) => (live[name] ?? null) !== null);
  return Object.fromEntries(resets);
}

/** The fields declared under `extra`. Output options have fields of their own. */
export function declaredExtra({ extra }: JsonObject): JsonObject {
  const { output_options: _, ...rest } = isObject(extra) ? extra : {};
  return withPrefix(rest);
}

function withPrefix(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [PREFIX + name, value]));
}

/** The fields in a request body. */
export function extraBody(normal: SealedObject): SealedObject {
  const extra = Object.entries(normal).filter(([field]) => field.startsWith(PREFIX));
  return Object.fromEntries(extra.map(([field, value]) => [field.slice(PREFIX.length), value]));
}

/** A filter is JSON text, which the service may respell. An ambiguous text is equal only to itself. */
export const filterField = {
  canonical: (value) => (typeof value === "string" ? (readFilter(value) ?? value) : value),
} satisfies Field;

/** An unknown field may hold a credential. */
export const extraFields: Fields = {
  extra: { secret: "inside" },
  "extra.output_options": { secret: "apart" },
  ...Object.fromEntries(PLAIN.map((name) => [PREFIX + name, plainField(name)])),
  "extra.filter": { ...plainField("filter"), ...filterField, secret: "text" },
  "extra.kind": { ...plainField("kind"), fixed: true },
};

function plainField(name: string): Field {
  const unset = DEFAULTS[name];
  return unset === undefined ? { secret: "never" } : { secret: "never", unset };
}

/** Null: JSON readers disagree about the text. They differ on repeated keys, and round long numbers. */
export function readFilter(text: string): Json | null {
  const parsed = parseStrictly(text);
  return parsed.ok && !LONG_NUMBER.test(text.replace(QUOTED, '""')) ? parsed.value : null;
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** A number with an exponent, or with more digits than JavaScript keeps. */
const LONG_NUMBER = /[\d.]{16}|\de/i;
