import type { AuditEntry } from "./entry.js";
import { toldOf } from "./told.js";
import { mayTouch, type Target } from "./touched.js";

/** Who moved an object. */
export interface Attribution {
  /**
   * `named`: the newest call that may have touched it wrote what is live. `candidates`: one of these, the newest first; what
   * they wrote the log does not say. `none`: the log has nobody, or the newest wrote something else than is live.
   */
  readonly found: "named" | "candidates" | "none";
  readonly entries: readonly AuditEntry[];
}

/** More are not shown. */
const MAX_CANDIDATES = 5;

/**
 * Entries may be late or missing, so nobody is named by being the only one: only by having written what is live, with
 * nobody after them of whom that is open.
 */
export function attribute(target: Target, entries: readonly AuditEntry[]): Attribution {
  const touching = entries
    .filter((entry) => mayTouch(entry, target))
    .toSorted((a, b) => b.timeMs - a.timeMs)
    .map((entry) => ({ entry, told: toldOf(entry, target) }));
  // Whoever came before a call that wrote something else did not write what is live.
  const end = touching.findIndex(({ told }) => told === "otherwise");
  const since = end === -1 ? touching : touching.slice(0, end);
  const sure = since.findIndex(({ told }) => told === "as it is live");
  const some = (sure === -1 ? since : since.slice(0, sure + 1)).map(({ entry }) => entry);
  if (some.length === 0) return { found: "none", entries: [] };
  if (sure === 0) return { found: "named", entries: some };
  return { found: "candidates", entries: some.slice(0, MAX_CANDIDATES) };
}
