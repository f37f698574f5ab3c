import { isObject, type Json, type JsonObject, pickBy } from "../../model/json.js";
import { parseStrictly } from "../../model/json-text.js";
import { type Field, type Fields, fieldsInside } from "../fields.js";
import { logpushJobSchema } from "./schema.js";

/** The key of API fields that are declared in a map. */
const KEY = "extra";

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
  const live = pickBy(raw, (value, name) => value !== null && !ELSEWHERE.includes(name));
  return fieldsInside(KEY, { ...DEFAULTS, ...live });
}

/** The fields declared under `extra`. Output options have fields of their own. */
export function declaredExtra({ extra }: JsonObject): JsonObject {
  const { output_options: _, ...rest } = isObject(extra) ? extra : {};
  return fieldsInside(KEY, rest);
}

/** A filter is JSON text, which the service may respell. An ambiguous text is equal only to itself. */
export const filterField = {
  canonical: (value) => (typeof value === "string" ? (readFilter(value) ?? value) : value),
} satisfies Field;

/** An unknown field may hold a credential. */
export const extraFields: Fields = {
  extra: { secret: "inside" },
  "extra.output_options": { secret: "apart" },
  ...fieldsInside(KEY, Object.fromEntries(PLAIN.map((name) => [name, plainField(name)]))),
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
