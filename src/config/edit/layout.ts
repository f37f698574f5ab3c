import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import type { Splice } from "./splice.js";

export type MapNode = YAMLMap<Node, Node | null>;
export type ListNode = YAMLSeq<Node>;

/** The text of a file, for looking at lines. */
export interface Page {
  readonly text: string;
  /** How its lines end. */
  readonly eol: string;
}

export function pageOf(text: string): Page {
  return { text, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** Where a value ends, without the comments and blanks behind it. */
export function endOf(node: Node | null): number {
  if (node === null) return 0;
  const end = node.range?.[1] ?? 0;
  if (isAlias(node) || isScalar(node)) return end;
  if (isMap<Node, Node | null>(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return last === undefined ? end : endOfPair(last);
  }
  if (isSeq<Node>(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return last === undefined ? end : endOf(last);
  }
  return end;
}

export function endOfPair({ key, value }: Pair<Node, Node | null>): number {
  return Math.max(endOf(key), endOf(value));
}

export function lineStart({ text }: Page, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Behind the line end of the line in which something ends. */
export function lineEnd({ text }: Page, end: number): number {
  const found = text.indexOf("\n", Math.max(0, end - 1));
  return found === -1 ? text.length : found + 1;
}

/** The dash of an item of a block list. */
export function dashOf({ text }: Page, item: Node): number {
  return text.lastIndexOf("-", startOf(item) - 1);
}

/**
 * The whole lines of something from its first character up to its end, with the comments right above it.
 *
 * @param after where what stands before it ends: no line is taken from there
 */
export function linesOf(page: Page, start: number, end: number, after: number): Splice | null {
  let from = lineStart(page, start);
  if (page.text.slice(from, start).trim() !== "") return null;
  const least = lineEnd(page, after);
  while (from > least) {
    const above = lineStart(page, from - 1);
    if (above < least || !/^[ \t]*#/.test(page.text.slice(above, from))) break;
    from = above;
  }
  return { start: from, end: lineEnd(page, end), text: "" };
}

/** A text right behind the colon of a key. */
export function behindColon({ text }: Page, keyEnd: number, added: string): Splice {
  const at = text.indexOf(":", keyEnd) + 1;
  return { start: at, end: at, text: added };
}

/** Lines behind the line in which something ends. */
export function insertedAfter(page: Page, end: number, lines: readonly string[]): Splice {
  const at = lineEnd(page, end);
  const isLast = at > 0 && page.text[at - 1] !== "\n";
  const text = lines.map((line) => (isLast ? page.eol + line : line + page.eol)).join("");
  return { start: at, end: at, text };
}

/** The blanks before the column of an offset. */
export function indentAt(page: Page, offset: number): string {
  return " ".repeat(offset - lineStart(page, offset));
}
