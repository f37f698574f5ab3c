import type { Type } from "../tables/types.js";
import type { Place } from "../tree.js";

/** A text and the position up to which it was read. */
export interface Reader {
  /** Up to where the whitespace after the expression begins. */
  readonly text: string;
  at: number;
  /** How many parentheses, negations and calls are open here. */
  depth: number;
  /** What the engine's own tree keeps of the spelling and ours does not, in the order of the text. */
  readonly spellings: Spelling[];
  /** Types of fields that the tables do not have. */
  readonly extra: { readonly [name: string]: string };
  /** What the service may have learnt since this version, in the order of the text. Null: it is refused. */
  readonly unknown: Refusal[] | null;
}

/** Bytes that were not written as text, a range of addresses, a list that `any` has without `(…)`. */
export type Spelling = "bytes" | "range" | "bare";

/** Thrown where the text stops being an expression, and caught in this folder. Not an Error: nobody reads its stack. */
export class Refusal {
  constructor(
    readonly why: RefusalReason,
    readonly place: Place,
  ) {}
}

export function readerOf(text: string, extra: Reader["extra"], unknown: Reader["unknown"]): Reader {
  const { start, end } = trimmed(text);
  return { text: text.slice(0, end), at: start, depth: 0, spellings: [], extra, unknown };
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
  why: RefusalReason,
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
  const unknown = reader.unknown?.length ?? 0;
  try {
    return read(reader);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    reader.at = at;
    reader.depth = depth;
    reader.spellings.length = spellings;
    reader.unknown?.splice(unknown);
    return refusal;
  }
}

/** Why the engine refuses an expression, with what the message needs besides the place in the text. */
export type RefusalReason =
  | { readonly code: "expected_name" }
  | { readonly code: "unknown_name"; readonly name: string }
  | { readonly code: "unknown_field"; readonly name: string }
  | { readonly code: "unknown_function"; readonly name: string }
  | { readonly code: "unknown_operand"; readonly operator: string }
  | { readonly code: "unknown_argument"; readonly name: string; readonly index: number }
  | { readonly code: "unknown_form"; readonly form: string }
  /** @property name what is left of a word of which the engine reads the beginning as an operator */
  | { readonly code: "glued_name"; readonly name: string }
  | { readonly code: "operand_type"; readonly left: Type; readonly right: Type }
  | { readonly code: "expected"; readonly sign: "(" | ")" | "]" | "{" | "," }
  | { readonly code: "expected_operator"; readonly type: Type }
  | { readonly code: "unsupported_operator"; readonly operator: string; readonly type: Type }
  | { readonly code: "left_over" }
  | { readonly code: "expected_value"; readonly type: Type | null }
  | { readonly code: "expected_string"; readonly operator: string }
  /** @property from where the string should have begun */
  | { readonly code: "invalid_bytes"; readonly from: number }
  | { readonly code: "invalid_escape"; readonly escape: string }
  | { readonly code: "unclosed_string" }
  /** @property bracket where the `[` stands that keeps the quote from ending the string */
  | { readonly code: "unclosed_class"; readonly bracket: number }
  | { readonly code: "unclosed_raw_prefix" }
  | { readonly code: "too_many_hashes" }
  | { readonly code: "expected_digit" }
  | { readonly code: "invalid_integer"; readonly digits: string; readonly radix: 8 | 10 | 16 }
  | { readonly code: "integer_out_of_range"; readonly digits: string }
  | { readonly code: "reversed_range" }
  | { readonly code: "expected_address" }
  | { readonly code: "invalid_address"; readonly address: string }
  | { readonly code: "invalid_prefix"; readonly prefix: string }
  | { readonly code: "prefix_too_long"; readonly most: number }
  | { readonly code: "host_bits"; readonly network: string }
  | { readonly code: "invalid_list_name"; readonly name: string }
  | { readonly code: "invalid_regex"; readonly detail: string }
  | { readonly code: "invalid_wildcard"; readonly detail: string }
  | { readonly code: "invalid_index" }
  | { readonly code: "index_too_large" }
  | { readonly code: "index_not_utf8" }
  | { readonly code: "unsupported_index"; readonly type: Type }
  | { readonly code: "expected_list"; readonly quantifier: "any" | "all"; readonly type: Type }
  | { readonly code: "mixed_operands"; readonly left: Type; readonly right: Type }
  | { readonly code: "not_boolean"; readonly type: Type }
  | { readonly code: "argument_count"; readonly name: string }
  | { readonly code: "argument_kind"; readonly name: string; readonly index: number }
  | {
      readonly code: "argument_type";
      readonly name: string;
      readonly index: number;
      readonly type: Type;
      readonly first: Type | null;
    }
  | { readonly code: "argument_value"; readonly name: string; readonly index: number }
  | { readonly code: "argument_each"; readonly name: string }
  | { readonly code: "too_deep" };

/** Around an expression all of Unicode's whitespace is ignored: where it begins and ends without that. */
export function trimmed(text: string): { readonly start: number; readonly end: number } {
  let end = text.length;
  while (end > 0 && isWhitespace(text.charAt(end - 1))) end -= 1;
  let start = 0;
  while (start < end && isWhitespace(text.charAt(start))) start += 1;
  return { start, end };
}

export function isWhitespace(character: string): boolean {
  return character < "\x80" ? /[\t-\r ]/.test(character) : /\p{White_Space}/u.test(character);
}

/** Where the whitespace ends that is allowed inside an expression. */
export function afterSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r") at += 1;
  return at;
}
