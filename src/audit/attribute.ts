import type { AuditEntry } from "./entry.js";
import { toldOf } from "./told.js";
import { mayTouch, type Target } from "./touched.js";

/** Who moved an object. */
export interface Attribution {
  /**
   * `named`: the newest call that may have touched it wrote what is live, and nobody else may have before. `candidates`: one
   * of these, the newest first. `none`: the log has nobody, or the newest wrote something else than is live.
   */
  readonly found: "named" | "candidates" | "none";
  readonly entries: readonly AuditEntry[];
}

/** More are not shown. */
const MAX_CANDIDATES = 5;

/**
 * Entries may be late or missing, so nobody is named by being the only one: only by having written what is live, with
 * nobody else since it was last otherwise.
 */
export function attribute(target: Target, entries: readonly AuditEntry[]): Attribution {
  const touching = entries
    .filter((entry) => mayTouch(entry, target))
    .toSorted((a, b) => b.timeMs - a.timeMs)
    .map((entry) => ({ entry, told: toldOf(entry, target) }))
    .filter(({ told }) => told !== "of another");
  // Whoever came before a call that wrote something else did not write what is live.
  const end = touching.findIndex(({ told }) => told === "otherwise");
  const since = end === -1 ? touching : touching.slice(0, end);
  const [newest, ...others] = since;
  if (newest === undefined) return { found: "none", entries: [] };
  const isSure = newest.told === "as it is live" && others.every(({ entry }) => areSame(entry, newest.entry));
  if (isSure) return { found: "named", entries: [newest.entry] };
  const candidates: AuditEntry[] = [];
  for (const { entry } of since) {
    if (candidates.length === MAX_CANDIDATES) break;
    if (!candidates.some((each) => areSame(each, entry))) candidates.push(entry);
  }
  return { found: "candidates", entries: candidates };
}

function areSame(one: AuditEntry, other: AuditEntry): boolean {
  const [a, b] = [one.actor, other.actor];
  return one === other || (a.name !== null && a.as === b.as && a.name === b.name);
}
