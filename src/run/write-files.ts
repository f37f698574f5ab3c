import { lstatSync, type Stats, writeFileSync } from "node:fs";
import path from "node:path";
import { MAX_FILE_BYTES } from "../config/index.js";
import { codeOf, isFolder, makeFolder, readRegularFile, replaceFile } from "../disk/files.js";
import { fileAt, placeOf, whyNotRead, whyNotWritten } from "../disk/place.js";
import { follow } from "../disk/tree.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";

/** A kind of file that a run writes. */
export interface FileKind {
  /** Its name in messages: `plan`. */
  readonly noun: string;
  /** Recognizes a text that a run has written. Other files are not overwritten. */
  readonly recognizes: (text: string) => boolean;
  /** A longer name with an article: `an unedited export`. Absent: the noun, as in `a plan`. */
  readonly called?: string;
  /** The file's name if only a folder is named. */
  readonly name: string;
}

export interface Written extends FileKind {
  readonly text: string;
}

/** A larger file was not written by this program. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Removes secrets from a text. */
export interface Redacts {
  in(text: string): string;
}

export function redacted(written: Written, redactor: Redacts): Written {
  return { ...written, text: redactor.in(written.text) };
}

/**
 * Writes a file whole or not at all: a cut-off file would look like an edited one. A name that ends in a slash is a folder,
 * which is created if it is missing.
 *
 * @returns the file's name
 */
export async function writeOut(file: string, written: Written, cwd: string): Promise<Result<string>> {
  const target = await outTarget(file, written, cwd);
  if (!target.ok) return target;
  const { place, there, named } = target.value;
  try {
    if (named !== file) makeFolder(path.dirname(place));
    // A pipe or a device is written to, never replaced by a file.
    if (there === "stream" || there === "link") writeFileSync(place, written.text);
    else replaceFile(place, written.text);
    return ok(named);
  } catch (error) {
    return cannotWriteOut(written, `Writing ${named} ${whyNotWritten(codeOf(error))}`);
  }
}

interface Target {
  /** The name as given. For a folder, with the file's name. */
  readonly named: string;
  readonly place: string;
  readonly there: ReturnType<typeof kindAt>;
}

/** The place to write a file, or the reason why it cannot be written. Changes nothing. */
export async function outTarget(file: string, kind: FileKind, cwd: string): Promise<Result<Target>> {
  const { recognizes, noun, called = `a ${noun}` } = kind;
  const named = /[/\\]$/.test(file) ? `${file}${kind.name}` : file;
  const whole = path.resolve(cwd, named);
  const place = await fileAt(whole);
  if (place === null)
    return cannotWriteOut(
      kind,
      `${named} is behind a link that leads out of the repository. Name another file.`,
    );
  const there = kindAt(place);
  if (there === "nothing" && named === file && !isFolder(path.dirname(place)))
    return cannotWriteOut(kind, `Writing ${named} ${whyNotWritten("ENOENT")}`);
  if (there === "link" && !isOfSystem(whole))
    return cannotWriteOut(kind, `${named} is a link. Name the file itself.`);
  if (there === "file") {
    const read = readRegularFile(place, MAX_BYTES);
    if (read.as !== "file")
      return cannotWriteOut(kind, `${named} exists, and ${whyNotRead(read)}. Name another file.`);
    const before = read.bytes.toString("utf8");
    // Most likely a desired-state file, named by mistake.
    if (before.trim() !== "" && !recognizes(before))
      return cannotWriteOut(kind, `${named} exists and is not ${called}. Name another file.`);
  }
  return ok({ named, place, there });
}

function cannotWriteOut({ noun }: FileKind, detail: string): Result<never> {
  return failed(problem("cannot_write", `Cannot write the ${noun} file`, detail));
}

/** Only the system can create links there, such as /dev/stdout. In /dev/shm, everybody can. */
function isOfSystem(whole: string): boolean {
  return /^\/dev\/(fd\/)?[^/]+$/.test(whole);
}

function kindAt(target: string): "nothing" | "file" | "link" | "stream" {
  const info = infoOf(target);
  if (info === null) return "nothing";
  if (info.isSymbolicLink()) return "link";
  return info.isFile() || info.isDirectory() ? "file" : "stream";
}

/** Null: the file does not exist, or is not accessible. */
function infoOf(target: string): Stats | null {
  try {
    return lstatSync(target);
  } catch {
    return null;
  }
}

/**
 * Writes edited files, one after the other.
 *
 * @param read the texts as they were read. A file that has changed since is not overwritten
 */
export async function writeFiles(
  next: ReadonlyMap<string, string>,
  read: ReadonlyMap<string, string>,
  cwd: string,
): Promise<Result<null>> {
  const done: string[] = [];
  for (const [file, text] of next) {
    const written = await writeOne(file, text, read.get(file) ?? "", cwd);
    if (!written.ok) return failed(...written.problems.map((why) => afterWriting(done, why)));
    done.push(file);
  }
  return ok(null);
}

/** A failed write names the files that are already changed. */
function afterWriting(done: readonly string[], why: Problem): Problem {
  if (done.length === 0) return why;
  return { ...why, detail: `${why.detail} Already written: ${done.join(", ")}.` };
}

async function writeOne(file: string, text: string, before: string, cwd: string): Promise<Result<null>> {
  const place = placeOf(path.resolve(cwd, file));
  const led = await follow(place.tree, place.name);
  if (led.to !== "file")
    return failed(
      cannotWrite(
        `${file} is not a file, or is a link that leads elsewhere. Put a file there, and run this again.`,
      ),
    );
  const target = path.join(place.top, led.name);
  const read = readRegularFile(target, MAX_FILE_BYTES);
  if (read.as !== "file")
    return failed(
      cannotWrite(`${file} cannot be read again: ${whyNotRead(read)}. Make it readable, and run this again.`),
    );
  const mark = read.bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ? BYTE_ORDER_MARK : "";
  if (read.bytes.toString("utf8") !== mark + before)
    return failed(cannotWrite(`${file} changed meanwhile. Run this again.`));
  try {
    replaceFile(target, mark + text, read.mode & 0o777);
    return ok(null);
  } catch (error) {
    return failed(
      cannotWrite(`Writing ${file} ${whyNotWritten(codeOf(error))} Make it writable, and run this again.`),
    );
  }
}

const BYTE_ORDER_MARK = "\ufeff";

function cannotWrite(detail: string): Problem {
  return problem("cannot_write", "Cannot write a file", detail);
}
