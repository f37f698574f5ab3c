import type { Type } from "../tables/types.js";
import type { TextRange } from "../tree.js";

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
  if (text.length > MOST_CHARS) throw new Refusal({ code: "too_long" }, { start: 0, end: text.length });
}

export const MOST_CHARS = 262_144;

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

/** Why the engine refuses an expression, with the facts for the message. */
export type RefusalReason =
  | { readonly code: "expected_name" }
  | { readonly code: "unknown_name"; readonly name: string }
  | { readonly code: "unknown_field"; readonly name: string }
  | { readonly code: "unknown_function"; readonly name: string }
  | { readonly code: "unknown_operand"; readonly operator: string }
  | { readonly code: "unknown_argument"; readonly name: string; readonly index: number }
  | { readonly code: "unknown_form"; readonly form: string }
  /** @property name the rest of a word that the engine begins to read as an operator */
  | { readonly code: "glued_name"; readonly name: string }
  | { readonly code: "operand_type"; readonly left: Type; readonly right: Type }
  | { readonly code: "expected"; readonly sign: "(" | ")" | "]" | "{" | "," }
  | { readonly code: "expected_operator"; readonly type: Type }
  | { readonly code: "unsupported_operator"; readonly operator: string; readonly type: Type }
  | { readonly code: "left_over" }
  | { readonly code: "expected_value"; readonly type: Type | null }
  | { readonly code: "expected_string"; readonly operator: string }
  /** @property from the start of the unquoted string */
  | { readonly code: "invalid_bytes"; readonly from: number }
  | { readonly code: "invalid_escape"; readonly escape: string }
  | { readonly code: "unclosed_string" }
  /** @property bracket the place of the `[` that keeps the quote from ending the string */
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
  | { readonly code: "too_deep" }
  | { readonly code: "too_long" };

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
