import { constants, type Dirent, open as openRaw, type Stats } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";
import { codeOf } from "./files.js";

export interface LogFile {
  /** The name in messages. */
  readonly name: string;
  /** The bytes on the disk, in pieces. */
  read(): AsyncIterable<Buffer>;
}

/** The standard input of the process. */
export type StandardInput = () => AsyncIterable<Buffer>;

/** A log of a year with a file per minute has half a million files. */
const MAX_FILES = 1_000_000;

/** No path is longer, and the matching library throws on much longer patterns. */
const MAX_GLOB_CHARS = 4_096;

/**
 * Finds log files: named files, all files below named folders (except names with a leading dot), globs, and `-` for the
 * standard input. They come in the order named; folders and globs are sorted.
 *
 * A named path may be a link or a pipe. Below a folder or by a glob, only regular files are read: other programs write
 * logs, and a link among them could lead anywhere.
 */
export async function logFiles(
  paths: readonly string[],
  cwd: string,
  input: StandardInput | null,
): Promise<Result<readonly LogFile[]>> {
  const results: Result<readonly LogFile[]>[] = [];
  for (const name of paths)
    results.push(name === "-" && input !== null ? ok([{ name: name, read: input }]) : await find(name, cwd));
  const problems = results.flatMap((each) => (each.ok ? [] : each.problems));
  // The same file may have several names. The standard input has no path.
  const placeOf = ({ name, read }: LogFile) => (read === input ? "-" : path.resolve(cwd, name));
  const candidates = results.flatMap((each) => (each.ok ? each.value : []));
  // A line counts once, however often its file is named.
  const files = [...new Map(candidates.map((each) => [placeOf(each), each])).values()];
  if (files.length > MAX_FILES) problems.push(tooMany());
  return problems.length > 0 ? failed(...problems) : ok(files);
}

async function find(source: string, cwd: string): Promise<Result<readonly LogFile[]>> {
  const whole = path.resolve(cwd, source);
  const info = source === "" ? null : await infoOf(whole);
  if (info?.isDirectory() === true) return below(source, whole);
  const read = info?.isFIFO() === true ? pipedFrom : bytesOf;
  if (info !== null) return ok([{ name: source, read: () => read(whole) }]);
  if (source.length <= MAX_GLOB_CHARS && /[*?{}[\]()!]/.test(source)) return matching(source, cwd);
  const detail = `${source === "" ? '""' : source} does not exist. Name a log file, a folder of log files, a glob, or - for the standard input.`;
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
  return files.length > 0 ? ok(files) : failed(noFiles(`${folder} has no files`));
}

async function matching(pattern: string, cwd: string): Promise<Result<readonly LogFile[]>> {
  const { glob } = await import("tinyglobby");
  const names = await glob(pattern, { cwd, expandDirectories: false, followSymbolicLinks: false });
  if (names.length === 0) return failed(noFiles(`No file matches ${pattern}`));
  return ok(names.sort().map((name) => foundFile(name, path.resolve(cwd, name))));
}

function foundFile(name: string, whole: string): LogFile {
  return { name, read: () => bytesOf(whole, constants.O_NOFOLLOW | constants.O_NONBLOCK) };
}

/** @throws errors of `node:fs` */
async function* bytesOf(whole: string, how = 0): AsyncGenerator<Buffer> {
  const file = await open(whole, constants.O_RDONLY | how);
  try {
    yield* file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false }) as AsyncIterable<Buffer>;
  } finally {
    await file.close();
  }
}

const PIECE_BYTES = 1024 * 1024;

/**
 * Reads a pipe without a thread that waits for its writer, because such a thread would keep the process from ending.
 *
 * @throws errors of `node:fs`
 */
async function* pipedFrom(whole: string): AsyncGenerator<Buffer> {
  const fd = await promisify(openRaw)(whole, constants.O_RDONLY | constants.O_NONBLOCK);
  yield* new Socket({ fd, readable: true, writable: false }) as AsyncIterable<Buffer>;
}

function unreadable(name: string, why: string): Problem {
  const detail = `Reading ${name} failed with ${why}. Check that it exists and its permissions.`;
  return problem("unreadable_folder", "Folder cannot be read", detail);
}

function noFiles(reason: string): Problem {
  return problem("no_files", "No log files", `${reason}. Name the log files or their folder.`);
}

function tooMany(): Problem {
  const detail = `More than ${MAX_FILES} files match. Name fewer days.`;
  return problem("too_many_files", "Too many files", detail);
}
