import type { Path } from "../model/item.js";
import { isList, isObject, type Json } from "../model/json.js";
import { lastIndexWhere } from "../model/last-index-where.js";
import type { Span } from "../model/problem.js";
import { type Range, redacted } from "./redact.js";

/** Converts an offset in a file's text to a place. */
export type PlaceOf = (offset: number, pointer: string) => Span;

/**
 * The line starts are computed on first use: most files have no problem.
 *
 * @param sensitive ranges that may not be shown, besides those that look like secrets
 */
export function placesIn(file: string, text: string, sensitive: () => readonly Range[] = () => []): PlaceOf {
  let starts: readonly number[] | null = null;
  let shown = "";
  return (offset, pointer) => {
    if (starts === null) shown = redacted(text, sensitive());
    starts ??= lineStarts(text);
    const index = lastIndexWhere(starts, (start) => start <= offset);
    const start = starts[index] ?? 0;
    const line = withoutEnd(shown.slice(start, starts[index + 1]));
    const column = Math.min(offset - start, line.length) + 1;
    return { file, line: index + 1, column, pointer, text: line };
  };
}

export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

/** The line without its line break. A regular expression would be slow on a file of one long line. */
function withoutEnd(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
}

/** A YAML scalar in a file. */
interface WrittenText {
  /** The source, with its quotes or block header. */
  readonly source: string;
  readonly style: "PLAIN" | "QUOTE_SINGLE" | "QUOTE_DOUBLE" | "BLOCK_LITERAL" | "BLOCK_FOLDED";
  /** The parsed text. */
  readonly value: string;
}

/**
 * Converts an offset in the value to an offset in the source: to the character, or to its escape. A blank made by
 * folding a line break maps to the end of the word before. Offsets are UTF-16 indices. A value of only blanks maps to
 * the start of its source.
 */
export function offsetInScalar({ source, style, value }: WrittenText): (offset: number) => number {
  if (!/[^ \t\n]/.test(value)) return () => 0;
  switch (style) {
    case "PLAIN":
      return inPieces(piecesOf(source, 0, PLAIN));
    case "QUOTE_SINGLE":
      return inPieces(piecesOf(source, 1, SINGLE_QUOTED));
    case "QUOTE_DOUBLE":
      return inPieces(piecesOf(source, 1, DOUBLE_QUOTED));
    case "BLOCK_LITERAL":
    case "BLOCK_FOLDED": {
      const offsets = blockOffsets(source, value);
      return (offset) => offsets[Math.min(offset, value.length)] ?? 0;
    }
  }
}

/** A part of the source and the matching part of the value. */
interface Piece {
  readonly sourceStart: number;
  readonly valueStart: number;
  /** Whether both parts match character by character. */
  readonly isVerbatim: boolean;
}

/** Blanks with line breaks; words; and in the group, escapes. */
const PLAIN = /(?:[ \t]|\r?\n)+|[^ \t\r\n]+/g;
const SINGLE_QUOTED = /(?:[ \t]|\r?\n)+|('')|[^ \t\r\n']+/g;
const DOUBLE_QUOTED = /(?:[ \t]|\r?\n)+|(\\\r?\n[ \t]*|\\(?:x.{2}|u.{4}|U.{8}|.))|[^ \t\r\n\\]+/gs;

function piecesOf(source: string, quoteChars: number, grammar: RegExp): readonly Piece[] {
  const pieces: Piece[] = [];
  let valueStart = 0;
  const inside = source.slice(quoteChars, source.length - quoteChars);
  for (const { 0: text, 1: escaped, index } of inside.matchAll(grammar)) {
    const chars = escaped === undefined ? foldedChars(text) : escapedChars(escaped);
    pieces.push({ sourceStart: index + quoteChars, valueStart, isVerbatim: chars === null });
    valueStart += chars ?? text.length;
  }
  return [...pieces, { sourceStart: source.length - quoteChars, valueStart, isVerbatim: false }];
}

/** The number of characters in the value for blanks with line breaks. Null: words, or blanks without a line break. */
function foldedChars(text: string): number | null {
  const breaks = text.split("\n").length - 1;
  // One line break is a space. Of several, the first only ends the line.
  return breaks === 0 ? null : Math.max(1, breaks - 1);
}

/** The number of characters in the value for an escape. An escaped line break has none. */
function escapedChars(text: string): number {
  if (/^\\\r?\n/.test(text)) return 0;
  return text.startsWith("\\U") && Number.parseInt(text.slice(2), 16) > 0xffff ? 2 : 1;
}

function inPieces(pieces: readonly Piece[]): (offset: number) => number {
  return (offset) => {
    const { sourceStart, valueStart, isVerbatim } =
      pieces[lastIndexWhere(pieces, (piece) => piece.valueStart <= offset)] ?? NOWHERE;
    return isVerbatim ? sourceStart + offset - valueStart : sourceStart;
  };
}

const NOWHERE: Piece = { sourceStart: 0, valueStart: 0, isVerbatim: false };

/**
 * A block only adds and removes blanks, so the other characters match in order. Blanks within a line match too. A line
 * of only blanks counts as the end of the line before.
 */
function blockOffsets(source: string, value: string): readonly number[] {
  const offsets: number[] = [];
  let next = source.indexOf("\n") + 1;
  let isAfterWord = false;
  for (const [index, char] of value.split("").entries()) {
    if (!isBlank(char)) {
      while (isBlank(source.charAt(next))) next += 1;
      for (let indent = index - 1; !isAfterWord && isIndent(value.charAt(indent)); indent -= 1)
        offsets[indent] = next - (index - indent);
    }
    offsets.push(next);
    if (char === "\n") isAfterWord = false;
    else if (!isBlank(char)) isAfterWord = true;
    if (isAfterWord) next += 1;
  }
  return [...offsets, next];
}

function isBlank(char: string): boolean {
  return char === "\n" || char === "\r" || isIndent(char);
}

function isIndent(char: string): boolean {
  return char === " " || char === "\t";
}

/** The value at a path. Undefined: not found. */
export function valueAt(root: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(childOf, root);
}

/** The item or member at a step of a path. Undefined: not found. */
export function childOf(value: Json | undefined, step: string | number): Json | undefined {
  if (isList(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** Converts a JSON pointer to a path of the value. */
export function pathAt(root: Json, pointer: string): Path {
  let value: Json | undefined = root;
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => {
      const step = isList(value) ? Number(part) : part;
      value = childOf(value, step);
      return step;
    });
}
