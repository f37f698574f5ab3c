import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isObject, type JsonObject } from "../model/json.js";
import { codeOf } from "./files.js";
import type { LogFile } from "./log-files.js";

/** What could not be read from logs. */
export interface Unread {
  /** Lines that are not a JSON object. */
  readonly broken: number;
  /** Lines longer than the service writes. */
  readonly tooLong: number;
  /** Files that were read only in part, and why. Records before that point count. */
  readonly cut: readonly { readonly file: string; readonly why: string }[];
}

/** The service's own lines have a few kilobytes at most. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * How much may be read from logs. A megabyte of gzip may unpack to a gigabyte, or to a billion lines, so work is bounded by
 * the bytes on the disk above this allowance. The service's logs unpack 10 to 50 times, with 10 bytes a line or more.
 */
export interface LogRoom {
  /** Unpacked bytes and nonblank lines that are free, in all files together. */
  readonly bytes: number;
  readonly lines: number;
}

const ROOM: LogRoom = { bytes: 2 * 1024 ** 3, lines: 20_000_000 };

/** Above that: this many unpacked bytes per byte on the disk, and one line per this many bytes on the disk. */
const MOST_UNPACKED = 100;
const BYTES_A_LINE = 8;

/** The cost of a line that only looks like a record, in lines: its exception is slow. */
const BROKEN_LINES = 50;

/**
 * Reads every JSON object from log files, one per line, plain or gzip with any number of members. Only the current line
 * is held in memory.
 *
 * @param take called with each object, unchecked
 */
export async function eachRecord(
  files: readonly LogFile[],
  take: (record: JsonObject) => void,
  room: LogRoom = ROOM,
): Promise<Unread> {
  const remaining = { ...room };
  let broken = 0;
  let tooLong = 0;
  const cut: { file: string; why: string }[] = [];
  for (const file of files) {
    const lines = new Lines((line) => {
      if (line.trim() === "") return;
      remaining.lines--;
      if (remaining.lines < 0) return;
      // Lines of another format would throw millions of exceptions.
      const mayBeRecord = line.trimEnd().endsWith("}");
      const record = mayBeRecord ? recordIn(line) : null;
      if (record !== null) {
        take(record);
        return;
      }
      broken++;
      if (mayBeRecord) remaining.lines -= BROKEN_LINES;
    });
    const counted = tap(file.read(), ({ length }) => {
      remaining.bytes += length * MOST_UNPACKED;
      remaining.lines += length / BYTES_A_LINE;
    });
    const pieces = unpacked(counted);
    try {
      for (;;) {
        const next = await nextOf(pieces);
        if ("why" in next) cut.push({ file: file.name, why: next.why });
        if ("why" in next || next.done === true) break;
        lines.add(next.value);
        remaining.bytes -= next.value.length;
        const why = beyond(remaining);
        if (why === null) continue;
        cut.push({ file: file.name, why });
        break;
      }
      lines.end();
    } finally {
      await pieces.return(undefined);
    }
    tooLong += lines.tooLong;
  }
  return { broken, tooLong, cut };
}

/** Why reading must stop; null: go on. A file's overdraft does not count against later files. */
function beyond(remaining: { bytes: number; lines: number }): string | null {
  const why =
    remaining.bytes < 0
      ? `it unpacks to more than ${MOST_UNPACKED} times its size`
      : remaining.lines < 0
        ? `it has more than a line for ${BYTES_A_LINE} bytes of its size`
        : null;
  remaining.bytes = Math.max(0, remaining.bytes);
  remaining.lines = Math.max(0, remaining.lines);
  return why;
}

async function* tap(bytes: AsyncIterable<Buffer>, see: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const piece of bytes) {
    see(piece);
    yield piece;
  }
}

/** The next piece, or the error of reading. Only errors of reading are caught, not those of `take`. */
async function nextOf(
  pieces: AsyncGenerator<Buffer>,
): Promise<IteratorResult<Buffer> | { readonly why: string }> {
  try {
    return await pieces.next();
  } catch (error) {
    return { why: codeOf(error) };
  }
}

function recordIn(line: string): JsonObject | null {
  try {
    // Some tools write a byte order mark first.
    const value: unknown = JSON.parse(line.charCodeAt(0) === BYTE_ORDER_MARK ? line.slice(1) : line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const BYTE_ORDER_MARK = 0xfeff;

/** Splits bytes into lines. */
class Lines {
  readonly #take: (line: string) => void;
  /** The start of an unfinished line. */
  #partial: Buffer[] = [];
  #partialBytes = 0;
  /** Whether the current line is too long and is skipped. */
  #isPassing = false;
  tooLong = 0;

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  add(piece: Buffer): void {
    const first = piece.indexOf(NEWLINE);
    if (first === -1) {
      this.#begin(piece);
      return;
    }
    this.#begin(piece.subarray(0, first));
    this.#finish();
    const last = piece.lastIndexOf(NEWLINE);
    if (last > first) this.#whole(piece.toString("utf8", first + 1, last));
    if (last + 1 < piece.length) this.#begin(Buffer.from(piece.subarray(last + 1)));
  }

  /** The end of input also ends the last line. */
  end(): void {
    this.#finish();
  }

  #begin(part: Buffer): void {
    if (this.#isPassing) return;
    this.#partial.push(part);
    this.#partialBytes += part.length;
    if (this.#partialBytes <= MAX_LINE_BYTES) return;
    this.#isPassing = true;
    this.tooLong++;
    this.#forget();
  }

  #finish(): void {
    if (!this.#isPassing && this.#partialBytes > 0) this.#take(Buffer.concat(this.#partial).toString("utf8"));
    this.#isPassing = false;
    this.#forget();
  }

  #forget(): void {
    this.#partial = [];
    this.#partialBytes = 0;
  }

  /** Lines that lie within one piece, and so cannot be too long. */
  #whole(text: string): void {
    for (let start = afterBlanks(text, 0); start < text.length; ) {
      const end = text.indexOf("\n", start);
      const stop = end === -1 ? text.length : end;
      this.#take(text.slice(start, stop));
      start = afterBlanks(text, stop);
    }
  }
}

/** The next nonblank position: there may be a billion blanks. */
function afterBlanks(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.exec(text)?.index ?? text.length;
}

/** All whitespace of JSON. */
const NOT_BLANK = /[^ \t\r\n]/g;

const NEWLINE = 0x0a;

/** Gzip is recognised by its first two bytes, which no JSON starts with. File names do not matter. */
async function* unpacked(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = bytes[Symbol.asyncIterator]();
  try {
    const first: Buffer[] = [];
    for (let size = 0; size < GZIP.length; ) {
      const next = await pieces.next();
      if (next.done === true) break;
      first.push(Buffer.from(next.value));
      size += next.value.length;
    }
    const start = Buffer.concat(first);
    const content = restOf(start, pieces);
    if (start.subarray(0, GZIP.length).equals(GZIP)) yield* gunzipped(content);
    else yield* content;
  } finally {
    await pieces.return?.(undefined);
  }
}

const GZIP = Buffer.from([0x1f, 0x8b]);

async function* restOf(start: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
    yield Buffer.from(next.value);
}

async function* gunzipped(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(bytes, { objectMode: false });
  const unpack = createGunzip({ chunkSize: 256 * 1024 });
  source.on("error", (error) => unpack.destroy(error));
  source.pipe(unpack);
  try {
    yield* unpack as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    unpack.destroy();
  }
}
