import { cut } from "./cut.js";
import type { Json } from "./json.js";
import type { Result } from "./problem.js";

/** Which program sends a request: the header says so, and the audit log of the service keeps it. */
export const USER_AGENT = "zoneward";

/** How an object is asked for. */
export interface Asking {
  /** An earlier read of the same path will do, where there was one. */
  readonly earlier?: true;
}

/** How a list is asked for. */
export interface Paging extends Asking {
  /** At most so many items a page. Absent: it answers whole, or with as many as the service likes. */
  readonly perPage?: number;
  /** A longer list is a failed read. */
  readonly mostPages?: number;
}

/**
 * All that planning may do to the service. It has no way to write, so a preview cannot.
 *
 * Paths are relative to the base address and start with `/`: `/zones/{id}/page_shield`. Their segments are
 * already checked and encoded.
 */
export interface ReadApi {
  /** The `result` of the envelope. A failed read is a problem, never an absent object. */
  get(path: string, asking?: Asking): Promise<Result<Json>>;
  /** The items of all pages. */
  list(path: string, paging?: Paging): Promise<Result<readonly Json[]>>;
}

/** The same, for what an apply does not touch: there what the plan has read will do. */
export function notTouched(api: ReadApi): ReadApi {
  return {
    get: (path) => api.get(path, { earlier: true }),
    list: (path, paging) => api.list(path, { ...paging, earlier: true }),
  };
}

/** Whether an id that came from outside may stand in a path. Ids at the service are 32 hexadecimal digits. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

/** An id as it stands in a path; null: it cannot. JSON rounds large numbers, and a rounded id may be another object's. */
export function exactId(id: Json | undefined): string | null {
  const isExact = typeof id === "string" || Number.isSafeInteger(id);
  return isExact && isId(String(id)) ? String(id) : null;
}

/** What stands where an id should, for a message: `the id "../x", which is none`. */
export function notAnId(given: unknown): string {
  if (given === undefined || given === null) return "no id";
  if (Number.isInteger(given) && !Number.isSafeInteger(given))
    return `an id beyond ${Number.MAX_SAFE_INTEGER}, which is rounded: it may be the id of another object`;
  return `the id ${cut(JSON.stringify(given), MAX_CHARS)}, which is none: ids are letters, digits, - and _`;
}

/**
 * The second one of two with one id, which a call by the id could mean as well. Null: there is none.
 *
 * @param idOf what stands in paths for it
 */
export function sameIdAgain<T>(all: readonly T[], idOf: (each: T) => string | null): T | null {
  const ids = new Set<string>();
  for (const each of all) {
    const id = idOf(each);
    if (id !== null && ids.has(id)) return each;
    if (id !== null) ids.add(id);
  }
  return null;
}

const MAX_CHARS = 100;
