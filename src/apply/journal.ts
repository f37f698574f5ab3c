import { randomBytes } from "node:crypto";
import { appendFileSync, closeSync, fsyncSync, lstatSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codeOf } from "../disk/files.js";
import { type JournalBegin, type JournalEnd, type JournalLine, NO_CHECK, rowOf } from "../model/journal.js";
import { type Problem, problem } from "../model/problem.js";

/** Below the working directory. */
export const JOURNAL_FOLDER = ".zoneward/journal";

/** The outcomes of the calls in the journal. */
export interface Tally {
  readonly done: number;
  readonly failed: number;
  /** Whether no call had, or may have had, an effect. */
  readonly isIdle: boolean;
}

/**
 * The journal file of one run, created with its first line. Every line is on the disk when `note` returns. After a line
 * that may not be, no more are written.
 */
export class Journal {
  /** From the working directory. Null: nothing was written. */
  path: string | null = null;
  /** Why writing has stopped. */
  failure: Problem | null = null;
  readonly #cwd: string;
  readonly #begin: JournalBegin;
  readonly #onOpen: (path: string) => void;
  /** By the calls' numbers. */
  readonly #statuses = new Map<number, "done" | "failed">();
  #isDoubted = false;
  #file: number | null = null;
  #check = NO_CHECK;

  /** @param onOpen told where the journal is, before the first call */
  constructor(cwd: string, begin: JournalBegin, onOpen: (path: string) => void) {
    this.#cwd = cwd;
    this.#begin = begin;
    this.#onOpen = onOpen;
  }

  /** Writes a line. A problem: it may not be on the disk. */
  note(line: JournalLine): Problem | null {
    // An outcome that stays unknown counts as failed.
    if (line.type === "outcome") {
      this.#statuses.set(line.step, line.status === "done" ? "done" : "failed");
      this.#isDoubted ||= line.status === "unknown";
    }
    if (this.failure !== null) return this.failure;
    try {
      this.#file ??= this.#open();
      this.#append(this.#file, line);
    } catch (error) {
      this.failure = unwritable(this.path, error);
    }
    return this.failure;
  }

  tally(): Tally {
    const statuses = [...this.#statuses.values()];
    const done = statuses.filter((status) => status === "done").length;
    const isIdle = done === 0 && !this.#isDoubted && this.failure === null;
    return { done, failed: statuses.length - done, isIdle };
  }

  /** The last line, if there is a journal. */
  close(end: JournalEnd): void {
    if (this.#file === null) return;
    if (this.failure === null) this.note(end);
    closeSync(this.#file);
    this.#file = null;
  }

  #open(): number {
    const name = `${JOURNAL_FOLDER}/${nameFor(this.#begin.started)}`;
    const folder = journalFolder(this.#cwd);
    const file = openSync(path.join(this.#cwd, name), "ax", 0o600);
    this.#append(file, this.#begin);
    syncFolder(folder);
    this.path = name;
    this.#onOpen(name);
    return file;
  }

  #append(file: number, line: JournalLine): void {
    const { text, check } = rowOf(line, this.#check);
    appendFileSync(file, text);
    fsyncSync(file);
    this.#check = check;
  }
}

/** Creates the folder if needed. Links are refused: a repository could contain one in its place. */
export function journalFolder(cwd: string): string {
  const folder = path.join(cwd, JOURNAL_FOLDER);
  for (const level of [path.dirname(folder), folder]) {
    unlessThere(() => mkdirSync(level));
    if (!lstatSync(level).isDirectory())
      throw new Error(`${path.relative(cwd, level)} is not a folder, or is a link`);
  }
  // The journal has former states of zones, which must not be committed to the repository by accident.
  unlessThere(() => writeFileSync(path.join(folder, ".gitignore"), "*\n", { flag: "wx" }));
  return folder;
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** Sorts by time; two runs that begin in the same millisecond do not meet. */
function nameFor(started: string): string {
  return `${started.replace(/[-:.]/g, "")}-${randomBytes(4).toString("hex")}.jsonl`;
}

/** A new file is durable only once its folder is synced, which not every system supports. */
function syncFolder(folder: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(folder, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(descriptor);
  } catch {
    // As above.
  } finally {
    closeSync(descriptor);
  }
}

function unwritable(journal: string | null, error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error);
  const detail =
    journal === null
      ? `Nothing is sent, because no journal can be written into ${JOURNAL_FOLDER}: ${why}. Free some space, or run apply where it may write.`
      : `Nothing more is sent, because ${journal} cannot be written: ${why}. Run apply again to finish: it plans anew from the live state.`;
  return problem("journal_failed", "Journal cannot be written", detail);
}
