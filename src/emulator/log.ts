import type { Json } from "../model/json.js";
import type { Edited } from "./edits.js";
import type { FaultName } from "./faults/table.js";

/** A request and its answer. Secrets in it are not redacted. */
export interface LoggedRequest {
  readonly method: string;
  /** Relative to the base, with the query: `/zones?per_page=50`. */
  readonly path: string;
  /** null: none, or not JSON. */
  readonly body: Json | null;
  /** null: no answer. */
  readonly status: number | null;
  /** The body that was sent, as a string where a fault damaged it; null: none. */
  readonly response: Json | null;
  /** Whether it changed the emulator's state, whatever the answer. */
  readonly tookEffect: boolean;
  /** The fault that struck. */
  readonly fault?: FaultName;
  /** Edits right before and after it. */
  readonly edits?: readonly Edited[];
}

/** The most entries of the log. */
export const LOG_LIMIT = 100_000;

/** Adds an entry. A full log drops its oldest tenth at once, which is cheaper than dropping one per request. */
export function record(log: LoggedRequest[], entry: LoggedRequest): void {
  if (log.length >= LOG_LIMIT) log.splice(0, LOG_LIMIT / 10);
  log.push(entry);
}

const writing: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

export function isWrite(method: string): boolean {
  return writing.has(method);
}
