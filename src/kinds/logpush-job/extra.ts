import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { parseStrictly } from "../../model/json-text.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Field, Fields } from "../fields.js";
import { logpushJobSchema } from "./schema.js";

/** Fields of the API's job that are declared under `extra`, as fields of the normal form. */
const PREFIX = "extra.";

/**
 * Fields that users set, with what they are where the service says nothing or null. For the limits of a batch that is 0,
 * which is none (the published OpenAPI document and the official TypeScript SDK).
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

/** Fields that are known and hold no credentials. */
export const PLAIN: readonly string[] = [...Object.keys(DEFAULTS), "sample_rate", "transformer_id"];

/** Fields that are declared beside `extra`. */
export const BESIDE: readonly string[] = Object.keys(logpushJobSchema.properties ?? {}).filter(
  (key) => key !== "extra",
);

/** Fields that only the service writes. */
export const READ_ONLY: readonly string[] = ["last_complete", "last_error", "error_message"];

const ELSEWHERE: readonly string[] = [...BESIDE, ...READ_ONLY, "output_options"];

/** All that a live job could have declared under `extra`. */
export function liveExtra(raw: JsonObject): JsonObject {
  const liveFields = Object.entries(raw).filter(
    ([name, value]) => value !== null && !ELSEWHERE.includes(name),
  );
  return withPrefix({ ...DEFAULTS, ...Object.fromEntries(liveFields) });
}

/** Of a live job, what stands for nothing where it says something, and can be sent. */
export function nothingOf(live: JsonObject): JsonObject {
  const resets = Object.entries(DEFAULTS).filter(([name]) => (live[name] ?? null) !== null);
  return Object.fromEntries(resets);
}

/** What a job declares under `extra`; its output options are fields of their own. */
export function declaredExtra({ extra }: JsonObject): JsonObject {
  const { output_options: _, ...rest } = isObject(extra) ? extra : {};
  return withPrefix(rest);
}

function withPrefix(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [PREFIX + name, value]));
}

/** The fields as a body has them. */
export function extraBody(normal: SealedObject): SealedObject {
  const extra = Object.entries(normal).filter(([field]) => field.startsWith(PREFIX));
  return Object.fromEntries(extra.map(([field, value]) => [field.slice(PREFIX.length), value]));
}

/** JSON in a text, which the service may write in another way. A text with more than one reading is only itself. */
export const filterField = {
  canonical: (value) => (typeof value === "string" ? (readFilter(value) ?? value) : value),
} satisfies Field;

/** A field that is not known may hold a credential. */
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

/** Null: readers differ about it. Of a key that stands twice some take the first value, and long numbers get rounded. */
export function readFilter(text: string): Json | null {
  const parsed = parseStrictly(text);
  return parsed.ok && !LONG_NUMBER.test(text.replace(QUOTED, '""')) ? parsed.value : null;
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** More digits than a number here can have, or an exponent. */
const LONG_NUMBER = /[\d.]{16}|\de/i;
