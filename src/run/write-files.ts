import { lstatSync, writeFileSync } from "node:fs";
import path from "node:path";
import { MAX_FILE_BYTES } from "../config/index.js";
import { codeOf, readRegularFile, replaceFile } from "../disk/files.js";
import { fileAt, placeOf, whyNotRead } from "../disk/place.js";

import { follow } from "../disk/tree.js";
import { failed, ok, type Problem, problem, type Result } from "../model/problem.js";

/** What a command writes with `-o`. */
export interface Written {
  readonly text: string;
  /** What it is called in messages: `plan`. */
  readonly noun: string;
  /** Whether a text is such a one: all else that stands where it is to be is left alone. */
  readonly isOne: (text: string) => boolean;
  /** What such a one is called, where the noun says too little: `export that nobody has edited`. */
  readonly one?: string;
}

/** One that is larger is none of ours. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Takes out of a text what nobody may see. */
export interface Hides {
  in(text: string): string;
}

/** The same without what nobody may see. */
export function hidden(written: Written, hiding: Hides): Written {
  return { ...written, text: hiding.in(written.text) };
}

/** Writes a file whole or not at all: what broke off would be read as what somebody edited. */
export async function writeOut(file: string, written: Written, cwd: string): Promise<Result<null>> {
  const { text, noun, isOne, one = noun } = written;
  const cannotWrite = (detail: string) =>
    failed(problem("cannot_write", `The ${noun} file cannot be written`, detail));
  const whole = path.resolve(cwd, file);
  const target = await fileAt(whole);
  if (target === null)
    return cannotWrite(`${file} is behind a link that leads out of the repository. Name a file that is not.`);
  const there = kindAt(target);
  if (there === "link" && !isOfSystem(whole))
    return cannotWrite(
      `${file} is a link, and whoever made it decides which file is written over. Name the file itself.`,
    );
  try {
    // A pipe or a device is written to, never replaced by a file.
    if (there === "stream" || there === "link") {
      writeFileSync(target, text);
      return ok(null);
    }
    if (there === "file") {
      const read = readRegularFile(target, MAX_BYTES);
      if (read.as !== "file")
        return cannotWrite(`${file} is there, and ${whyNotRead(read)}. Name another file.`);
      const before = read.bytes.toString("utf8");
      // Most likely a desired-state file, named by mistake.
      if (before.trim() !== "" && !isOne(before))
        return cannotWrite(`${file} is there and is no ${one}. Name another file.`);
    }
    replaceFile(target, text);
    return ok(null);
  } catch (error) {
    return cannotWrite(`Writing ${file} failed with ${codeOf(error)}. Does its folder exist?`);
  }
}

/** Nobody but the system makes links there: /dev/stdout is one. */
function isOfSystem(whole: string): boolean {
  return whole.startsWith("/dev/");
}

function kindAt(target: string): "nothing" | "file" | "link" | "stream" {
  const info = lstatSync(target, { throwIfNoEntry: false });
  if (info === undefined) return "nothing";
  if (info.isSymbolicLink()) return "link";
  return info.isFile() || info.isDirectory() ? "file" : "stream";
}

/**
 * Files with another text, one after the other.
 *
 * @param read what each of them had when it was read: what somebody has written in the meantime is not written over
 */
export async function writeFiles(
  next: ReadonlyMap<string, string>,
  read: ReadonlyMap<string, string>,
  cwd: string,
): Promise<Result<null>> {
  for (const [file, text] of next) {
    const written = await writeOne(file, text, read.get(file) ?? "", cwd);
    if (!written.ok) return written;
  }
  return ok(null);
}

async function writeOne(file: string, text: string, before: string, cwd: string): Promise<Result<null>> {
  const place = placeOf(path.resolve(cwd, file));
  const led = await follow(place.tree, place.name);
  if (led.to !== "file") return failed(cannotWrite(`${file} is no file, or a link that leads elsewhere.`));
  const target = path.join(place.top, led.name);
  const read = readRegularFile(target, MAX_FILE_BYTES);
  if (read.as !== "file") return failed(cannotWrite(`${file} cannot be read again: ${whyNotRead(read)}.`));
  const mark = read.bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ? BYTE_ORDER_MARK : "";
  if (read.bytes.toString("utf8") !== mark + before)
    return failed(cannotWrite(`${file} has been changed meanwhile.`));
  try {
    replaceFile(target, mark + text, read.mode & 0o777);
    return ok(null);
  } catch (error) {
    return failed(cannotWrite(`Writing ${file} failed with ${codeOf(error)}.`));
  }
}

const BYTE_ORDER_MARK = "\ufeff";

function cannotWrite(detail: string): Problem {
  return problem("cannot_write", "A file cannot be written", `${detail} Run adopt again.`);
}
