import { cut } from "./cut.js";
import type { Json } from "./json.js";
import type { Result } from "./problem.js";

/** The `User-Agent` header, which the service's audit log keeps. */
export const USER_AGENT = "zoneward";

export interface Asking {
  /** Whether an earlier reading of the same path is enough. */
  readonly earlier?: true;
}

export interface Paging extends Asking {
  /** Items per page, at most. Absent: the service decides. */
  readonly perPage?: number;
  /** A longer list is a failed read. */
  readonly mostPages?: number;
}

/**
 * Everything that planning may do to the service. It cannot write.
 *
 * Paths are relative to the base address and start with `/`: `/zones/{id}/page_shield`. Their segments are already
 * checked and encoded.
 */
export interface ReadApi {
  /** The `result` of the envelope. A failed read is a problem, never an absent object. */
  get(path: string, asking?: Asking): Promise<Result<Json>>;
  /** The items of all pages. */
  list(path: string, paging?: Paging): Promise<Result<readonly Json[]>>;
}

/** For objects that an apply does not touch: the plan's own readings are reused. */
export function notTouched(api: ReadApi): ReadApi {
  return {
    get: (path) => api.get(path, { earlier: true }),
    list: (path, paging) => api.list(path, { ...paging, earlier: true }),
  };
}

/** Whether an id from outside may stand in a path. The service's ids are 32 hexadecimal digits. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

/** An id for a path; null: unusable. JSON rounds large numbers, and a rounded id may be another object's. */
export function exactId(id: Json | undefined): string | null {
  const isExact = typeof id === "string" || Number.isSafeInteger(id);
  return isExact && isId(String(id)) ? String(id) : null;
}

/** Describes an unusable id in a message: `the id "../x", which is none`. */
export function notAnId(value: unknown): string {
  if (value === undefined || value === null) return "no id";
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `an id beyond ${Number.MAX_SAFE_INTEGER}, which is rounded and may be another object's id`;
  return `the id ${cut(JSON.stringify(value), MAX_CHARS)}, which is invalid: ids are letters, digits, - and _`;
}

/** The second of two items with the same id: a call by this id would be ambiguous. Null: none. */
export function sameIdAgain<T>(items: readonly T[], idOf: (item: T) => string | null): T | null {
  const ids = new Set<string>();
  for (const item of items) {
    const id = idOf(item);
    if (id !== null && ids.has(id)) return item;
    if (id !== null) ids.add(id);
  }
  return null;
}

const MAX_CHARS = 100;
