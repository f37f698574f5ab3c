import { readFile } from "node:fs/promises";
import path from "node:path";
import { failed, problem, type Result } from "../model/problem.js";
import { type JournalRecord, readJournal } from "../plan/read-journal.js";

/** The journal in a file, as the command line names it. */
export async function journalFrom(file: string, cwd: string): Promise<Result<JournalRecord>> {
  if (file === "") {
    const detail = "Name the journal of the apply to undo: zoneward rollback .zoneward/journal/FILE.jsonl.";
    return failed(problem("no_journal", "No journal is named", detail));
  }
  try {
    return readJournal(file, await readFile(path.resolve(cwd, file), "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failed(problem("bad_journal", "The journal cannot be read", `${file}: ${reason}.`));
  }
}
