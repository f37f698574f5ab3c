import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

/** What came of reading a file. */
export type Reading =
  | { readonly as: "file"; readonly bytes: Buffer; readonly writtenMs: number; readonly mode: number }
  | { readonly as: "too large" }
  /** A link, a folder, a pipe, a device. */
  | { readonly as: "not a file" }
  | { readonly as: "failed"; readonly code: string };

/**
 * What a regular file has, if that is no more than so much. A link is not followed, a pipe is not waited for, and what
 * the file says of its size is not believed: it may grow.
 */
export function readRegularFile(file: string, maxBytes: number): Reading {
  try {
    // Opening a device can already do something.
    if (!lstatSync(file).isFile()) return { as: "not a file" };
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return readOpened(openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), maxBytes);
  } catch (error) {
    return { as: "failed", code: codeOf(error) };
  }
}

function readOpened(opened: number, maxBytes: number): Reading {
  try {
    const info = fstatSync(opened);
    if (!info.isFile()) return { as: "not a file" };
    let bytes = Buffer.alloc(Math.min(Math.max(info.size, LEAST_BYTES), maxBytes) + 1);
    const parts: Buffer[] = [];
    for (let total = 0; total <= maxBytes; ) {
      const read = readSync(opened, bytes, 0, bytes.length, null);
      if (read === 0) return { as: "file", bytes: joined(parts), writtenMs: info.mtimeMs, mode: info.mode };
      parts.push(bytes.subarray(0, read));
      bytes = Buffer.alloc(LEAST_BYTES);
      total += read;
    }
    return { as: "too large" };
  } finally {
    closeSync(opened);
  }
}

/** A file that is as long as it says is one part, and is not copied. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first, ...others] = parts;
  return first !== undefined && others.length === 0 ? first : Buffer.concat(parts);
}

/** Read at once, also of a file that says it is empty. */
const LEAST_BYTES = 4_096;

/** What the system calls it: node:fs throws errors with a code. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.message;
}

/**
 * Writes a file in one go, so that nobody sees half of it. Until it is whole it has a name that nobody can know before, and
 * that nothing else has: what was put there beforehand, a link for instance, would be written through. A link in the place
 * of the file itself is replaced, not followed.
 */
export function replaceFile(target: string, content: string | Uint8Array, mode = 0o666): void {
  const unfinished = path.join(path.dirname(target), `.zoneward-${crypto.randomUUID()}`);
  const opened = openSync(unfinished, "wx", mode);
  try {
    try {
      writeFileSync(opened, content);
    } finally {
      closeSync(opened);
    }
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Makes a folder, and those above it, where they are not there. Node's own way to do so never ends where a folder that is
 * there says of what is to be in it that it is not, as /proc does.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = path.dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (codeOf(error) !== "EEXIST" || !isFolder(folder)) throw error; // somebody else may have made it just now
  }
}

/** Also one that a link leads to. */
export function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}
