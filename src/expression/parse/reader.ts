import type { Place } from "../tree.js";
import type { Refused } from "./refusal.js";
import { afterSpace, trimmed } from "./whitespace.js";

/** A text and how far it was read. */
export interface Reader {
  /** Up to where the whitespace after the expression begins. */
  readonly text: string;
  at: number;
  /** How many parentheses, negations and calls are open here. */
  depth: number;
  /** What the engine's own tree keeps of the spelling and ours does not, in the order of the text. */
  readonly spellings: Spelling[];
}

/** Bytes that were not written as text, a range of addresses, a list that `any` has without `(…)`. */
export type Spelling = "bytes" | "range" | "bare";

/** Thrown where an expression is no longer one, and caught in this folder: no Error, as nobody reads its stack. */
export class Refusal {
  constructor(
    readonly why: Refused,
    readonly place: Place,
  ) {}
}

export function readerOf(text: string): Reader {
  const { start, end } = trimmed(text);
  return { text: text.slice(0, end), at: start, depth: 0, spellings: [] };
}

export function skipSpace(reader: Reader): void {
  reader.at = afterSpace(reader.text, reader.at);
}

export function isEnd(reader: Reader): boolean {
  return reader.at === reader.text.length;
}

/** Reads a word if it stands here, whatever follows it: `notssl` is `not ssl` to the engine. */
export function readIf(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false;
  reader.at += word.length;
  return true;
}

export function expect(reader: Reader, sign: "(" | ")" | "]" | "{" | ","): void {
  if (!readIf(reader, sign)) refuse(reader, { code: "expected", sign });
}

/** Refuses what stands here. */
export function refuse(
  reader: Reader,
  why: Refused,
  start = reader.at,
  end = wordEnd(reader.text, start),
): never {
  throw new Refusal(why, { start, end });
}

/** Spaces and the word or sign after them: where the engine refuses all of the rest, a caret needs less. */
function wordEnd(text: string, start: number): number {
  const first = afterSpace(text, start);
  let end = first;
  while (end < text.length && /[\w.$-]/.test(text.charAt(end))) end += 1;
  return end === first ? Math.min(end + 1, text.length) : end;
}

/** Where so many characters (not UTF-16 units) end, or null if the text has fewer. */
export function afterCharacters(text: string, start: number, count: number): number | null {
  let at = start;
  for (let read = 0; read < count; read += 1) {
    const code = text.codePointAt(at);
    if (code === undefined) return null;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Opens a parenthesis, a negation or a call. */
export function deeper(reader: Reader, at: number): void {
  if (reader.depth >= MOST_DEPTH) refuse(reader, { code: "too_deep" }, at);
  reader.depth += 1;
}

/** The engine's default; what the service has set is not known. */
const MOST_DEPTH = 128;

/** What is read, or why it cannot be, and the reader where it was. */
export function attempt<T>(reader: Reader, read: (reader: Reader) => T): T | Refusal {
  const { at, depth } = reader;
  const spellings = reader.spellings.length;
  try {
    return read(reader);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    reader.at = at;
    reader.depth = depth;
    reader.spellings.length = spellings;
    return refusal;
  }
}
