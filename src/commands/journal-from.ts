import path from "node:path";
import { readNamed, whyNotRead } from "../disk/place.js";
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
  const read = await readNamed(path.resolve(cwd, file), MAX_JOURNAL_BYTES);
  if (read.as !== "file") {
    const detail = `${file}: ${whyNotRead(read)}. Name the journal of the apply to undo, a file in .zoneward/journal.`;
    return failed(problem("bad_journal", "The journal cannot be read", detail));
  }
  const inTime = youngEnough(read.writtenMs, file, maxAgeMinutes, ALL_THE_SAME);
  return inTime.ok ? readJournal(file, read.bytes.toString("utf8")) : inTime;
}

const ALL_THE_SAME = "To roll back all the same, allow more minutes, or leave --max-age out.";

/** Far more than an apply to the largest fleet writes. */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;
