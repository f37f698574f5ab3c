import type { Action, Method } from "./plan.js";
import type { SealedObject } from "./sealed.js";

/** What a journal of another version would have here. */
export const JOURNAL_VERSION = "1";

/**
 * One line of a journal: what an apply is about to do, and what became of it. A journal says enough to go back; it
 * holds no secret, and nobody needs it to finish an apply: planning again does. In the file each line has a check
 * beside.
 */
export type JournalLine =
  | JournalBegin
  | JournalZone
  | JournalIntent
  | JournalOutcome
  | JournalZoneEnd
  | JournalEnd;

/** The first line. */
export interface JournalBegin {
  readonly type: "begin";
  readonly format_version: typeof JOURNAL_VERSION;
  /** The program's version. */
  readonly program: string;
  /** ISO 8601. */
  readonly started: string;
  /** The desired-state files, as the command line named them. */
  readonly config: readonly string[];
  /** The selection of zones, as the command line made it. */
  readonly zones: readonly string[];
  /** Of the plan. */
  readonly digest: string;
}

/** A zone before its first call. */
export interface JournalZone {
  readonly type: "zone";
  readonly zone: string;
  readonly zone_id: string;
  readonly digest: string;
  readonly changes: readonly JournalChange[];
  /** What the calls touch, in the normal form that plans show; of a list of rules, the rules. Null: not there. */
  readonly seen: readonly (JournalRef & { readonly state: SealedObject | null })[];
  /** The objects that change, as the service gave them, without what may be a secret. */
  readonly raw: readonly (JournalRef & { readonly raw: SealedObject })[];
}

export interface JournalRef {
  readonly kind: string;
  readonly key: string;
  readonly id: string | null;
}

export interface JournalChange extends JournalRef {
  readonly action: Action;
  /** The key before a rename. */
  readonly was: string | null;
  /** Of an update: the object with the id is deleted for a new one. */
  readonly replaces?: true;
}

/** Written before each time that a call is sent. */
export interface JournalIntent {
  readonly type: "intent";
  readonly zone: string;
  /** As the plan document counts. */
  readonly step: number;
  /** From 1; above it, a repetition. */
  readonly attempt: number;
  readonly method: Method;
  readonly path: string;
  /** References stand for secrets, as in plan documents. */
  readonly body: SealedObject | null;
  /** Indices into the zone's changes. */
  readonly changes: readonly number[];
  /** What is true of these objects once the call has taken effect. Null: the object is gone. */
  readonly yields: readonly (JournalRef & { readonly state: SealedObject | null })[];
}

/** Written once it is known, or known that it is not known yet, what became of a call. */
export interface JournalOutcome {
  readonly type: "outcome";
  readonly zone: string;
  readonly step: number;
  readonly attempt: number;
  readonly status: "done" | "failed" | "unknown";
  /** Of what the call has made. */
  readonly id: string | null;
  readonly problem: { readonly code: string; readonly summary: string; readonly detail: string } | null;
}

export interface JournalZoneEnd {
  readonly type: "zone_end";
  readonly zone: string;
  readonly converged: boolean;
}

/** The last line of a run that was not killed. */
export interface JournalEnd {
  readonly type: "end";
  readonly done: number;
  readonly failed: number;
  readonly not_started: number;
  readonly interrupted: boolean;
}
