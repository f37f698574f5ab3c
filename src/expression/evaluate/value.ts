import { toBytes } from "../bytes.js";
import { parseIp } from "../ip.js";
import type { Type } from "../tables/types.js";
import type { Bytes, Ip } from "../tree.js";

/** A value as the engine has it. */
export type Known = Bytes | bigint | boolean | Ip | readonly Seen[] | ReadonlyMap<Bytes, Seen>;

/** `null` is a missing value: a key or an index that is not there. `undefined` is one that is not known. */
export type Seen = Known | null | undefined;

/** What a caller gave for a field of a type, as a value of the engine; undefined if it can be none. */
export function seenIn(given: unknown, type: Type): Seen {
  switch (type.is) {
    case "Bytes":
      return typeof given === "string" ? toBytes(given) : undefined;
    case "Bool":
      return typeof given === "boolean" ? given : undefined;
    case "Ip":
      return typeof given === "string" ? (parseIp(given) ?? undefined) : undefined;
    case "Int":
      return integerIn(given);
    case "Array":
      return Array.isArray(given) ? Array.from(given, (each) => seenIn(each, type.of)) : undefined;
    case "Map":
      return typeof given === "object" && given !== null && !Array.isArray(given)
        ? mapIn(given, type.of)
        : undefined;
  }
}

function integerIn(given: unknown): bigint | undefined {
  if (typeof given === "number") return Number.isSafeInteger(given) ? BigInt(given) : undefined;
  return typeof given === "bigint" && BigInt.asIntN(64, given) === given ? given : undefined;
}

function mapIn(given: object, type: Type): Seen {
  const entries = Object.entries(given).map(([key, each]): [Bytes, Seen] => [
    toBytes(key),
    seenIn(each, type),
  ]);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function isMap(seen: Seen): seen is ReadonlyMap<Bytes, Seen> {
  return seen instanceof Map;
}

export function isIp(seen: Seen): seen is Ip {
  return typeof seen === "object" && seen !== null && "bits" in seen;
}

export function isItems(seen: Seen): seen is readonly Seen[] {
  return Array.isArray(seen);
}
