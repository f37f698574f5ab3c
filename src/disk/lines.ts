import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isObject, type JsonObject } from "../model/json.js";
import { codeOf } from "./files.js";
import type { LogFile } from "./log-files.js";

/** What of logs could not be read. */
export interface Unread {
  /** Lines that are no JSON object. */
  readonly broken: number;
  /** Lines longer than any that the service writes. */
  readonly tooLong: number;
  /** Files that end in the middle, or could not be read to their end, and why. What comes before is read. */
  readonly cut: readonly { readonly file: string; readonly why: string }[];
}

/** The service's own lines have some kilobytes at most. */
const MAX_LINE_BYTES = 1024 * 1024;

/**
 * How much may be read of logs. A megabyte of gzip can become a gigabyte, or a billion lines: beyond what is free, work is
 * bounded by the bytes on the disk. The service's logs become 10 to 50 times as large, and have 10 bytes a line or more.
 */
export interface LogRoom {
  /** What is free of unpacked bytes, and of lines that are not blank, in all files together. */
  readonly bytes: number;
  readonly lines: number;
}

const ROOM: LogRoom = { bytes: 2 * 1024 ** 3, lines: 20_000_000 };

/** So many unpacked bytes more for each byte on the disk, and one line more for so many bytes on the disk. */
const MOST_UNPACKED = 100;
const BYTES_A_LINE = 8;

/** What a line takes that only looks like a record: the exception takes as long as reading so many lines. */
const BROKEN_LINES = 50;

/**
 * Every JSON object of log files that have one a line, plain or compressed with gzip, in any number of members. Nothing
 * but the line at hand is kept, however long the files are.
 *
 * @param take is given each object as it was read: anything may stand in it
 */
export async function eachRecord(
  files: readonly LogFile[],
  take: (record: JsonObject) => void,
  room: LogRoom = ROOM,
): Promise<Unread> {
  const left = { ...room };
  let broken = 0;
  let tooLong = 0;
  const cut: { file: string; why: string }[] = [];
  for (const file of files) {
    const lines = new Lines((line) => {
      if (line.trim() === "") return;
      left.lines--;
      if (left.lines < 0) return;
      // Lines of another format, by the million, would throw as many exceptions.
      const mayBeRecord = line.trimEnd().endsWith("}");
      const record = mayBeRecord ? recordIn(line) : null;
      if (record !== null) {
        take(record);
        return;
      }
      broken++;
      if (mayBeRecord) left.lines -= BROKEN_LINES;
    });
    const counted = each(file.read(), ({ length }) => {
      left.bytes += length * MOST_UNPACKED;
      left.lines += length / BYTES_A_LINE;
    });
    const pieces = unpacked(counted);
    try {
      for (;;) {
        const next = await nextOf(pieces);
        if ("why" in next) cut.push({ file: file.name, why: next.why });
        if ("why" in next || next.done === true) break;
        lines.add(next.value);
        left.bytes -= next.value.length;
        const why = beyond(left);
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

/** Why a file is not read on; null: it is. What was not read of it counts for no other file. */
function beyond(left: { bytes: number; lines: number }): string | null {
  const why =
    left.bytes < 0
      ? `it unpacks to more than ${MOST_UNPACKED} times its size`
      : left.lines < 0
        ? `it has more than a line for ${BYTES_A_LINE} bytes of its size`
        : null;
  left.bytes = Math.max(0, left.bytes);
  left.lines = Math.max(0, left.lines);
  return why;
}

async function* each(bytes: AsyncIterable<Buffer>, see: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const piece of bytes) {
    see(piece);
    yield piece;
  }
}

/** The next piece, or why there is none: what fails here is the reading, and not whoever takes what was read. */
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
    // Some tools begin a file with a byte order mark.
    const value: unknown = JSON.parse(line.charCodeAt(0) === BYTE_ORDER_MARK ? line.slice(1) : line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const BYTE_ORDER_MARK = 0xfeff;

/** Bytes, put into lines as they come. */
class Lines {
  readonly #take: (line: string) => void;
  /** The beginning of a line whose end is to come. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  /** The line at hand is too long, and is passed over. */
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

  /** There is no more: what has no line end after it is a line all the same. */
  end(): void {
    this.#finish();
  }

  #begin(part: Buffer): void {
    if (this.#isPassing) return;
    this.#begun.push(part);
    this.#begunBytes += part.length;
    if (this.#begunBytes <= MAX_LINE_BYTES) return;
    this.#isPassing = true;
    this.tooLong++;
    this.#forget();
  }

  #finish(): void {
    if (!this.#isPassing && this.#begunBytes > 0) this.#take(Buffer.concat(this.#begun).toString("utf8"));
    this.#isPassing = false;
    this.#forget();
  }

  #forget(): void {
    this.#begun = [];
    this.#begunBytes = 0;
  }

  /** Lines that begin and end in one piece, which is no longer than a line may be. */
  #whole(text: string): void {
    for (let start = afterBlanks(text, 0); start < text.length; ) {
      const end = text.indexOf("\n", start);
      const stop = end === -1 ? text.length : end;
      this.#take(text.slice(start, stop));
      start = afterBlanks(text, stop);
    }
  }
}

/** Where blanks and blank lines end: there may be a billion of them. */
function afterBlanks(text: string, from: number): number {
  NOT_BLANK.lastIndex = from;
  return NOT_BLANK.exec(text)?.index ?? text.length;
}

/** JSON has no other blanks. */
const NOT_BLANK = /[^ \t\r\n]/g;

const NEWLINE = 0x0a;

/** What is compressed begins with two bytes that no JSON begins with; what its file is called does not matter. */
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
    const all = restOf(start, pieces);
    if (start.subarray(0, GZIP.length).equals(GZIP)) yield* gunzipped(all);
    else yield* all;
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
