import { fromBytes, toBytes } from "../../bytes.js";
import type { Bytes } from "../../tree.js";
import type { Seen } from "../value.js";

/** The text at a path of keys and indexes; missing where there is none, or something else. */
export function lookUpString(source: Bytes, path: readonly Seen[]): Seen {
  const found = lookUp(source, path);
  return typeof found === "string" ? toBytes(found) : null;
}

/** The same for a plain integer. JavaScript cannot tell `42.0` from `42`, so next to such numbers it is unknown. */
export function lookUpInteger(source: Bytes, path: readonly Seen[]): Seen {
  const found = lookUp(source, path);
  if (typeof found !== "number") return null;
  return Number.isSafeInteger(found) && !/\d[.eE]/.test(source) ? BigInt(found) : undefined;
}

function lookUp(source: Bytes, path: readonly Seen[]): unknown {
  let at = parsed(source);
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

function parsed(source: Bytes): unknown {
  try {
    return JSON.parse(fromBytes(source) ?? "");
  } catch {
    // No JSON has no values to look up.
    return undefined;
  }
}
