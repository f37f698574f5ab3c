import { isUtf8 } from "node:buffer";
import { parseIp } from "./ip.js";
import type { Type } from "./tables/types.js";
import type { Bytes, Index, Ip } from "./tree.js";

/** A known value of the engine. */
export type Known = Bytes | bigint | boolean | Ip | readonly Seen[] | ReadonlyMap<Bytes, Seen>;

/** The value of a field in a request. `null`: missing, such as a key that does not exist. `undefined`: unknown. */
export type Seen = Known | null | undefined;

/** The engine's value for a caller's input of a type. Undefined: the input does not fit the type. */
export function engineValue(input: unknown, type: Type): Seen {
  switch (type.is) {
    case "Bytes":
      return typeof input === "string" ? toBytes(input) : undefined;
    case "Bool":
      return typeof input === "boolean" ? input : undefined;
    case "Ip":
      return typeof input === "string" ? (parseIp(input) ?? undefined) : undefined;
    case "Int":
      return integerIn(input);
    case "Array":
      return Array.isArray(input) ? Array.from(input, (each) => engineValue(each, type.of)) : undefined;
    case "Map":
      if (input instanceof PartialMap) return new PartOfMap(mapIn(input.entries, type.of));
      return typeof input === "object" && input !== null && !Array.isArray(input)
        ? mapIn(input, type.of)
        : undefined;
    case "Unknown":
      return undefined;
  }
}

/** A map with some known keys. Any other key may exist or not. */
export class PartialMap {
  constructor(readonly entries: Readonly<Record<string, unknown>>) {}
}

/** The same as a value of the engine. */
class PartOfMap extends Map<Bytes, Seen> {}

function integerIn(input: unknown): bigint | undefined {
  if (typeof input === "number") return Number.isSafeInteger(input) ? BigInt(input) : undefined;
  return typeof input === "bigint" && BigInt.asIntN(64, input) === input ? input : undefined;
}

function mapIn(input: object, type: Type): ReadonlyMap<Bytes, Seen> {
  const entries = Object.entries(input).map(([key, each]): [Bytes, Seen] => [
    toBytes(key),
    engineValue(each, type),
  ]);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function isMap(value: Seen): value is ReadonlyMap<Bytes, Seen> {
  return value instanceof Map;
}

export function isIp(value: Seen): value is Ip {
  return typeof value === "object" && value !== null && "bits" in value;
}

export function isItems(value: Seen): value is readonly Seen[] {
  return Array.isArray(value);
}

/** The value of the left side of a comparison: one value, or with `[*]` one for each element. */
export type Reading =
  | { readonly as: "one"; readonly value: Seen }
  | { readonly as: "each"; readonly value: readonly Seen[] };

/** Follows `[*]`, `["key"]` and `[0]` from a value. After a `[*]`, elements without the rest of the path drop out. */
export function walk(from: Seen, indexes: readonly Index[]): Reading {
  const last = indexes.findLastIndex(({ as }) => as === "each");
  const inEach = indexes.slice(0, last + 1);
  let items: readonly Seen[] = [from];
  for (const index of inEach) {
    const next = items.flatMap((each) => step(each, index));
    if (index.as === "each" && !items.every(isWhole)) return { as: "one", value: undefined };
    items = next.filter((each) => each !== null);
  }
  for (const index of indexes.slice(last + 1)) items = items.flatMap((each) => step(each, index));
  if (last === -1) return { as: "one", value: items[0] };
  return { as: "each", value: items.filter((each) => each !== null) };
}

/** Whether the value and its keys are fully known. */
export function isWhole(value: Seen): boolean {
  return value !== undefined && !(value instanceof PartOfMap);
}

function step(from: Seen, index: Index): readonly Seen[] {
  if (from === undefined) return [undefined];
  if (index.as === "each") return from === null ? [] : elements(from);
  return [from === null ? null : at(from, index)];
}

function elements(from: Seen): readonly Seen[] {
  if (isMap(from)) return [...from.values()];
  return isItems(from) ? from : [undefined];
}

function at(from: Seen, index: Exclude<Index, { as: "each" }>): Seen {
  if (index.as === "key") return isMap(from) ? valueUnder(from, toBytes(index.key)) : undefined;
  return isItems(from) ? (index.at < from.length ? from[index.at] : null) : undefined;
}

export function valueUnder(map: ReadonlyMap<Bytes, Seen>, key: Bytes): Seen {
  if (map.has(key)) return map.get(key);
  return isWhole(map) ? null : undefined;
}

/** The truth of a condition. "unknown": it may be true or false. */
export type Truth = boolean | "unknown";

/** A condition over a list has one answer for each element. */
export type Verdict = Truth | readonly Truth[];

/** Kleene's logic: an unknown operand matters only if it could change the result. */
export const combine = {
  and: (a: Truth, b: Truth): Truth =>
    a === false || b === false ? false : a === true && b === true ? true : "unknown",
  or: (a: Truth, b: Truth): Truth =>
    a === true || b === true ? true : a === false && b === false ? false : "unknown",
  xor: (a: Truth, b: Truth): Truth => (a === "unknown" || b === "unknown" ? "unknown" : a !== b),
};

export function not(truth: Truth): Truth {
  return truth === "unknown" ? truth : !truth;
}

/** Element by element. The engine cuts the longer of two lists. */
export function combineVerdicts(by: keyof typeof combine, a: Verdict, b: Verdict): Verdict {
  if (!isList(a) && !isList(b)) return combine[by](a, b);
  if (!isList(a) || !isList(b)) return "unknown";
  return a.slice(0, b.length).map((each, index) => combine[by](each, b[index] ?? "unknown"));
}

export function notVerdict(verdict: Verdict): Verdict {
  return isList(verdict) ? verdict.map(not) : not(verdict);
}

export function isList(verdict: Verdict): verdict is readonly Truth[] {
  return typeof verdict === "object";
}

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as in every encoder. */
export function toBytes(text: string): Bytes {
  return Buffer.from(text).toString("latin1");
}

/** The text of UTF-8 bytes. Null: the bytes are not UTF-8. */
export function fromBytes(bytes: Bytes): string | null {
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString() : null;
}

/** ASCII letters only, as in the engine. */
export function toLower(bytes: Bytes): Bytes {
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function toUpper(bytes: Bytes): Bytes {
  return bytes.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}
