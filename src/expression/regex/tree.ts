import type { ByteSet } from "./byte-set.js";

/** A regular expression over bytes, without what does not change whether it is found: groups, laziness, flags. */
export type Regex =
  | { readonly as: "byte"; readonly of: ByteSet }
  | { readonly as: "sequence"; readonly items: readonly Regex[] }
  | { readonly as: "choice"; readonly items: readonly Regex[] }
  | { readonly as: "repeat"; readonly item: Regex; readonly min: number; readonly max: number | null }
  | { readonly as: "assert"; readonly what: Assertion }
  /** What takes tables of Unicode: nothing is known of what it matches. */
  | { readonly as: "unknown" };

/** A place between two bytes. The halves look at one side alone; `crlf` takes `\r\n` as one end of a line. */
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
