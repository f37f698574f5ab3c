import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { JOURNAL_FOLDER } from "../apply/journal.js";
import type { HasReplaced } from "../match/index.js";
import { failed, problem, type Result } from "../model/problem.js";
import { type JournalRecord, readJournal } from "../plan/read-journal.js";
import { type Replacement, replacementsOf } from "../plan/undo/past.js";
import { youngEnough } from "./max-age.js";

/**
 * The journal in a file, as the command line names it.
 *
 * @param maxAgeMinutes since the file was written; null: any age
 */
export async function journalFrom(
  file: string,
  cwd: string,
  maxAgeMinutes: number | null,
): Promise<Result<JournalRecord>> {
  if (file === "") {
    const detail = "Name the journal of the apply to undo: zoneward rollback .zoneward/journal/FILE.jsonl.";
    return failed(problem("no_journal", "No journal is named", detail));
  }
  const target = path.resolve(cwd, file);
  try {
    const inTime = await youngEnough(target, file, maxAgeMinutes, ALL_THE_SAME);
    return inTime.ok ? readJournal(file, await readFile(target, "utf8")) : inTime;
  } catch (error) {
    return failed(problem("bad_journal", "The journal cannot be read", unread(file, error)));
  }
}

const ALL_THE_SAME = "To roll back all the same, allow more minutes, or leave --max-age out.";

function unread(file: string, error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "EISDIR")
    return `${file} is a folder. Name the journal of the apply to undo, a file in it.`;
  return `${file}: ${error instanceof Error ? error.message : String(error)}.`;
}

/**
 * What applies in this folder have put in the place of what. Their journals are read when it is asked for first: only a
 * zone asks that has two objects for one entry of the files.
 */
export function replacementsIn(cwd: string): (zoneId: string) => HasReplaced {
  let known: readonly Replacement[] | null = null;
  return (zoneId) => (before, after) => {
    known ??= newestJournals(path.join(cwd, JOURNAL_FOLDER)).flatMap(replacementsOf);
    return known.some(
      (each) =>
        each.zoneId === zoneId &&
        each.kind === before.kind &&
        each.before === before.id &&
        (each.after === null || each.after === after.id),
    );
  };
}

const MAX_JOURNALS = 100;
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;

/** Those that can be read: nothing hangs on the others. Their names sort by time. */
function newestJournals(folder: string): readonly JournalRecord[] {
  const names = namesIn(folder).filter((name) => name.endsWith(".jsonl"));
  return names
    .toSorted()
    .slice(-MAX_JOURNALS)
    .flatMap((name) => {
      const text = regularText(path.join(folder, name));
      const journal = text === null ? null : readJournal(name, text);
      return journal?.ok === true ? [journal.value] : [];
    });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null: it is no file of its own, or too large for a journal. A link or a pipe may have come with the repository. */
function regularText(file: string): string | null {
  let opened: number | null = null;
  try {
    opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = fstatSync(opened);
    return info.isFile() && info.size <= MAX_JOURNAL_BYTES ? readFileSync(opened, "utf8") : null;
  } catch {
    return null;
  } finally {
    if (opened !== null) closeSync(opened);
  }
}
