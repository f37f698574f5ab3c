import type { AuditEntry } from "./entry.js";
import { matchEntry } from "./match-entry.js";
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
    .map((entry) => ({ entry, match: matchEntry(entry, target) }))
    .filter(({ match: told }) => told !== "other object");
  // Whoever came before a call that wrote something else did not write what is live.
  const end = touching.findIndex(({ match: told }) => told === "different");
  const since = end === -1 ? touching : touching.slice(0, end);
  const [newest, ...older] = since;
  if (newest === undefined) return { found: "none", entries: [] };
  const isSure = newest.match === "live value" && older.every(({ entry }) => areSame(entry, newest.entry));
  if (isSure) return { found: "named", entries: [newest.entry] };
  const candidates: AuditEntry[] = [];
  for (const { entry } of since) {
    if (candidates.length === MAX_CANDIDATES) break;
    if (!candidates.some((each) => areSame(each, entry))) candidates.push(entry);
  }
  return { found: "candidates", entries: candidates };
}

function areSame(a: AuditEntry, b: AuditEntry): boolean {
  const [actorA, actorB] = [a.actor, b.actor];
  return a === b || (actorA.name !== null && actorA.as === actorB.as && actorA.name === actorB.name);
}
