import { readFile } from "node:fs/promises";
import path from "node:path";
import { failed, problem, type Result } from "../model/problem.js";
import { type JournalRecord, readJournal } from "../plan/read-journal.js";
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
