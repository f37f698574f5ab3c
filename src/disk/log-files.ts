import { constants, type Dirent, type Stats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { codeOf } from "./files.js";

/** A file of a log. */
export interface LogFile {
  /** As messages call it. */
  readonly name: string;
  /** Its bytes as they are on the disk, a piece at a time. */
  read(): AsyncIterable<Buffer>;
}

/** What the process is given on its standard input. */
export type StandardInput = () => AsyncIterable<Buffer>;

/** A log of a year, a file a minute, has half a million. */
const MAX_FILES = 1_000_000;

/** No path is longer, and the library that matches throws at much longer ones. */
const MAX_GLOB_CHARS = 4_096;

/**
 * The files of logs that paths name: files as they are, folders with all files below them (not those whose names begin
 * with a dot), globs, and `-` for the standard input. In the order named, folders and globs sorted by name.
 *
 * What is named may be a link or a pipe. Of what is found below a folder or by a glob only files are read: a log is
 * brought by other programs, and a link in it could lead anywhere.
 */
export async function logFiles(
  named: readonly string[],
  cwd: string,
  input: StandardInput | null,
): Promise<Result<readonly LogFile[]>> {
  const found: Result<readonly LogFile[]>[] = [];
  for (const each of named)
    found.push(each === "-" && input !== null ? ok([{ name: each, read: input }]) : await find(each, cwd));
  const problems = found.flatMap((each) => (each.ok ? [] : each.problems));
  // Whatever a file is called, where it stands is one place; the standard input stands nowhere.
  const placeOf = ({ name, read }: LogFile) => (read === input ? "-" : path.resolve(cwd, name));
  const all = found.flatMap((each) => (each.ok ? each.value : []));
  // A line counts once, however often its file is named.
  const files = [...new Map(all.map((each) => [placeOf(each), each])).values()];
  if (files.length > MAX_FILES) problems.push(tooMany());
  return problems.length > 0 ? failed(...problems) : ok(files);
}

async function find(named: string, cwd: string): Promise<Result<readonly LogFile[]>> {
  const whole = path.resolve(cwd, named);
  const info = named === "" ? null : await infoOf(whole);
  if (info?.isDirectory() === true) return below(named, whole);
  if (info !== null) return ok([{ name: named, read: () => bytesOf(whole) }]);
  if (named.length <= MAX_GLOB_CHARS && /[*?{}[\]()!]/.test(named)) return matching(named, cwd);
  const detail = `There is no ${named === "" ? '""' : named}. Name a file of a log, a folder with such files, a glob, or - for the standard input.`;
  return failed(problem("no_such_file", "File not found", detail));
}

async function infoOf(whole: string): Promise<Stats | null> {
  try {
    return await stat(whole);
  } catch {
    return null;
  }
}

async function below(folder: string, whole: string): Promise<Result<readonly LogFile[]>> {
  const files: LogFile[] = [];
  const problems: Problem[] = [];
  const walk = async (inner: string): Promise<void> => {
    let entries: readonly Dirent[];
    try {
      entries = await readdir(path.join(whole, inner), { withFileTypes: true });
    } catch (error) {
      problems.push(unreadable(path.join(folder, inner), codeOf(error)));
      return;
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = path.join(inner, entry.name);
      if (entry.name.startsWith(".") || files.length > MAX_FILES) continue;
      if (entry.isDirectory()) await walk(name);
      else if (entry.isFile()) files.push(foundFile(path.join(folder, name), path.join(whole, name)));
    }
  };
  await walk("");
  if (problems.length > 0) return failed(...problems);
  return files.length > 0 ? ok(files) : failed(none(`${folder} has no files below it`));
}

async function matching(pattern: string, cwd: string): Promise<Result<readonly LogFile[]>> {
  const { glob } = await import("tinyglobby");
  const names = await glob(pattern, { cwd, expandDirectories: false, followSymbolicLinks: false });
  if (names.length === 0) return failed(none(`No file matches ${pattern}`));
  return ok(names.sort().map((name) => foundFile(name, path.resolve(cwd, name))));
}

function foundFile(name: string, whole: string): LogFile {
  return { name, read: () => bytesOf(whole, constants.O_NOFOLLOW | constants.O_NONBLOCK) };
}

/** Throws what `node:fs` throws. */
async function* bytesOf(whole: string, how = 0): AsyncGenerator<Buffer> {
  const file = await open(whole, constants.O_RDONLY | how);
  try {
    yield* file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false }) as AsyncIterable<Buffer>;
  } finally {
    await file.close();
  }
}

const PIECE_BYTES = 1024 * 1024;

function unreadable(name: string, why: string): Problem {
  const detail = `Reading ${name} failed with ${why}. Check that it is there and who may read it.`;
  return problem("unreadable_folder", "A folder that cannot be read", detail);
}

function none(what: string): Problem {
  return problem("no_files", "No files of a log", `${what}. Name the files, or the folder that has them.`);
}

function tooMany(): Problem {
  const detail = `More than ${MAX_FILES} files are named. Name those of the days that matter.`;
  return problem("too_many_files", "Too many files", detail);
}
