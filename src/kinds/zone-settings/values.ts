import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import type { Was } from "../kind.js";
import { HEADER, HSTS, isSwitch, settings } from "./fields.js";

/** The prefix, in the normal form, of settings that are declared under `other`. */
const OTHER = "other.";

/** The id of the setting that has a field of the normal form. */
export function settingWith(field: string): string {
  if (field.startsWith(OTHER)) return field.slice(OTHER.length);
  return field.split(".")[0] ?? field;
}

/** The ids of the declared settings. */
export function declaredIds({ other, ...known }: JsonObject): readonly string[] {
  return [...Object.keys(known), ...Object.keys(isObject(other) ? other : {})];
}

/**
 * The fields of the live settings. Each member of the object is a setting, as the service answers it. Null: the security
 * header has another form.
 */
export function normalOf(raw: JsonObject): JsonObject | null {
  const fields: (readonly [string, Json])[] = [];
  for (const [id, setting] of Object.entries(raw)) {
    const value = valueIn(setting);
    if (id !== HEADER) fields.push([settings.has(id) ? id : OTHER + id, value]);
    else if (headerIn(setting) === null) return null;
    else fields.push(...headerFields(headerIn(setting) ?? {}));
  }
  return Object.fromEntries(fields);
}

function headerFields(header: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(header).map(([name, value]) => [`${HEADER}.${name}`, value]);
}

function valueIn(setting: Json | undefined): Json {
  return (isObject(setting) ? setting.value : null) ?? null;
}

function headerIn(setting: Json | undefined): JsonObject | null {
  const value = valueIn(setting);
  const header = isObject(value) ? (value[HSTS] ?? null) : null;
  return isObject(header) ? header : null;
}

/** Cloudflare has on and off where files may also have true and false. */
export function toDesired({ other, [HEADER]: header, ...known }: JsonObject): SealedObject {
  return {
    ...Object.fromEntries(Object.entries(known).map(([id, value]) => [id, inWords(value)])),
    ...Object.fromEntries(isObject(header) ? headerFields(header) : []),
    ...Object.fromEntries(
      Object.entries(isObject(other) ? other : {}).map(([id, value]) => [OTHER + id, value]),
    ),
  };
}

function inWords(value: Json): Json {
  return typeof value === "boolean" ? (value ? "on" : "off") : value;
}

/** A switch keeps the way in which the file writes it. */
export function toConfig({ normal }: Item, declared: JsonObject | null): JsonObject {
  const live = normal as JsonObject; // no field is sensitive
  const isWanted = (id: string) => declared === null || id in declared;
  const known = [...settings.keys()].flatMap((id): readonly (readonly [string, Json])[] => {
    const value = live[id];
    if (value === undefined || !isWanted(id)) return [];
    const isWritten =
      typeof declared?.[id] === "boolean" && isSwitch(id) && (value === "on" || value === "off");
    return [[id, isWritten ? value === "on" : value]];
  });
  const maps = [HEADER, "other"].flatMap((key): readonly (readonly [string, Json])[] => {
    const inner = insideOf(live, `${key}.`, declared === null ? null : declared[key]);
    return isWanted(key) && Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries([...known, ...maps]);
}

/** The fields of a map by their names there: those that the file has, or all. */
function insideOf(live: JsonObject, prefix: string, declared: Json | null | undefined): JsonObject {
  const wanted = isObject(declared) ? declared : null;
  return Object.fromEntries(
    Object.entries(live).flatMap(([field, value]) => {
      const name = field.slice(prefix.length);
      return field.startsWith(prefix) && (wanted === null || name in wanted) ? [[name, value]] : [];
    }),
  );
}

/** The body of the call for one setting. The security header is sent whole, so undeclared parts keep their live values. */
export function toWire({ normal }: Item, was: Was | null): SealedObject {
  const values = normal as JsonObject; // no field is sensitive
  const [field = ""] = was?.fields ?? [];
  if (settingWith(field) !== HEADER) return { value: values[field] ?? null };
  const live = headerIn(was?.live.raw?.[HEADER]) ?? {};
  return { value: { [HSTS]: { ...live, ...insideOf(values, `${HEADER}.`, null) } } };
}

/** The declaration that makes `read` read these settings again. */
export function toReRead(raws: readonly JsonObject[]): JsonObject {
  const all: JsonObject = Object.assign({}, ...raws);
  const [known, others] = [true, false].map((isKnown) =>
    Object.fromEntries(
      Object.entries(all).flatMap(([id, setting]) =>
        (settings.has(id) || id === HEADER) === isKnown ? [[id, valueIn(setting)]] : [],
      ),
    ),
  );
  return { ...known, other: others ?? {} };
}
