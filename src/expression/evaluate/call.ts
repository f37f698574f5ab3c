import { spend } from "../budget.js";
import { formatIp } from "../ip.js";
import type { Bytes } from "../tree.js";
import {
  fromBytes,
  isIp,
  isItems,
  isMap,
  type Known,
  type Seen,
  toBytes,
  toLower,
  toUpper,
  valueUnder,
} from "../value.js";
import type { Effort } from "./compare.js";

/**
 * The result of a function. It is unknown if an argument is unknown, if the function is not modelled here or depends on
 * the time or the zone, or if the argument types do not fit.
 */
export function call(name: string, args: readonly Seen[], { budget }: Effort): Seen {
  const implementation = FUNCTIONS.get(name);
  const values = args.filter((each) => each !== undefined);
  if (implementation === undefined || values.length < args.length) return undefined;
  return spend(budget, BYTE_WORK * sizeOf(values)) ? implementation(values) : undefined;
}

const BYTE_WORK = 8;

function sizeOf(value: Seen): number {
  if (isBytes(value)) return value.length;
  return isItems(value) ? value.reduce<number>((sum, each) => sum + sizeOf(each), value.length) : 1;
}

type OfValues = (...args: readonly Known[]) => Seen;

const OF_VALUES: { readonly [name: string]: OfValues } = {
  cidr: (address, bits4, bits6) => network(address, bits4, bits6),
  cidr6: (address, bits6) => network(address, 32n, bits6),
  decode_base64: (source) => (isBytes(source) ? decodeBase64(source) : undefined),
  ends_with: (source, end) => (isBytes(source) && isBytes(end) ? source.endsWith(end) : undefined),
  has_key: (map, key) => (isMap(map) && isBytes(key) ? hasKey(map, key) : undefined),
  has_value: (items, value) =>
    isItems(items) && !items.includes(undefined) ? items.includes(value) : undefined,
  join: (items, separator) =>
    isItems(items) && isBytes(separator) && items.every(isBytes) ? items.join(separator) : undefined,
  len: (value) => (isBytes(value) || isItems(value) ? BigInt(value.length) : undefined),
  lookup_json_integer: (source, ...path) => (isBytes(source) ? lookUpInteger(source, path) : undefined),
  lookup_json_string: (source, ...path) => (isBytes(source) ? lookUpString(source, path) : undefined),
  lower: (value) => (isBytes(value) ? toLower(value) : undefined),
  remove_bytes: (value, bytes) =>
    isBytes(value) && isBytes(bytes)
      ? [...value].filter((each) => !bytes.includes(each)).join("")
      : undefined,
  starts_with: (source, start) => (isBytes(source) && isBytes(start) ? source.startsWith(start) : undefined),
  substring: (value, start, end) => substring(value, start, end),
  to_string: (value) => text(value),
  upper: (value) => (isBytes(value) ? toUpper(value) : undefined),
  url_decode: (source, options) =>
    isBytes(source) ? decodeUrl(source, isBytes(options) ? options : "") : undefined,
};

function hasKey(map: ReadonlyMap<Bytes, Seen>, key: Bytes): Seen {
  return map.has(key) || (valueUnder(map, key) === null ? false : undefined);
}

type Implementation = (args: readonly (Known | null)[]) => Seen;

/** By name. A missing argument makes most results missing. `concat` and `coalesce` skip it, as the engine does. */
const FUNCTIONS: ReadonlyMap<string, Implementation> = new Map([
  ...Object.entries(OF_VALUES).map(([name, of]): [string, Implementation] => [
    name,
    (args) => (args.every(isThere) ? of(...args) : null),
  ]),
  ["concat", (args) => concat(args.filter(isThere))],
  ["coalesce", (args) => args.find(isThere) ?? null],
]);

function isThere(value: Seen): value is Known {
  return value !== null && value !== undefined;
}

function isBytes(value: Seen): value is string {
  return typeof value === "string";
}

function concat(parts: readonly Known[]): Seen {
  if (parts.length === 0) return null;
  if (parts.every(isBytes)) return parts.join("");
  return parts.every(isItems) ? parts.flat() : undefined;
}

function network(address: Known | undefined, bits4: Known | undefined, bits6: Known | undefined): Seen {
  if (!isIp(address)) return undefined;
  const [width, bits] = address.version === 4 ? [32n, bits4] : [128n, bits6];
  if (typeof bits !== "bigint" || bits < 0n || bits > width) return undefined;
  return { version: address.version, bits: (address.bits >> (width - bits)) << (width - bits) };
}

/** Offsets count bytes, negative ones from the end. The end is exclusive. */
function substring(value: Known | undefined, start: Known | undefined, end: Known | undefined): Seen {
  if (!isBytes(value) || typeof start !== "bigint") return undefined;
  if (end !== undefined && typeof end !== "bigint") return undefined;
  return value.slice(Number(start), end === undefined ? undefined : Number(end));
}

function text(value: Known | undefined): Seen {
  if (isIp(value)) return toBytes(formatIp(value));
  return typeof value === "bigint" || typeof value === "boolean" ? String(value) : undefined;
}

/** Undefined: not plain Base64. The service's documentation does not define the result. */
function decodeBase64(text: Bytes): Bytes | undefined {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? atob(text) : undefined;
}

/** The text at a path of keys and indexes. Missing: there is no text. */
function lookUpString(source: Bytes, path: readonly Seen[]): Seen {
  const value = lookUp(source, path);
  return typeof value === "string" ? toBytes(value) : null;
}

/** The integer at a path. JavaScript cannot tell `42.0` from `42`, so beside such numbers the result is unknown. */
function lookUpInteger(source: Bytes, path: readonly Seen[]): Seen {
  const value = lookUp(source, path);
  if (typeof value !== "number") return null;
  return Number.isSafeInteger(value) && !/\d[.eE]/.test(source) ? BigInt(value) : undefined;
}

function lookUp(source: Bytes, path: readonly Seen[]): unknown {
  let at = parseJson(source);
  for (const key of path) {
    if (typeof at !== "object" || at === null) return undefined;
    const name = typeof key === "bigint" && Array.isArray(at) ? String(key) : nameOf(key, at);
    if (name === null || !Object.hasOwn(at, name)) return undefined;
    at = Object.getOwnPropertyDescriptor(at, name)?.value;
  }
  return at;
}

function nameOf(key: Seen, at: object): string | null {
  return typeof key === "string" && !Array.isArray(at) ? fromBytes(key) : null;
}

function parseJson(source: Bytes): unknown {
  try {
    return JSON.parse(fromBytes(source) ?? "");
  } catch {
    // Text that is not JSON has no values.
    return undefined;
  }
}

/** `url_decode` as in the engine's source. Options: `r` decodes until nothing changes, `u` also decodes `%u2601`. */
function decodeUrl(source: Bytes, options: Bytes): Bytes {
  const once = options.includes("u") ? decodeWithUnicode : decodePlain;
  let decoded = once(source);
  if (!options.includes("r")) return decoded;
  let before = source;
  for (let round = 0; round < MAX_ROUNDS && decoded !== before; round += 1) {
    before = decoded;
    decoded = once(decoded);
  }
  return before;
}

/** The engine's own limit. */
const MAX_ROUNDS = 10;

function decodePlain(source: Bytes): Bytes {
  return source.replace(/\+|%([0-9a-f]{2})/gi, (_whole, hex?: string) =>
    hex === undefined ? " " : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function decodeWithUnicode(source: Bytes): Bytes {
  return source.replace(/\+|%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (whole, wide?: string, hex?: string) => {
    if (wide !== undefined)
      return isSurrogate(wide) ? whole : toBytes(String.fromCharCode(Number.parseInt(wide, 16)));
    return hex === undefined ? " " : String.fromCharCode(Number.parseInt(hex, 16));
  });
}

function isSurrogate(hex: string): boolean {
  return /^d[89a-f]/i.test(hex);
}
