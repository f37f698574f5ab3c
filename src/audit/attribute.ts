import type { AuditEntry } from "./entry.js";
import { matchEntry } from "./match-entry.js";
import { mayTouch, type Target } from "./touched.js";

/** Who changed an object. */
export interface Attribution {
  /**
   * `named`: the newest call wrote the live value, and no other actor can have. `candidates`: one of these, the newest
   * first. `none`: no entries, or the newest call wrote another value.
   */
  readonly found: "named" | "candidates" | "none";
  readonly entries: readonly AuditEntry[];
}

const MAX_CANDIDATES = 5;

/**
 * Entries may be late or missing, so a single entry is no proof. An actor is only named for writing the live value, with
 * no other actor since the value was last different.
 */
export function attribute(target: Target, entries: readonly AuditEntry[]): Attribution {
  const touching = entries
    .filter((entry) => mayTouch(entry, target))
    .toSorted((a, b) => b.timeMs - a.timeMs)
    .map((entry) => ({ entry, match: matchEntry(entry, target) }))
    .filter(({ match: told }) => told !== "other object");
  // Calls before one that wrote another value did not write the live value.
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
