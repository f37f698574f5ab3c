import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { JOURNAL_FOLDER } from "../apply/journal.js";
import { readConfigFiles } from "../config/index.js";
import { readRegularFile } from "../disk/files.js";
import { readNamed, whyNotRead } from "../disk/place.js";
import { trackedBelow } from "../git/repository.js";
import type { HasReplaced } from "../match/match.js";
import type { JournalChange, JournaledRun } from "../model/journal.js";
import { equal } from "../model/json.js";
import { failed, ok, type Problem, problem, type Result, warning } from "../model/problem.js";
import { says } from "../model/sentence.js";
import { type JournalRecord, readJournal } from "../plan/read-journal.js";
import { hasReplaced } from "../plan/undo/states-before.js";
import { youngEnough } from "./saved-plan.js";

/**
 * Reads the journal in a file that the command line names.
 *
 * @param maxAgeMinutes the highest age of the file; null: any
 */
export async function journalFrom(
  file: string,
  cwd: string,
  maxAgeMinutes: number | null,
): Promise<Result<JournalRecord>> {
  if (file === "") {
    const detail =
      "Name the journal of the apply to undo: zoneward rollback .zoneward/journal/FILE.jsonl. --last takes the last one, and --list shows all.";
    return failed(problem("no_journal", "No journal named", detail));
  }
  const read = await readNamed(path.resolve(cwd, file), MAX_JOURNAL_BYTES);
  if (read.as !== "file") {
    const detail = `${file} cannot be read: ${whyNotRead(read)}. Name the journal of the apply to undo, a file in .zoneward/journal.`;
    return failed(problem("bad_journal", "Journal cannot be read", detail));
  }
  const inTime = youngEnough(read.writtenMs, file, maxAgeMinutes, ALL_THE_SAME);
  return inTime.ok ? readJournal(file, read.bytes.toString("utf8")) : inTime;
}

/** The journals in a folder. Empty if it is not a folder. */
export function journalsIn(folder: string, cwd: string): readonly string[] {
  const names = namesIn(path.resolve(cwd, folder)).filter((name) => name.endsWith(".jsonl"));
  return names.toSorted().map((name) => path.join(folder, name));
}

const ALL_THE_SAME = says`To roll back anyway, allow more minutes, or leave ${{ flag: "max-age" }} out.`;

/** Far more than an apply to the largest fleet writes. */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024;

/**
 * Tests whether an apply in this folder replaced one object by another. Journals are read on the first call, because only
 * zones with two objects for one entry of the files need them.
 */
export async function replacementsIn(cwd: string): Promise<(zoneId: string) => HasReplaced> {
  const names = await ownJournals(cwd);
  let known: readonly JournalRecord[] | null = null;
  return (zoneId) => (before, after) => {
    known ??= [...newestJournals(names, cwd)].flatMap(({ record }) => (record.ok ? [record.value] : []));
    return known.some((journal) => hasReplaced(journal, zoneId, before, after));
  };
}

const MAX_JOURNALS = 100;

/** The journals of this folder without those that git tracks: a pull request could forge one to have objects deleted. */
async function ownJournals(cwd: string): Promise<readonly string[]> {
  const folder = path.join(cwd, JOURNAL_FOLDER);
  const names = namesIn(folder).filter((name) => name.endsWith(".jsonl"));
  if (names.length === 0 || [path.dirname(folder), folder].some((each) => lstatSync(each).isSymbolicLink()))
    return [];
  const tracked = await trackedBelow(folder);
  if (tracked === null || tracked.some(({ name }) => name === "")) return [];
  const committed = new Set(tracked.map(({ name }) => name));
  return names.filter((name) => !committed.has(name));
}

/** The journals, the newest first: their names sort by time. One is read at a time, because they can be large. */
function* newestJournals(names: readonly string[], cwd: string) {
  for (const name of names.toSorted().slice(-MAX_JOURNALS).toReversed()) {
    const journal = path.join(JOURNAL_FOLDER, name);
    const read = readRegularFile(path.join(cwd, journal), MAX_JOURNAL_BYTES);
    const record =
      read.as === "file" ? readJournal(journal, read.bytes.toString("utf8")) : failed(notReadable(journal));
    yield { journal, record };
  }
}

/** An earlier apply or rollback of this folder, from its journal. */
export interface PastRun {
  /** The path, relative to the folder of the run. */
  readonly journal: string;
  /** ISO 8601. */
  readonly started: string;
  readonly digest: string;
  /** The digest of the whole saved plan, if the run applied a part of it. Null: no part. */
  readonly part_of: string | null;
  /** The desired-state files, as the command line named them. */
  readonly config: readonly string[];
  readonly zones: readonly string[];
  /** The numbers of calls that took effect, failed, and may have taken effect. */
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  /** False: the run was killed or interrupted. */
  readonly ended: boolean;
  /** The run that a rollback undid. Null: an apply. */
  readonly undoes: JournaledRun | null;
  /** The changes of its plan in these zones. */
  readonly changes: readonly PastChange[];
}

interface PastChange extends Pick<JournalChange, "action" | "kind" | "key"> {
  readonly zone: string;
  /** Whether a call for it was sent. */
  readonly started: boolean;
}

/** A journal that cannot be read, with the reason. */
export interface UnreadJournal {
  readonly journal: string;
  readonly problem: Problem;
}

/** The last runs of a folder, the newest first. Journals that git tracks are ignored. */
export async function pastRuns(cwd: string): Promise<readonly (PastRun | UnreadJournal)[]> {
  return Array.from(newestJournals(await ownJournals(cwd), cwd), ({ journal, record }) => {
    if (record.ok) return pastRun(journal, record.value);
    return { journal, problem: record.problems[0] ?? notReadable(journal) };
  });
}

function notReadable(journal: string): Problem {
  return problem(
    "bad_journal",
    "Journal cannot be read",
    `${journal} is not a regular file, or is too large.`,
  );
}

function pastRun(journal: string, { begin, zones, end }: JournalRecord): PastRun {
  const statuses = zones.flatMap(({ calls }) => calls.map(({ outcome }) => outcome?.status ?? "unknown"));
  const count = (status: string) => statuses.filter((each) => each === status).length;
  return {
    journal,
    started: begin.started,
    digest: begin.digest,
    part_of: begin.part_of ?? null,
    config: begin.config,
    zones: zones.map(({ before }) => before.zone),
    done: count("done"),
    failed: count("failed"),
    unknown: count("unknown"),
    ended: end !== null && !end.interrupted,
    undoes: begin.undoes ?? null,
    changes: zones.flatMap(({ before: { zone, changes }, calls }) => {
      const started = new Set(calls.flatMap(({ intent }) => intent.changes));
      return changes.map(({ action, kind, key }, index) => {
        return { zone, action, kind, key, started: started.has(index) };
      });
    }),
  };
}

/** The last apply of these files. */
interface LastApply {
  readonly journal: string;
  /** The last earlier apply that changed something, or may have. Only if this one changed nothing. */
  readonly before: PastRun | UnreadJournal | null;
}

/**
 * The journal of the last apply of these files, also after a rollback of it, which may have restored only a part. An
 * unreadable journal may belong to them, so it is not skipped.
 *
 * @param named the files of `-c`; empty: the default files
 */
export async function lastJournal(named: readonly string[], cwd: string): Promise<Result<LastApply>> {
  const config = named.length > 0 ? named : (await readConfigFiles([], cwd)).named;
  const runs = await pastRuns(cwd);
  const applies = runs.filter(
    (each) => "problem" in each || (each.undoes === null && equal([...each.config], [...config])),
  );
  const [last] = applies;
  if (last === undefined && runs.length > 0) {
    const detail = `No journal in ${JOURNAL_FOLDER} is from an apply of ${config.join(", ")}. Name its files with -c, or the journal: zoneward rollback --list shows all.`;
    return failed(problem("no_journal", "No apply of these files to roll back", detail));
  }
  if (last === undefined) {
    const detail = `${JOURNAL_FOLDER} has no journal: nothing was applied from this folder, or the journals are gone. If you keep one elsewhere, name it: zoneward rollback FILE.`;
    return failed(problem("no_journal", "No journal found", detail));
  }
  if ("problem" in last) return failed(last.problem);
  const before = mayHaveChanged(last) ? null : applies.find(mayHaveChanged);
  return ok({ journal: last.journal, before: before ?? null });
}

/** A run that did not end, or whose journal cannot be read, may have changed something. */
function mayHaveChanged(run: PastRun | UnreadJournal): boolean {
  return "problem" in run || run.done + run.unknown > 0 || !run.ended;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const STATE_FOLDER = path.dirname(JOURNAL_FOLDER);

/** Warns if git tracks the state folder: a pull request could add a lock, a journal or a link there. */
export async function trackedState(cwd: string): Promise<readonly Problem[]> {
  const folder = path.join(cwd, STATE_FOLDER);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  const tracked = (await trackedBelow(folder)) ?? [];
  if (tracked.length === 0) return [];
  const files = tracked.length === 1 ? "a file" : `${tracked.length} files`;
  const detail = `git has ${files} in ${STATE_FOLDER}, which is for locks and journals of this machine. Files from git there may be forged. Remove the folder from git (git rm -r --cached ${STATE_FOLDER}), and add it to .gitignore.`;
  return [warning("state_tracked", "State folder is in git", detail)];
}
