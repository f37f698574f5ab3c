import type { TextRange } from "../tree.js";
import type { RefusalReason } from "./messages.js";

/** A text and the position of the reader in it. */
export interface Reader {
  /** Ends before the whitespace that follows the expression. */
  readonly text: string;
  at: number;
  /** The number of open parentheses, negations and calls. */
  depth: number;
  /** Spellings that the engine's own tree keeps and this one does not, in the order of the text. */
  readonly spellings: Spelling[];
  /** Types of fields that the tables lack. */
  readonly extra: { readonly [name: string]: string };
  /** Parts that the service may have learnt since this version, in the order of the text. Null: they are refused. */
  readonly unknown: Refusal[] | null;
}

/** Bytes that were not written as text, a range of addresses, a list in `any` without `(…)`. */
export type Spelling = "bytes" | "range" | "bare";

/** Thrown where the text stops being an expression, and caught in this folder. No Error: its stack is not needed. */
export class Refusal {
  constructor(
    readonly why: RefusalReason,
    readonly place: TextRange,
  ) {}
}

export function readerOf(text: string, extra: Reader["extra"], unknown: Reader["unknown"]): Reader {
  const { start, end } = trimmedRange(text);
  return { text: text.slice(0, end), at: start, depth: 0, spellings: [], extra, unknown };
}

export function skipSpace(reader: Reader): void {
  reader.at = afterSpace(reader.text, reader.at);
}

export function isEnd(reader: Reader): boolean {
  return reader.at === reader.text.length;
}

/** Reads a word if it is here, whatever follows: `notssl` is `not ssl` to the engine. */
export function readIf(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false;
  reader.at += word.length;
  return true;
}

export function expect(reader: Reader, sign: "(" | ")" | "]" | "{" | ","): void {
  if (!readIf(reader, sign)) refuse(reader, { code: "expected", sign });
}

export function refuse(
  reader: Reader,
  why: RefusalReason,
  start = reader.at,
  end = wordEnd(reader.text, start),
): never {
  throw new Refusal(why, { start, end });
}

/** The spaces and the word or sign after them. The engine refuses the whole rest, but a caret needs less. */
function wordEnd(text: string, start: number): number {
  const first = afterSpace(text, start);
  let end = first;
  while (end < text.length && /[\w.$-]/.test(text.charAt(end))) end += 1;
  return end === first ? Math.min(end + 1, text.length) : end;
}

/** The end of that many characters (not UTF-16 units). Null: the text has fewer. */
export function afterCharacters(text: string, start: number, count: number): number | null {
  let at = start;
  for (let index = 0; index < count; index += 1) {
    const code = text.codePointAt(at);
    if (code === undefined) return null;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Refuses a text whose checks and comparisons could take minutes. The service takes 4,096 characters. */
export function refuseLong({ text }: Reader): void {
  if (text.length > MOST_CHARS)
    throw new Refusal({ code: "too_long", most: MOST_CHARS }, { start: 0, end: text.length });
}

const MOST_CHARS = 262_144;

/** Opens a parenthesis, a negation or a call. */
export function deeper(reader: Reader, at: number): void {
  if (reader.depth >= MOST_DEPTH) refuse(reader, { code: "too_deep" }, at);
  reader.depth += 1;
}

/** The engine's default. The service's own setting is unknown. */
const MOST_DEPTH = 128;

/** The result, or the refusal with the reader back at its old place. */
export function attempt<T>(reader: Reader, parse: (reader: Reader) => T): T | Refusal {
  const { at, depth } = reader;
  const spellings = reader.spellings.length;
  const unknown = reader.unknown?.length ?? 0;
  try {
    return parse(reader);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    reader.at = at;
    reader.depth = depth;
    reader.spellings.length = spellings;
    reader.unknown?.splice(unknown);
    return refusal;
  }
}

/** The text without the whitespace around it. All of Unicode's whitespace is ignored there. */
export function trimmedRange(text: string): { readonly start: number; readonly end: number } {
  let end = text.length;
  while (end > 0 && isWhitespace(text.charAt(end - 1))) end -= 1;
  let start = 0;
  while (start < end && isWhitespace(text.charAt(start))) start += 1;
  return { start, end };
}

export function isWhitespace(character: string): boolean {
  return character < "\x80" ? /[\t-\r ]/.test(character) : /\p{White_Space}/u.test(character);
}

/** The end of the whitespace that is allowed inside an expression. */
export function afterSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r") at += 1;
  return at;
}
