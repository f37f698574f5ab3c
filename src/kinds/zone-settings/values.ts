import type { Item } from "../../model/item.js";
import { isObject, type Json, type JsonObject, mapValues, pick, pickBy } from "../../model/json.js";
import type { SealedObject } from "../../model/sealed.js";
import { fieldsInside, mapInside } from "../fields.js";
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
  if (raw[HEADER] !== undefined && headerIn(raw[HEADER]) === null) return null;
  const fields = Object.entries(raw).map(([id, setting]): JsonObject => {
    if (id === HEADER) return fieldsInside(HEADER, headerIn(setting) ?? {});
    return { [settings.has(id) ? id : OTHER + id]: valueIn(setting) };
  });
  return Object.assign({}, ...fields);
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
    ...mapValues(known, inWords),
    ...fieldsInside(HEADER, isObject(header) ? header : {}),
    ...fieldsInside("other", isObject(other) ? other : {}),
  };
}

function inWords(value: Json): Json {
  return typeof value === "boolean" ? (value ? "on" : "off") : value;
}

/** A switch keeps the way in which the file writes it. */
export function toConfig({ normal }: Item, declared: JsonObject | null): JsonObject {
  const live = normal as JsonObject; // no field is sensitive
  const isWanted = (id: string) => declared === null || id in declared;
  const known = mapValues(pick(live, [...settings.keys()].filter(isWanted)), (value, id) => {
    const isWritten = typeof declared?.[id] === "boolean" && isSwitch(id);
    return isWritten && (value === "on" || value === "off") ? value === "on" : value;
  });
  const maps = [HEADER, "other"].filter(isWanted).map((key) => {
    const inside = mapInside(key, live);
    const written = declared?.[key];
    return [key, isObject(written) ? pickBy(inside, (_, name) => name in written) : inside] as const;
  });
  return { ...known, ...pickBy(Object.fromEntries(maps), (map) => Object.keys(map).length > 0) };
}

/** The body of the call for one setting. The security header is sent whole, so undeclared parts keep their live values. */
export function toWire({ normal }: Item, was: Was | null): SealedObject {
  const values = normal as JsonObject; // no field is sensitive
  const [field = ""] = was?.fields ?? [];
  if (settingWith(field) !== HEADER) return { value: values[field] ?? null };
  const live = headerIn(was?.live.raw?.[HEADER]) ?? {};
  return { value: { [HSTS]: { ...live, ...mapInside(HEADER, values) } } };
}

/** The declaration that makes `read` read these settings again. */
export function toReRead(raws: readonly JsonObject[]): JsonObject {
  const all: JsonObject = Object.assign({}, ...raws);
  const isKnown = (_: Json, id: string) => settings.has(id) || id === HEADER;
  const values = mapValues(all, valueIn);
  return { ...pickBy(values, isKnown), other: pickBy(values, (value, id) => !isKnown(value, id)) };
}
