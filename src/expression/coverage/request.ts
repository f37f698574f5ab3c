import { fromBytes } from "../bytes.js";
import { isIp, isItems, type Seen } from "../evaluate/value.js";
import { formatIp } from "../ip.js";
import type { Index, Value } from "../tree.js";

type Filled = Record<string, unknown>;

/** Values of a request, where they can be written down; null where they cannot. */
export function requestWith(values: readonly (readonly [of: Value | null, seen: Seen])[]): Filled | null {
  const request: Filled = {};
  const listsLast = [...values].sort(([, a], [, b]) => Number(isItems(a)) - Number(isItems(b)));
  for (const [of, seen] of listsLast) {
    const text = textOf(seen);
    if (of?.as !== "field" || text === undefined) continue;
    const filled = fill(request[of.name], of.indexes, text);
    if (filled === undefined) return null;
    request[of.name] = filled;
  }
  return request;
}

/** As a caller gives it; null is a missing value. */
function textOf(seen: Seen): unknown {
  if (isItems(seen)) return seen.map(textOf);
  if (seen === null || typeof seen === "boolean") return seen;
  if (typeof seen === "string") return fromBytes(seen) ?? undefined;
  if (typeof seen === "bigint") return Number.isSafeInteger(Number(seen)) ? Number(seen) : seen;
  return isIp(seen) ? formatIp(seen) : undefined;
}

/** Undefined where another value stands in the way. A missing key needs its map, but not itself. */
function fill(before: unknown, indexes: readonly Index[], value: unknown): unknown {
  const [index, ...rest] = indexes;
  if (index === undefined)
    return value === null ? undefined : before === undefined ? value : longer(before, value);
  if (index.as === "each") return undefined;
  if (index.as === "key") {
    const map = before === undefined ? {} : asMap(before);
    if (map === null) return undefined;
    if (value === null && !Object.hasOwn(map, index.key)) return map;
    return define(map, index.key, fill(own(map, index.key), rest, value));
  }
  const list = before === undefined ? [] : asList(before);
  if (list === null || index.at > MAX_INDEX) return undefined;
  if (value === null) return list.length > index.at ? undefined : list;
  const padded = [...list, ...Array<string>(Math.max(0, index.at - list.length)).fill("")];
  const inner = fill(list.length > index.at ? list[index.at] : undefined, rest, value);
  return inner === undefined ? undefined : padded.toSpliced(index.at, 1, inner);
}

const MAX_INDEX = 64;

/** Elements that a list should have may follow those that stand at an index. */
function longer(before: unknown, value: unknown): unknown {
  return Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : undefined;
}

function asMap(value: unknown): object | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

function asList(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

function own(map: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(map, key)?.value;
}

/** In place: a map may have thousands of keys. A plain assignment to `__proto__` would be none. */
function define(map: object, key: string, value: unknown): object | undefined {
  if (value === undefined) return undefined;
  return Object.defineProperty(map, key, { value, configurable: true, enumerable: true, writable: true });
}
