import { parseIp } from "./ip.js";
import type { Type } from "./tables/types.js";
import type { Bytes, Index, Ip } from "./tree.js";

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
      if (given instanceof Partly) return new PartOfMap(mapIn(given.known, type.of));
      return typeof given === "object" && given !== null && !Array.isArray(given)
        ? mapIn(given, type.of)
        : undefined;
    case "Unknown":
      return undefined;
  }
}

/** What a request gives of a map where no more of it is known than these keys: any other may be there or not. */
export class Partly {
  constructor(readonly known: Readonly<Record<string, unknown>>) {}
}

/** The same as a value of the engine. */
class PartOfMap extends Map<Bytes, Seen> {}

function integerIn(given: unknown): bigint | undefined {
  if (typeof given === "number") return Number.isSafeInteger(given) ? BigInt(given) : undefined;
  return typeof given === "bigint" && BigInt.asIntN(64, given) === given ? given : undefined;
}

function mapIn(given: object, type: Type): ReadonlyMap<Bytes, Seen> {
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

/** What the left side of a comparison gives: one value, or with `[*]` one for each element. */
export type Reading =
  | { readonly as: "one"; readonly seen: Seen }
  | { readonly as: "each"; readonly seen: readonly Seen[] };

/** Follows `[*]`, `["key"]` and `[0]` from a value. After a `[*]`, elements that lack the rest of the path drop out. */
export function walk(from: Seen, indexes: readonly Index[]): Reading {
  const last = indexes.findLastIndex(({ as }) => as === "each");
  const inEach = indexes.slice(0, last + 1);
  let items: readonly Seen[] = [from];
  for (const index of inEach) {
    const next = items.flatMap((each) => step(each, index));
    if (index.as === "each" && !items.every(isWhole)) return { as: "one", seen: undefined };
    items = next.filter((each) => each !== null);
  }
  for (const index of indexes.slice(last + 1)) items = items.flatMap((each) => step(each, index));
  if (last === -1) return { as: "one", seen: items[0] };
  return { as: "each", seen: items.filter((each) => each !== null) };
}

/** Whether all elements of it are known. */
export function isWhole(seen: Seen): boolean {
  return seen !== undefined && !(seen instanceof PartOfMap);
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

/** What a map has under a key. */
export function valueUnder(map: ReadonlyMap<Bytes, Seen>, key: Bytes): Seen {
  if (map.has(key)) return map.get(key);
  return isWhole(map) ? null : undefined;
}

/** What is known of a condition. "unknown" is neither: it may turn out either way. */
export type Truth = boolean | "unknown";

/** A condition over a list has one answer an element. */
export type Verdict = Truth | readonly Truth[];

/** Kleene's logic: what is unknown counts only where it could change the result. */
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

/** Element by element; the engine cuts the longer of two lists. */
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

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as everywhere where text is encoded. */
export function toBytes(text: string): Bytes {
  if (isAscii(text)) return text;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\u{fffd}")).replace(/%(..)/g, fromHex);
}

/** The text that the bytes are in UTF-8, or null if they are none. */
export function fromBytes(bytes: Bytes): string | null {
  if (isAscii(bytes)) return bytes;
  try {
    return UTF8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** As the engine: ASCII letters only. */
export function toLower(bytes: Bytes): Bytes {
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function toUpper(bytes: Bytes): Bytes {
  return bytes.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function fromHex(_whole: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}
