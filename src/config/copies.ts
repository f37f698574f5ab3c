import { type Document, isMap, isNode, isScalar, type Node, type Pair, type YAMLMap } from "yaml";

/** A section of a zone that is written as one before it is. It goes from behind the line of its key to the next one. */
export interface Copy {
  /** Offset of its key. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
  readonly first: Omit<Copy, "first">;
}

/**
 * Sections of zones that are written alike, as the lines of a file have it: what stands deeper than a key belongs to it.
 * That is only what it looks like. Whether it is so is for `withCopies` to see.
 */
export function copiesIn(text: string): readonly Copy[] {
  const zones = ZONES.exec(text);
  if (zones === null) return [];
  const [head = "", zoneIndent = ""] = zones;
  const copies: Copy[] = [];
  const firsts = new Map<string, Copy["first"]>();
  let open: { readonly key: number; readonly start: number } | null = null;
  let sectionIndent = 0;
  const close = (end: number) => {
    if (open === null) return;
    const section = text.slice(open.key, end);
    const first = firsts.get(section);
    if (first === undefined) firsts.set(section, { ...open, end });
    else copies.push({ ...open, end, first });
    open = null;
  };
  for (let start = zones.index + head.length - zoneIndent.length; start < text.length; ) {
    const end = text.indexOf("\n", start) + 1 || text.length;
    const indent = indentAt(text, start);
    const next = text.charAt(start + indent);
    if (next === "#") {
      if (indent <= sectionIndent) close(start);
    } else if (!/[\r\n]|^$/.test(next)) {
      if (indent < zoneIndent.length) break;
      if (indent === zoneIndent.length) {
        close(start);
        sectionIndent = 0;
      } else {
        if (sectionIndent === 0) sectionIndent = indent;
        // The items of a list may stand right below its key.
        if (indent === sectionIndent && next !== "-") {
          close(start);
          if (isKeyAlone(text, end)) open = { key: start + indent, start: end };
        }
      }
    }
    start = end;
  }
  return copies;
}

/** The key of the zones, and what the first of their names is indented by. */
const ZONES = /^zones:[ ]*(?:#[^\n]*)?\r?\n(?:[ ]*(?:#[^\n]*)?\r?\n)*([ ]+)(?=[^\s#-])/m;

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
  const sections = new Map(sectionsOf(doc).map((pair) => [startOf(pair.key), pair]));
  const copied = new Map<unknown, Copied>();
  for (const { key, start, first } of copies) {
    const own = sections.get(key);
    const value = sections.get(first.key)?.value;
    if (own === undefined || !isNothing(own.value) || !isNode(value) || !isWithin(value, first)) return null;
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

function entriesOf(node: unknown): readonly Entry[] {
  return isMap(node) ? (node as YAMLMap).items : [];
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function isNothing(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source === "";
}

function isWithin({ range }: Node, { start, end }: Omit<Copy, "first">): boolean {
  return range != null && range[0] >= start && range[2] <= end;
}
