import { hash } from "node:crypto";
import { jsonLine } from "./json-text.js";
import type { Action, Method } from "./plan.js";
import type { SealedObject } from "./sealed.js";

export const JOURNAL_VERSION = "1";

/**
 * One line of a journal: an intent or an outcome. A journal has all that a rollback needs, and no secrets. An apply can
 * be finished without it, by planning again. In the file, each line has a checksum.
 */
export type JournalLine =
  | JournalBegin
  | JournalZone
  | JournalIntent
  | JournalOutcome
  | JournalZoneEnd
  | JournalEnd;

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
  /** The plan's digest. */
  readonly digest: string;
  /** For a part of a saved plan: the whole plan's digest. */
  readonly part_of?: string;
  /** For a rollback: the run that it reverts. */
  readonly undoes?: JournaledRun;
}

/** Identifies a run by the beginning of its journal. */
export type JournaledRun = Pick<JournalBegin, "started" | "digest">;

/** A zone before its first call. */
export interface JournalZone {
  readonly type: "zone";
  readonly zone: string;
  readonly zone_id: string;
  readonly digest: string;
  readonly changes: readonly JournalChange[];
  /** The objects or lists of rules that the calls touch, in the plan's normal form. Null: absent. */
  readonly seen: readonly (JournalRef & { readonly state: SealedObject | null })[];
  /** The changed objects as the service gave them, without possible secrets. */
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
  /** For an update: the object with this id is replaced by a new one. */
  readonly replaces?: true;
}

/** Written before each attempt of a call. */
export interface JournalIntent {
  readonly type: "intent";
  readonly zone: string;
  /** The step's number in the plan document. */
  readonly step: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly method: Method;
  readonly path: string;
  /** With references in place of secrets, as in plan documents. */
  readonly body: SealedObject | null;
  /** Indices into the zone's changes. */
  readonly changes: readonly number[];
  /** The objects after the call. Null: deleted. */
  readonly yields: readonly (JournalRef & { readonly state: SealedObject | null })[];
}

/** Written when the outcome of a call is known, or known to be unknown. */
export interface JournalOutcome {
  readonly type: "outcome";
  readonly zone: string;
  readonly step: number;
  readonly attempt: number;
  readonly status: "done" | "failed" | "unknown";
  /** The id of a created object. */
  readonly id: string | null;
  readonly problem: { readonly code: string; readonly summary: string; readonly detail: string } | null;
}

interface JournalZoneEnd {
  readonly type: "zone_end";
  readonly zone: string;
  readonly converged: boolean;
}

/** The last line, unless the run was killed. */
export interface JournalEnd {
  readonly type: "end";
  readonly done: number;
  readonly failed: number;
  readonly not_started: number;
  readonly interrupted: boolean;
}

/** A line of the file. */
interface JournalRow {
  readonly text: string;
  /** Covers this line and all lines before it. */
  readonly check: string;
}

/** The checksum before the first line. */
export const NO_CHECK = "";

/**
 * Adds a checksum, which includes the one before. It reveals lines that were edited, removed, inserted or moved. A
 * journal may end early, as after a killed run.
 */
export function rowOf(line: JournalLine, checkBefore: string): JournalRow {
  const json = jsonLine(line).trimEnd();
  const check = checkOf(json, checkBefore);
  return { text: `${json.slice(0, -1)}${AT_END}${check}"}\n`, check };
}

/** The line and its checksum, without the line end; null: the checksum does not match. */
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
