import type { Json } from "../model/json.js";
import type { Edited } from "./edits.js";
import type { FaultName } from "./faults/table.js";

/** A request that reached the emulator, and what it was answered. Secrets in it are not redacted. */
export interface LoggedRequest {
  readonly method: string;
  /** After the base, with the query: `/zones?per_page=50`. */
  readonly path: string;
  /** null: none, or not JSON. */
  readonly body: Json | null;
  /** null: it was not answered. */
  readonly status: number | null;
  /** The body that was sent, as a text where a fault made it something else than JSON; null: none. */
  readonly response: Json | null;
  /** Whether it changed what the emulator holds, whatever was answered. */
  readonly tookEffect: boolean;
  /** The fault that struck. */
  readonly fault?: FaultName;
  /** What somebody else changed right before and right after it. */
  readonly edits?: readonly Edited[];
}

/** The log never has more entries than this. */
export const LOG_LIMIT = 100_000;

/** Adds an entry; a full log first loses the oldest tenth, so that keeping the bound costs nothing per request. */
export function record(log: LoggedRequest[], entry: LoggedRequest): void {
  if (log.length >= LOG_LIMIT) log.splice(0, LOG_LIMIT / 10);
  log.push(entry);
}

const writing: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export function isWrite(method: string): boolean {
  return writing.has(method);
}
