import { tableOf, WORD } from "./byte-set.js";
import type { Assertion } from "./tree.js";

/** Between two bytes; null is an end of the text. */
export interface Place {
  readonly before: number | null;
  readonly after: number | null;
}

export function holds(what: Assertion, { before, after }: Place): boolean {
  switch (what) {
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

/** A byte that all assertions see like this one. */
export function seenAs(byte: number): number {
  return isWord(byte) ? LETTER : byte === LF || byte === CR ? byte : SPACE;
}

const LETTER = 0x61;
const SPACE = 0x20;
