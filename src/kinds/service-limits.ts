import type { Service } from "../model/declared-zone.js";
import type { Item } from "../model/item.js";
import type { JsonObject } from "../model/json.js";
import { type Fields, valuesOf } from "./fields.js";
import { error, type Finding, type Kind, nameField, type Oddity } from "./kind.js";

/** @param setting the limit's name among the service's */
export function tooLong(
  field: string,
  name: string,
  length: number,
  limit: number,
  setting: keyof Service["limits"],
): Finding {
  return error(
    [field],
    "too_long",
    `${name} is too long`,
    `It has ${length} characters as sent; the limit is ${limit}. Shorten it, or set service.limits.${setting} if your account allows more.`,
  );
}

/** Problems of declared fields that exceed the service's limits. */
export function tooLongIn(
  fields: Fields,
  declared: JsonObject,
  { limits }: Pick<Service, "limits">,
): readonly Finding[] {
  return lengthsIn(fields, declared).flatMap(({ field, name, limit, length }) => {
    const max = limits[limit] ?? Number.POSITIVE_INFINITY;
    return length <= max ? [] : [tooLong(field, name, length, max, limit)];
  });
}

/** The lengths, as sent, of the declared fields that have a limit. */
function lengthsIn(fields: Fields, declared: JsonObject) {
  return Object.entries(valuesOf(fields, "maxChars")).flatMap(([field, { limit, name }]) => {
    const value = declared[field];
    const text = value === undefined ? null : (fields[field]?.spell?.(value) ?? value);
    return typeof text === "string" ? [{ field, name, limit, length: text.length }] : [];
  });
}

/** Live texts beyond the limit. They may stay, because the limit may have been higher earlier. */
export function beyondLimits(
  kind: Pick<Kind, "name" | "fields" | "sections">,
  { ref, normal }: Item,
  { limits }: Pick<Service, "limits">,
): readonly Oddity[] {
  const { name, fields } = kind;
  const noun = name.replaceAll("_", " ");
  const objectName = nameField(kind) !== null ? `${noun} ${JSON.stringify(ref.key)}` : noun;
  return Object.entries(valuesOf(fields, "maxChars")).flatMap(([field, { limit }]) => {
    const value = normal[field];
    const most = limits[limit] ?? Number.POSITIVE_INFINITY;
    if (typeof value !== "string" || value.length <= most) return [];
    const detail = `The ${field} of the live ${objectName} has ${value.length} characters; the limit is ${most}. It can stay, but Cloudflare may refuse a change of it.`;
    return [{ code: "live_beyond_limit", summary: `Live ${field} exceeds the limit`, detail }];
  });
}

/** The service with limits raised to the lengths of the declared fields. */
export function allowingLengths(fields: Fields, declared: JsonObject, service: Service): Service {
  return lengthsIn(fields, declared).reduce(
    (widened, { limit, length }) => withLimit(widened, limit, length),
    service,
  );
}

export function withLimit(service: Service, setting: keyof Service["limits"], needed: number): Service {
  const { limits } = service;
  return needed <= (limits[setting] ?? 0)
    ? service
    : { ...service, limits: { ...limits, [setting]: needed } };
}
