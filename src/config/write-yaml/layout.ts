import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Path } from "../../model/item.js";

export type MapNode = YAMLMap<Node, Node | null>;
export type ListNode = YAMLSeq<Node>;

/** The text of a file. */
export interface Page {
  readonly text: string;
  /** The line ending. */
  readonly eol: string;
}

export function pageOf(text: string): Page {
  return { text, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

export function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** The end of a value, without the comments and blanks behind it. */
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

function lineStart({ text }: Page, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The offset behind the line in which a value ends. */
function lineEnd({ text }: Page, end: number): number {
  const newline = text.indexOf("\n", Math.max(0, end - 1));
  return newline === -1 ? text.length : newline + 1;
}

export function dashOf({ text }: Page, item: Node): number {
  return text.lastIndexOf("-", startOf(item) - 1);
}

/**
 * The lines from `start` to `end`, with the comments above. Null: there is other text before `start` on its line.
 *
 * @param after the end of the text before: none of its lines are taken
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

/**
 * The lines below a key, to the end of its value. Null: a part of the value, or a tag or anchor, stands on the key's
 * own line.
 *
 * @param after where the key ends
 */
export function linesBelow(page: Page, after: number, end: number): Splice | null {
  const start = lineEnd(page, after);
  const isAlone = /^\s*:\s*(#.*)?$/.test(page.text.slice(after, start).trimEnd());
  return isAlone && start < end ? { start, end: lineEnd(page, end), text: "" } : null;
}

/** Inserts a text right behind the colon of a key. */
export function behindColon({ text }: Page, keyEnd: number, added: string): Splice {
  const at = text.indexOf(":", keyEnd) + 1;
  return { start: at, end: at, text: added };
}

/** Inserts lines behind the last item of a collection. */
export function insertedAfter(page: Page, collection: ListNode | MapNode, lines: readonly string[]): Splice {
  const at = lineEnd(page, endOf(collection));
  const isLast = at > 0 && page.text[at - 1] !== "\n";
  const text = lines.map((line) => (isLast ? page.eol + line : line + page.eol)).join("");
  return { start: at, end: at, text, of: startOf(collection) };
}

/** Inserts lines in front of the line that starts at `at`. */
export function insertedAt(
  { eol }: Page,
  collection: ListNode | MapNode,
  at: number,
  lines: readonly string[],
): Splice {
  return { start: at, end: at, text: lines.map((line) => line + eol).join(""), of: startOf(collection) };
}

/** As many blanks as stand before an offset. */
export function indentAt(page: Page, offset: number): string {
  return " ".repeat(offset - lineStart(page, offset));
}

/** Replaces a part of a text. The rest stays byte for byte. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The start of the collection that gets an insertion. At one place, the insertions of the inner collection come first. */
  readonly of?: number;
  /** A part of the text that moves here, behind `text`. */
  readonly carries?: Carried;
}

/** A part of the text that moves, with the edits in it. */
export interface Carried {
  readonly start: number;
  readonly end: number;
  /** The start of its value. Comments may stand above the value. */
  readonly value: number;
  /** The text to cut at the old place: the part and its separators. */
  readonly cut: Splice;
}

/** Applies all splices. Null: two of them overlap. */
export function spliced(text: string, splices: readonly Splice[]): string | null {
  const carried = splices.flatMap(({ carries }) => carries ?? []);
  const staying = splices.filter((splice) => !carried.some((part) => isInside(splice, part)));
  const whole: (Splice | null)[] = staying.map((splice) => {
    const { carries } = splice;
    if (carries === undefined) return splice;
    const inside = splices.filter((splice) => isInside(splice, carries));
    const moved = replaced(text, inside, carries);
    return moved === null ? null : { ...splice, text: splice.text + moved };
  });
  const complete = whole.filter((each) => each !== null);
  const isWhole = complete.length === whole.length;
  const all = [...complete, ...carried.map(({ cut }) => cut)];
  return isWhole ? replaced(text, all, { start: 0, end: text.length }) : null;
}

function isInside({ start, end, of = start, carries }: Splice, part: Carried): boolean {
  if (carries !== undefined || start < part.start || end > part.end) return false;
  return start < end || of >= part.value;
}

function replaced(
  text: string,
  splices: readonly Splice[],
  part: { readonly start: number; readonly end: number },
): string | null {
  const inOrder = splices.toSorted(
    (a, b) => a.start - b.start || a.end - b.end || (b.of ?? b.start) - (a.of ?? a.start),
  );
  const parts: string[] = [];
  let done = part.start;
  for (const { start, end, text: instead } of inOrder) {
    if (start < done) return null;
    parts.push(text.slice(done, start), instead);
    done = end;
  }
  parts.push(text.slice(done, part.end));
  return parts.join("");
}

/** An item of a flow list, or a pair of a flow map. */
interface Part {
  readonly start: number;
  readonly end: number;
}

/** The last part that is not removed. Null: all are. */
export function lastLeft(parts: readonly Part[], removed: readonly number[]): Part | null {
  return parts.findLast((_, index) => !removed.includes(index)) ?? null;
}

/**
 * Removes a part of a flow collection, with its comma. At least one part stays. A part on a line of its own goes with
 * the line.
 *
 * @param removed the indices of all removed parts
 */
export function flowRemoval(
  page: Page,
  parts: readonly Part[],
  index: number,
  removed: readonly number[],
): Splice | null {
  const firstLeft = parts.findIndex((_, partIndex) => !removed.includes(partIndex));
  const part = parts[index];
  const neighbour = index < firstLeft ? parts[index + 1] : parts[index - 1];
  if (part === undefined || neighbour === undefined) return null;
  const rest = page.text.slice(part.end, lineEnd(page, part.end));
  const lines = /^\s*,?\s*(#.*)?\s*$/.test(rest)
    ? linesOf(page, part.start, part.end, index < firstLeft ? lineStart(page, part.start) : neighbour.end)
    : null;
  if (lines !== null) return lines;
  return index < firstLeft
    ? { start: part.start, end: neighbour.start, text: "" }
    : { start: neighbour.end, end: part.end, text: "" };
}

/** A node in a document, with its surroundings. */
interface NodePlace {
  /** Null: the value is empty. */
  readonly node: Node | null;
  readonly parent: Node | null;
  /** Its index in the parent. */
  readonly index: number;
  /** The end of its key. 0 in a list. */
  readonly after: number;
  /** The end of the parent's key. */
  readonly above: number;
}

/**
 * What an edit does to a node: add to it, remove it, or replace it. A node that is shared by an anchor would change in
 * other places too.
 */
export type Touch = "add" | "remove" | "replace";

/** The node at a path. Null: not found, or shared in a way that the edit must not touch. */
export function find(doc: Document.Parsed, path: Path, touch: Touch): NodePlace | null {
  const shared = anchorsInUse(doc);
  let place: NodePlace = { node: doc.contents, parent: null, index: 0, after: 0, above: 0 };
  for (const [depth, step] of path.entries()) {
    const next: NodePlace | null = below(place, step);
    const isGoing = touch === "remove" && depth === path.length - 1;
    if (next === null || (isAlias(next.node) && !isGoing) || isAnchored(next.node, shared)) return null;
    place = next;
  }
  return touch !== "add" && holdsShared(place.node, shared, touch) ? null : place;
}

function below({ node, after: above }: NodePlace, step: string | number): NodePlace | null {
  if (isMap<Node, Node | null>(node)) {
    const index = node.items.findIndex(({ key }) => isScalar(key) && key.value === String(step));
    const pair = node.items[index];
    if (pair === undefined) return null;
    return { node: pair.value, parent: node, index, after: pair.key.range?.[1] ?? 0, above };
  }
  if (!isSeq<Node>(node)) return null;
  const item = node.items[Number(step)];
  return item === undefined ? null : { node: item, parent: node, index: Number(step), after: 0, above };
}

function anchorsInUse(doc: Document.Parsed): ReadonlySet<string> {
  const names = new Set<string>();
  visit(doc, { Alias: (_, { source }) => void names.add(source) });
  return names;
}

function isAnchored(node: Node | null, shared: ReadonlySet<string>): boolean {
  return node !== null && "anchor" in node && typeof node.anchor === "string" && shared.has(node.anchor);
}

/** Whether a part of a node is shared by an anchor. An alias in it only counts for `replace`, which would lose it. */
function holdsShared(node: Node | null, shared: ReadonlySet<string>, touch: Exclude<Touch, "add">): boolean {
  if (node === null) return false;
  let holds = false;
  visit(node, {
    Node(_, inner) {
      if (isAnchored(inner, shared) || (touch === "replace" && isAlias(inner))) holds = true;
    },
  });
  return holds;
}
