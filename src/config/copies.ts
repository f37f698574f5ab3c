import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
} from "yaml";
import { lastIndexWhere } from "../model/last-index-where.js";

/**
 * What stands behind the colon of a zone or a template in which no section has lines of its own, behind that of a section of any
 * other, or behind the dash of an item of a section, up to the end of its last line. In offsets, as everything here.
 */
interface Part {
  readonly as: "zone" | "section" | "item";
  readonly start: number;
  readonly end: number;
  /** What may differ in another one that is alike, in order. Of sections nothing may. */
  readonly words: readonly Word[];
}

/** A text on one line that is nothing but itself, whatever stands beside it: without its quotes, where it has any. */
interface Word {
  readonly start: number;
  readonly end: number;
}

/** One that is written as one before it, but for words. */
export interface Copy extends Part {
  readonly first: Part;
}

/**
 * Parts that are written alike, as the lines of a file have it: what stands deeper than a key or a dash belongs to it.
 * That is only what it looks like. Whether it is so is for `withCopies` to see.
 *
 * @param text without control characters
 */
export function copiesIn(text: string): readonly Copy[] {
  const firsts = new Map<string, Part>();
  const copies: Copy[] = [];
  /** Notes it either way. */
  const isCopy = (written: string, part: Part): boolean => {
    const first = firsts.get(written);
    if (first === undefined) firsts.set(written, part);
    else copies.push({ ...part, first });
    return first !== undefined;
  };
  for (const { as, key, start, end } of blocksIn(text)) {
    if (as === "zone") {
      if (end === text.length) break;
      const words = wordsIn(text, start, end);
      isCopy(shapeOf(text, start, end, words), { as, start, end, words });
      continue;
    }
    const whole = text.slice(lineStart(text, key), end);
    if (end < text.length && isCopy(whole, { as: "section", start, end, words: [] })) continue;
    for (const item of itemsIn(text, start, end)) {
      // The parser passes over what stands between two words.
      if (item.end === text.length) break;
      const words = wordsIn(text, item.dash, item.end);
      const shape = shapeOf(text, lineStart(text, item.dash), item.end, words);
      isCopy(shape, { as: "item", start: item.dash + 1, end: item.end, words });
    }
  }
  return copies;
}

/** A zone, or a section of one, on lines of its own. */
interface Block {
  readonly as: "zone" | "section";
  /** Its key. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

function* blocksIn(text: string): Generator<Block> {
  for (const { 0: head, 1: indent = "", index } of text.matchAll(ZONES))
    yield* blocksOfZones(text, index + head.length - indent.length, indent.length);
}

/** A zone is one block, until a section with lines of its own is met in it: then that is one, and each such section after it. */
function* blocksOfZones(text: string, firstLine: number, zoneIndent: number): Generator<Block> {
  /** Of the sections of the zone; 0: none has been seen. */
  let sectionIndent = 0;
  let open: Omit<Block, "end"> | null = null;
  for (let start = firstLine; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    const indent = indentAt(text, start);
    const openIndent = open?.as === "zone" ? zoneIndent : sectionIndent;
    const line = meaningOf(text.charAt(start + indent), indent, { zoneIndent, sectionIndent, openIndent });
    const isAlone = isKeyAlone(text, end);
    const isOfZone = line === "section" && open?.as === "zone";
    const goesOn = line === "inside" || (isOfZone && !isAlone);
    if (!goesOn) {
      if (open !== null && !isOfZone && start > open.start + 2)
        yield { ...open, end: beforeLineEnd(text, start) };
      const isKey = line === "zone" || line === "section";
      open = isKey && isAlone ? { as: line, key: start + indent, start: beforeLineEnd(text, end) } : null;
    }
    if (line === "end") return;
    if (line === "zone") sectionIndent = 0;
    if (line === "section") sectionIndent = indent;
    start = end;
  }
  if (open !== null) yield { ...open, end: text.length };
}

/** What a line is: the key of a zone or of a section, something of a section, a comment outside of it, or behind all zones. */
type Meaning = "zone" | "section" | "inside" | "comment" | "end";

interface Indents {
  readonly zoneIndent: number;
  readonly sectionIndent: number;
  /** Of the key of what is gone through. */
  readonly openIndent: number;
}

/** @param first what it begins with */
function meaningOf(
  first: string,
  indent: number,
  { zoneIndent, sectionIndent, openIndent }: Indents,
): Meaning {
  if (first === "\n" || first === "\r" || first === "") return "inside";
  if (first === "#") return indent <= openIndent ? "comment" : "inside";
  if (indent < zoneIndent) return "end";
  if (indent === zoneIndent) return "zone";
  // The items of a list may stand right below its key.
  if (first === "-") return "inside";
  return sectionIndent === 0 || indent === sectionIndent ? "section" : "inside";
}

/** The key of the zones, or of templates, and what the first of their names is indented by. */
const ZONES = /^(?:zones|templates):[ ]*(?:#[^\r\n]*)?\r?\n(?:[ ]*(?:#[^\r\n]*)?\r?\n)*([ ]+)(?=[^\s#-])/gm;

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset) + 1;
}

function indentAt(text: string, start: number): number {
  let end = start;
  while (text.charCodeAt(end) === SPACE) end += 1;
  return end - start;
}

const SPACE = 0x20;

/** Whether nothing stands behind the colon at the end of a line. */
function isKeyAlone(text: string, end: number): boolean {
  return text.charAt(beforeLineEnd(text, end) - 1) === ":";
}

/** @param end where the next line begins */
function beforeLineEnd(text: string, end: number): number {
  return end - (text.charAt(end - 2) === "\r" ? 2 : 1);
}

interface ListItem {
  readonly dash: number;
  readonly end: number;
}

/** Of a section that is a list without brackets; none of any other. */
function itemsIn(text: string, start: number, end: number): readonly ListItem[] {
  const dashes: number[] = [];
  let column: number | null = null;
  for (let line = text.indexOf("\n", start) + 1; line < end; line = text.indexOf("\n", line) + 1 || end) {
    const indent = indentAt(text, line);
    const first = text.charAt(line + indent);
    if (first === "#" || first === "\n" || first === "\r") continue;
    if (column !== null && indent > column) continue;
    column ??= indent;
    if (indent !== column || first !== "-" || text.charAt(line + indent + 1) !== " ") return [];
    dashes.push(line + indent);
  }
  return dashes.map((dash, index) => {
    const next = dashes[index + 1];
    return { dash, end: next === undefined ? end : beforeLineEnd(text, next - (column ?? 0)) };
  });
}

/** A part without its words: what two of them have in common that are alike. */
function shapeOf(text: string, start: number, end: number, words: readonly Word[]): string {
  const starts = [start, ...words.map((word) => word.end)];
  return starts.map((from, index) => text.slice(from, words[index]?.start ?? end)).join("\0");
}

function wordsIn(text: string, start: number, end: number): readonly Word[] {
  // In a block (|) all is one text.
  if (BLOCK.test(text.slice(start, end))) return [];
  const words: Word[] = [];
  for (let line = start; line < end; ) {
    const next = text.indexOf("\n", line) + 1 || end;
    const written = text.slice(line, Math.min(next, end)).trimEnd();
    for (const word of wordsOfLine(written)) words.push({ start: line + word.start, end: line + word.end });
    line = next;
  }
  return words;
}

const BLOCK = /[|>][-+\d]*[ ]*(?:#.*)?\r?$/m;

/** Those that a line seems to have. Where something is not clear, there is none. */
function wordsOfLine(line: string): readonly Word[] {
  const [{ length: start } = ""] = LAYOUT.exec(line) ?? [];
  const rest = line.slice(start);
  if (PLAIN.test(rest)) {
    // Of a list in brackets, an item on each line.
    const end = rest.endsWith(",") ? line.length - 1 : line.length;
    return isText(line.slice(start, end)) ? [{ start, end }] : [];
  }
  if (!/^[[{"']/.test(rest) || rest.includes("#")) return [];
  return [...rest.matchAll(WORD)].flatMap(({ 0: found, 1: colon, 2: plain, index }) => {
    const from = start + index;
    const end = from + found.length;
    if (plain !== undefined)
      return COMMA.test(line.slice(end)) && isText(plain) ? [{ start: from, end }] : [];
    return colon === undefined ? [{ start: from + 1, end: end - 1 }] : [];
  });
}

/** Indentation, dashes, a key. */
const LAYOUT = /^ *(?:- +)*(?:[\w.-]+: +)?/;

/** Without quotes up to the end of its line. Nothing in it is a mark of YAML's, or a reference. */
const PLAIN = /^[A-Za-z/](?:[!-"%-9;-~]|:(?=[!-"%-~])| (?=[!-"%-~]))*$/;

/** In quotes, a key too, without an escape; or without, between brackets. */
const WORD =
  /(?:"[^"\\$]*"|'[^'$]*')( *:)?|(?<=[[{, ])([A-Za-z/](?:[!%&(-+.-9;-Z^-z|~-]|:(?=[!%-+.-Z^-z|~])| (?=[!%-+.-9;-Z^-z|~]))*)/g;

/** The comma behind an item between brackets, or the bracket behind the last one. */
const COMMA = /^ *[,\]}]/;

/** No other word without quotes that begins with a letter means something else. */
function isText(word: string): boolean {
  return !/^(?:null|true|false)$/i.test(word);
}

/** What is written once more in a text than a document that was read without it has it. */
export interface Copied {
  readonly as: Part["as"];
  /** Of the first. */
  readonly value: Node;
  /** What those scalars say that say something else than in the first. */
  readonly words: ReadonlyMap<unknown, string>;
  /** Where in it what the first has at an offset stands. */
  readonly place: Place;
}

/** From an offset in what was read to that in the text. */
export type Place = (offset: number) => number;

export const HERE: Place = (offset) => offset;

/** By the node that stands for it: an empty one. */
export type CopiedValues = ReadonlyMap<unknown, Copied>;

export const NO_COPIES: CopiedValues = new Map();

/**
 * What the copies are that a document was read without. Null: what looked like zones, their sections, items and words is
 * something else.
 */
export function withCopies(doc: Document.Parsed, text: string, copies: readonly Copy[]): CopiedValues | null {
  const zone = zonesOf(doc).filter(isPlaced);
  const section = zone.flatMap((node) => entriesOf(node).map(({ value }) => value)).filter(isPlaced);
  const item = section
    .flatMap((node) => (isSeq(node) && node.flow !== true ? node.items : []))
    .filter(isPlaced);
  const nodes = { zone, section, item };
  const firsts = new Map<Part, First>();
  const copied = new Map<unknown, Copied>();
  for (const copy of copies) {
    const own = nodes[copy.as][indexIn(nodes[copy.as], copy)];
    if (!isNothing(own) || own?.range[0] !== copy.end) return null;
    const first = firsts.get(copy.first) ?? firstOf(nodes[copy.as], copy.first, text);
    if (first === null) return null;
    firsts.set(copy.first, first);
    const words = wordsOf(copy, first, text);
    if (words === null) return null;
    copied.set(own, { as: copy.as, value: first.value, words, place: placeIn(copy) });
  }
  return copied;
}

/**
 * A node, or what it stands for, with its places.
 *
 * @param place of the node
 */
export function unfolded<T>(
  node: T | Node | null,
  copied: CopiedValues,
  place: Place,
): { readonly node: T | Node | null; readonly copy: Copied | null; readonly place: Place } {
  const copy = copied.get(node) ?? null;
  if (copy === null) return { node, copy, place };
  return { node: copy.value, copy, place: (offset) => place(copy.place(offset)) };
}

/** What zones and templates have, in order. */
function zonesOf({ contents }: Document.Parsed): readonly unknown[] {
  return entriesOf(contents)
    .filter(({ key }) => isScalar(key) && (key.value === "zones" || key.value === "templates"))
    .flatMap(({ value }) => entriesOf(value).map((entry) => entry.value));
}

/** Of a map without brackets: lines tell nothing of one with them. */
function entriesOf(node: unknown): readonly { readonly key: unknown; readonly value: unknown }[] {
  return isMap(node) && node.flow !== true ? node.items : [];
}

interface First {
  readonly value: Node;
  /** Its texts that are no keys, by where they begin. */
  readonly texts: ReadonlyMap<number, Text>;
}

interface Text {
  readonly scalar: Scalar;
  /** Between brackets, where commas and brackets end what stands without quotes. */
  readonly isInBrackets: boolean;
}

function firstOf(nodes: readonly Placed[], part: Part, text: string): First | null {
  const index = indexIn(nodes, part);
  const value = nodes[index];
  // The last of its lines is its own.
  if (value === undefined || value.range[1] > text.indexOf("\n", part.end) + 1) return null;
  // The part is all that stands there: whatever else did would be lost.
  const next = nodes[index + 1]?.range[0] ?? part.end;
  return next < part.end ? null : { value, texts: textsIn(value) };
}

function textsIn(value: Node): ReadonlyMap<number, Text> {
  const texts = new Map<number, Text>();
  visit(value, {
    Scalar(position, scalar, path) {
      const isInBrackets = path.some((each) => isCollection(each) && each.flow === true);
      if (position !== "key" && typeof scalar.value === "string" && isPlaced(scalar))
        texts.set(scalar.range[0], { scalar, isInBrackets });
    },
  });
  return texts;
}

const SAME: ReadonlyMap<Scalar, string> = new Map();

/** Null: what differs is not what it looked like. */
function wordsOf(
  { words, first: { words: firsts } }: Copy,
  { texts }: First,
  text: string,
): ReadonlyMap<Scalar, string> | null {
  if (words.length === 0) return SAME;
  const others = new Map<Scalar, string>();
  for (const [index, { start, end }] of words.entries()) {
    const before = firsts[index];
    const said = text.slice(start, end);
    if (before === undefined) return null;
    if (said === text.slice(before.start, before.end)) continue;
    const found = scalarAt(before, texts);
    if (found === null) return null;
    const { scalar, isInBrackets } = found;
    if (isInBrackets && quotes(scalar) === 0 && BRACKETS.test(said)) return null;
    others.set(scalar, said);
  }
  return others;
}

const BRACKETS = /[,[\]{}]/;

/** The text that is this word and nothing else. */
function scalarAt({ start, end }: Word, texts: ReadonlyMap<number, Text>): Text | null {
  const plain = texts.get(start);
  if (plain?.scalar.type === "PLAIN" && plain.scalar.range?.[1] === end) return plain;
  const quoted = texts.get(start - 1);
  if (quoted === undefined || quotes(quoted.scalar) === 0) return null;
  return quoted.scalar.range?.[1] === end + 1 ? quoted : null;
}

/** How many characters stand before what a scalar on one line says. */
export function quotes({ type }: Scalar): 0 | 1 {
  return type === "QUOTE_DOUBLE" || type === "QUOTE_SINGLE" ? 1 : 0;
}

function placeIn({ start, end, words, first }: Copy): Place {
  // Behind the last word with which they begin, both go on alike.
  const pieces = [...words.keys()].flatMap((index) => {
    const [own, before] = [words[index], first.words[index]];
    return own === undefined || before === undefined ? [] : [{ own, before }];
  });
  return (offset) => {
    if (offset >= first.end) return end + offset - first.end;
    const { own, before } = pieces[lastIndexWhere(pieces, (each) => each.before.start <= offset)] ?? {
      own: { start, end: start },
      before: { start: first.start, end: first.start },
    };
    if (offset < before.start) return start + offset - first.start;
    if (offset < before.end) return Math.min(own.start + offset - before.start, own.end);
    return own.end + offset - before.end;
  };
}

/** Of the first of these nodes that begins behind the start of a part. */
function indexIn(nodes: readonly Placed[], { start }: Part): number {
  const index = lastIndexWhere(nodes, ({ range }) => range[0] < start);
  return (nodes[index]?.range[0] ?? start) < start ? index + 1 : index;
}

type Placed = Node & { readonly range: NonNullable<Node["range"]> };

function isPlaced(node: unknown): node is Placed {
  return isNode(node) && node.range != null;
}

function isNothing(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source === "";
}
