import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import { isSame } from "../fields.js";
import { liveExtra, PLAIN } from "./extra.js";
import { isLogpullOnly, shownLogpull, writeLogpull } from "./logpull.js";
import { declaredLogpull, defaultsOf, isOption, memberOf } from "./options.js";

/** Fields with the same name in files and in the normal form. */
const ALIKE = ["name", "dataset", "enabled", "destination_conf"] as const;

/** The declaration of a live job. */
export function configOf(live: Item, declared: JsonObject | null): JsonObject {
  const normal = live.normal as JsonObject; // secrets of live objects are not sealed
  const raw = live.raw ?? {};
  return declared === null
    ? { ...pick(normal, ALIKE), ...optionsOf(normal, raw) }
    : inKeysOf(declared, normal, raw);
}

/** All declarable options. Unknown fields are left out, because they may hold a secret. */
function optionsOf(normal: JsonObject, raw: JsonObject): JsonObject {
  const { fields, timestamps } = normal;
  const plain = Object.fromEntries(
    PLAIN.flatMap((name): (readonly [string, Json])[] => {
      const value = normal[`extra.${name}`];
      const isUsual = value === undefined || value === USUAL[`extra.${name}`];
      return isUsual || !isPlain(value) ? [] : [[name, value]];
    }),
  );
  const output = Object.entries(normal).flatMap(([field, value]): (readonly [string, Json])[] => {
    const isOwn = field in OPTIONS && !BESIDE.includes(field);
    return isOwn && isPlain(value) && value !== OPTIONS[field] ? [[memberOf(field), value]] : [];
  });
  const text = liveText(raw);
  if (text !== null && output.length > 0) return { logpull_options: shownLogpull(text), ...asExtra(plain) };
  const names = Array.isArray(fields) && fields.length > 0 ? { fields } : {};
  const times = timestamps === undefined || timestamps === OPTIONS.timestamps ? {} : { timestamps };
  return {
    ...names,
    ...("fields" in names && timestamps !== undefined ? { timestamps } : times),
    ...asExtra({ ...plain, ...(output.length === 0 ? {} : { output_options: Object.fromEntries(output) }) }),
  };
}

const USUAL = liveExtra({});
const OPTIONS = defaultsOf(undefined);

/** Options with a key of their own. */
const BESIDE: readonly string[] = ["fields", "timestamps"];

/** The live `logpull_options`. Null: the job uses `output_options`. */
function liveText({ logpull_options: text, output_options: output }: JsonObject): string | null {
  return typeof text === "string" && !isObject(output) ? text : null;
}

/** No option that this program knows is a map or a list. */
function isPlain(value: Json): boolean {
  return typeof value !== "object";
}

function asExtra(extra: JsonObject): JsonObject {
  return Object.keys(extra).length === 0 ? {} : { extra };
}

function inKeysOf(declared: JsonObject, normal: JsonObject, raw: JsonObject): JsonObject {
  const entries = Object.entries(declared).flatMap(([key, written]): (readonly [string, Json])[] => {
    const value = valueFor(key, written, normal, raw);
    return value === undefined || value === null ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

function valueFor(key: string, written: Json, normal: JsonObject, raw: JsonObject): Json | undefined {
  switch (key) {
    case "id":
    case "renamed_from":
    case "ownership_challenge":
      return written;
    case "logpull_options":
      return typeof written === "string" ? textFor(written, normal, raw) : undefined;
    case "extra":
      return isObject(written) ? extraFor(written, normal) : undefined;
    case "fields":
      return Array.isArray(normal.fields) && normal.fields.length > 0 ? normal.fields : undefined;
    default:
      return normal[key];
  }
}

/**
 * The declared text, if no option differs. Otherwise the live text or, for a job without one, the declared text with
 * the live values.
 */
function textFor(written: string, normal: JsonObject, raw: JsonObject): Json {
  const declaredOptions = declaredLogpull(written, { raw });
  const differing = Object.keys(declaredOptions).filter(
    (field) => !isSame(normal[field] ?? null, declaredOptions[field] ?? null, undefined),
  );
  if (differing.length === 0) return written;
  const liveParameters = shownLogpull(liveText(raw) ?? "", written);
  return liveParameters === "" ? writeLogpull(written, pick(normal, differing)) : liveParameters;
}

function extraFor(written: JsonObject, normal: JsonObject): JsonObject | undefined {
  const entries = Object.entries(written).flatMap(([key, value]): (readonly [string, Json])[] => {
    const liveValue =
      key === "output_options" && isObject(value) ? outputFor(value, normal) : normal[`extra.${key}`];
    return liveValue === undefined ? [] : [[key, liveValue]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function outputFor(written: JsonObject, normal: JsonObject): JsonObject | undefined {
  const options = Object.entries(normal).filter(([field]) => isOption(field) && !isLogpullOnly(field));
  const members = new Map(options.map(([field, value]) => [memberOf(field), value]));
  const entries = Object.keys(written).flatMap((member): (readonly [string, Json])[] => {
    const value = members.get(member);
    return value === undefined ? [] : [[member, value]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): (readonly [string, Json])[] => {
      const value = from[name];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}
