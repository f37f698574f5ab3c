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

export type Reading =
  | { readonly as: "file"; readonly bytes: Buffer; readonly writtenMs: number; readonly mode: number }
  | { readonly as: "too large" }
  /** A link, a folder, a pipe or a device. */
  | { readonly as: "not a file" }
  | { readonly as: "failed"; readonly code: string };

/**
 * The content of a regular file of at most `maxBytes`. Links are not followed and pipes are not waited for. The size
 * that the file reports is only a hint, as the file may grow.
 */
export function readRegularFile(file: string, maxBytes: number): Reading {
  try {
    // Opening a device may already have an effect.
    if (!lstatSync(file).isFile()) return { as: "not a file" };
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return readOpened(openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), maxBytes);
  } catch (error) {
    return { as: "failed", code: codeOf(error) };
  }
}

function readOpened(descriptor: number, maxBytes: number): Reading {
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile()) return { as: "not a file" };
    let bytes = Buffer.alloc(Math.min(Math.max(info.size, LEAST_BYTES), maxBytes) + 1);
    const parts: Buffer[] = [];
    for (let total = 0; total <= maxBytes; ) {
      const read = readSync(descriptor, bytes, 0, bytes.length, null);
      if (read === 0) return { as: "file", bytes: joined(parts), writtenMs: info.mtimeMs, mode: info.mode };
      parts.push(bytes.subarray(0, read));
      bytes = Buffer.alloc(LEAST_BYTES);
      total += read;
    }
    return { as: "too large" };
  } finally {
    closeSync(descriptor);
  }
}

/** A file of the reported size is a single part, which is not copied. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first, ...more] = parts;
  return first !== undefined && more.length === 0 ? first : Buffer.concat(parts);
}

/** Read in one go, even if the file reports size 0. */
const LEAST_BYTES = 4_096;

/** The system's error code, as `node:fs` sets it. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.message;
}

/**
 * Writes a file atomically. The temporary name is random and must be new: a link placed there beforehand would be
 * written through. A link in the place of the target itself is replaced, not followed.
 */
export function replaceFile(target: string, content: string | Uint8Array, mode = 0o666): void {
  const unfinished = path.join(path.dirname(target), `.zoneward-${crypto.randomUUID()}`);
  const descriptor = openSync(unfinished, "wx", mode);
  try {
    try {
      writeFileSync(descriptor, content);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, target);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Creates a folder and its parents. Node's `recursive` option loops forever where a folder such as /proc exists but
 * reports that its entries do not.
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

/** Follows links. */
export function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}
