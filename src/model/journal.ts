import { hash } from "node:crypto";
import { jsonLine } from "./json-text.js";
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
  /** Of a part of a saved plan: the digest of all of it. */
  readonly part_of?: string;
  /** Of a rollback: the run that it goes back from. */
  readonly undoes?: JournaledRun;
}

/** What a run is known by, as its journal begins. */
export type JournaledRun = Pick<JournalBegin, "started" | "digest">;

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

interface JournalZoneEnd {
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

/** A line as it stands in the file. */
interface JournalRow {
  readonly text: string;
  /** Of the line and, by the check before it, of all lines before. */
  readonly check: string;
}

/** What stands before the first line. */
export const NO_CHECK = "";

/**
 * A line with a check at its end. Each takes in the one before, so that a journal of which a line was edited, left
 * out, put in or moved is seen to be another, and one that ends early is not: a killed run leaves such a one.
 */
export function rowOf(line: JournalLine, checkBefore: string): JournalRow {
  const json = jsonLine(line).trimEnd();
  const check = checkOf(json, checkBefore);
  return { text: `${json.slice(0, -1)}${AT_END}${check}"}\n`, check };
}

/** The line of a row, without its line end, as it was written there; null: it was not. */
export function lineIn(row: string, checkBefore: string): JournalRow | null {
  const at = row.lastIndexOf(AT_END);
  const json = `${row.slice(0, at)}}`;
  const check = checkOf(json, checkBefore);
  return at >= 0 && row.slice(at) === `${AT_END}${check}"}` ? { text: json, check } : null;
}

const AT_END = ',"check":"';

function checkOf(json: string, checkBefore: string): string {
  return hash("sha256", `${checkBefore}\n${json}`);
}
