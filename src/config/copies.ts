import { type Document, isMap, isNode, isScalar, type Node, type Pair, type YAMLMap } from "yaml";

/** A section of a zone, from behind the line of its key to the next line that is none of its own. */
interface Section {
  /** Offset of the key. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
}

/** One that is written as one before it is, with its key and the blanks before that. */
export interface Copy extends Section {
  readonly first: Section;
}

/**
 * Sections of zones that are written alike, as the lines of a file have it: what stands deeper than a key belongs to it.
 * That is only what it looks like. Whether it is so is for `withCopies` to see.
 */
export function copiesIn(text: string): readonly Copy[] {
  const firsts = new Map<string, Section>();
  const copies: Copy[] = [];
  for (const section of sectionsIn(text)) {
    const written = text.slice(text.lastIndexOf("\n", section.key) + 1, section.end);
    const first = firsts.get(written);
    if (first === undefined) firsts.set(written, section);
    else copies.push({ ...section, first });
  }
  return copies;
}

/** Without one that ends the text: the parser passes over what stands between two words. */
function* sectionsIn(text: string): Generator<Section> {
  const zones = ZONES.exec(text);
  if (zones === null) return;
  const [head = "", { length: zoneIndent } = ""] = zones;
  /** Of the sections of the zone; 0: none has been seen. */
  let sectionIndent = 0;
  let open: Omit<Section, "end"> | null = null;
  for (let start = zones.index + head.length - zoneIndent; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    const indent = indentAt(text, start);
    const line = meaningOf(text.charAt(start + indent), indent, zoneIndent, sectionIndent);
    if (line !== "inside") {
      if (open !== null) yield { ...open, end: start };
      open = line === "section" && isKeyAlone(text, end) ? { key: start + indent, start: end } : null;
    }
    if (line === "end") return;
    if (line === "zone") sectionIndent = 0;
    if (line === "section") sectionIndent = indent;
    start = end;
  }
}

/** What a line is: the key of a zone or of a section, something of a section, a comment outside of it, or behind all zones. */
type Meaning = "zone" | "section" | "inside" | "comment" | "end";

/** @param first what it begins with */
function meaningOf(first: string, indent: number, zoneIndent: number, sectionIndent: number): Meaning {
  if (first === "\n" || first === "\r" || first === "") return "inside";
  if (first === "#") return indent <= sectionIndent ? "comment" : "inside";
  if (indent < zoneIndent) return "end";
  if (indent === zoneIndent) return "zone";
  // The items of a list may stand right below its key.
  if (first === "-") return "inside";
  return sectionIndent === 0 || indent === sectionIndent ? "section" : "inside";
}

/** The key of the zones, and what the first of their names is indented by. */
const ZONES = /^zones:[ ]*(?:#[^\r\n]*)?\r?\n(?:[ ]*(?:#[^\r\n]*)?\r?\n)*([ ]+)(?=[^\s#-])/m;

function indentAt(text: string, start: number): number {
  let end = start;
  while (text.charCodeAt(end) === SPACE) end += 1;
  return end - start;
}

const SPACE = 0x20;

/** Whether nothing stands behind the colon at the end of a line. */
function isKeyAlone(text: string, end: number): boolean {
  return text.endsWith(":\n", end) || text.endsWith(":\r\n", end);
}

/** What is written once more in a text than a document that was read without it has it. */
export interface Copied {
  readonly value: Node;
  /** How much further down it stands. */
  readonly shift: number;
}

/** By the node of its key. */
export type CopiedValues = ReadonlyMap<unknown, Copied>;

export const NO_COPIES: CopiedValues = new Map();

/**
 * Puts into a document that was read without the copies what the first of each is. Null: what looked like sections of
 * zones are none.
 */
export function withCopies(doc: Document.Parsed, copies: readonly Copy[]): CopiedValues | null {
  const pairs = sectionsOf(doc);
  const sections = new Map(pairs.map((pair, index) => [startOf(pair.key), { pair, next: pairs[index + 1] }]));
  const copied = new Map<unknown, Copied>();
  for (const { key, start, first } of copies) {
    const own = sections.get(key)?.pair;
    const { pair, next } = sections.get(first.key) ?? {};
    const value = pair?.value;
    if (own === undefined || !isNothing(own.value) || !isNode(value) || !isWithin(value, first)) return null;
    // The section is all that stands there: whatever else did would be lost.
    if ((startOf(next?.key) ?? first.end) < first.end) return null;
    own.value = value;
    copied.set(own.key, { value, shift: start - first.start });
  }
  return copied;
}

type Entry = Pair<unknown, unknown>;

function sectionsOf({ contents }: Document.Parsed): readonly Entry[] {
  return entriesOf(contents)
    .filter(({ key }) => isScalar(key) && key.value === "zones")
    .flatMap(({ value }) => entriesOf(value))
    .flatMap(({ value }) => entriesOf(value));
}

/** Of a map without brackets: lines tell nothing of one with them. */
function entriesOf(node: unknown): readonly Entry[] {
  return isMap(node) && (node as YAMLMap).flow !== true ? (node as YAMLMap).items : [];
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function isNothing(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source === "";
}

function isWithin({ range }: Node, { start, end }: Section): boolean {
  return range != null && range[0] >= start && range[2] <= end;
}
