import { type ByteSet, tableOf, WORD } from "./byte-set.js";

/** A regular expression over bytes, without groups, laziness and flags, which do not change whether it matches. */
export type Regex =
  | { readonly as: "byte"; readonly of: ByteSet }
  | { readonly as: "sequence"; readonly items: readonly Regex[] }
  | { readonly as: "choice"; readonly items: readonly Regex[] }
  | { readonly as: "repeat"; readonly item: Regex; readonly min: number; readonly max: number | null }
  | { readonly as: "assert"; readonly assertion: Assertion }
  /** It needs Unicode tables, so its matches are unknown. */
  | { readonly as: "unknown" };

/** A place between two bytes. The halves look at one side only; `crlf` takes `\r\n` as one end of a line. */
export type Assertion =
  | "text_start"
  | "text_end"
  | "line_start"
  | "line_end"
  | "crlf_start"
  | "crlf_end"
  | "word_edge"
  | "no_word_edge"
  | "word_start"
  | "word_end"
  | "word_start_half"
  | "word_end_half";

/** The number of steps of a compiled regular expression. */
export function sizeOf(regex: Regex): number {
  switch (regex.as) {
    case "byte":
    case "assert":
    case "unknown":
      return 1;
    case "sequence":
      return sizeOfAll(regex.items);
    case "choice":
      return 1 + sizeOfAll(regex.items);
    case "repeat": {
      const size = sizeOf(regex.item);
      const optional = regex.max === null ? 1 : regex.max - regex.min;
      return regex.min * size + optional * (size + 1);
    }
  }
}

function sizeOfAll(items: readonly Regex[]): number {
  return items.reduce((sum, each) => sum + sizeOf(each), 0);
}

/** A place between two bytes. Null: an end of the text. */
export interface BytePlace {
  readonly before: number | null;
  readonly after: number | null;
}

export function holds(assertion: Assertion, { before, after }: BytePlace): boolean {
  switch (assertion) {
    case "text_start":
      return before === null;
    case "text_end":
      return after === null;
    case "line_start":
      return before === null || before === LF;
    case "line_end":
      return after === null || after === LF;
    case "crlf_start":
      return before === null || before === LF || (before === CR && after !== LF);
    case "crlf_end":
      return after === null || after === CR || (after === LF && before !== CR);
    case "word_edge":
      return isWord(before) !== isWord(after);
    case "no_word_edge":
      return isWord(before) === isWord(after);
    case "word_start":
      return !isWord(before) && isWord(after);
    case "word_end":
      return isWord(before) && !isWord(after);
    case "word_start_half":
      return !isWord(before);
    case "word_end_half":
      return !isWord(after);
  }
}

const LF = 0x0a;
const CR = 0x0d;
const WORDS = tableOf(WORD);

function isWord(byte: number | null): boolean {
  return byte !== null && WORDS[byte] === 1;
}

/** A byte that all assertions treat like this one. */
export function representative(byte: number): number {
  return isWord(byte) ? LETTER : byte === LF || byte === CR ? byte : SPACE;
}

const LETTER = 0x61;
const SPACE = 0x20;
