import { Document, isScalar, isSeq, type Node, parseDocument, Scalar, visit } from "yaml";
import { INVISIBLE, RUNNER_MARK, STRAY_MARK } from "../../model/invisible-characters.js";
import { isList, isObject, type Json, partsOf } from "../../model/json.js";
import { behindColon, endOf, linesBelow, type Page, type Splice, startOf } from "./layout.js";

/** Where a value will stand. Between brackets (`flow`), more characters need quotes. */
type Surroundings = "block" | "flow";

/** A value on one line, with the quotes of the text `like` where they fit. */
export function valueText(value: Json, where: Surroundings, like: Scalar | null = null): string {
  if (isList(value)) return `[${value.map((item) => valueText(item, "flow")).join(", ")}]`;
  if (isObject(value)) {
    const pairs = Object.entries(value).map(
      ([key, item]) => `${keyText(key, "flow")}: ${valueText(item, "flow")}`,
    );
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return typeof value === "string" ? textText(value, where, like) : String(value);
}

export function keyText(key: string, where: Surroundings): string {
  return !isOdd(key) && isPlain(key, where) ? key : quoted(key);
}

function textText(text: string, where: Surroundings, like: Scalar | null): string {
  if (isOdd(text)) return quoted(text);
  const single = `'${text.replaceAll("'", "''")}'`;
  if (like?.type === Scalar.QUOTE_SINGLE) return single;
  if (like?.type === Scalar.QUOTE_DOUBLE) return quoted(text);
  if (isPlain(text, where)) return text;
  return text.includes('"') ? single : quoted(text);
}

/** Whether a text means itself without quotes. */
function isPlain(text: string, where: Surroundings): boolean {
  const doc = parseDocument(where === "flow" ? `[${text}]` : `- ${text}\n`, { version: "1.2" });
  const [item, nextItem] = isSeq(doc.contents) ? doc.contents.items : [];
  const isClean = doc.errors.length + doc.warnings.length === 0 && !doc.comment && !doc.contents?.comment;
  return isClean && nextItem === undefined && isScalar(item) && item.value === text && isBare(item);
}

function isBare({ type, anchor, tag, comment, commentBefore }: Scalar): boolean {
  return type === Scalar.PLAIN && !anchor && !tag && !comment && !commentBefore;
}

/** Replaces a value. A text in a block stays in its block, on one line. */
export function replaceValue(page: Page, node: Node, value: Json, where: Surroundings): Splice {
  const [start, end] = [startOf(node), endOf(node)];
  if (!(node instanceof Scalar)) return { start, end, text: valueText(value, where) };
  const isBlock = node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL;
  if (!isBlock) return { start, end, text: valueText(value, where, node) };
  const source = page.text.slice(start, end);
  const header = source.slice(0, source.indexOf("\n") + 1);
  const indent = /^[ ]+(?=\S)/m.exec(source.slice(header.length))?.[0];
  const isHeld = typeof value === "string" && !isOdd(value) && /^[^\s#]/.test(value) && !/\s$/.test(value);
  const text =
    isHeld && indent !== undefined ? `${header}${indent}${String(value)}` : valueText(value, where);
  return { start, end, text: source.endsWith("\n") ? text + page.eol : text };
}

/**
 * Replaces a block map or list below its key with a value on the key's line. Comments in the block go too. Null: more
 * than a comment stands on the key's line.
 *
 * @param after where the key ends
 */
export function replaceBlock(page: Page, after: number, node: Node, value: Json): readonly Splice[] | null {
  const lines = linesBelow(page, after, endOf(node));
  if (lines === null) return null;
  return [behindColon(page, after, ` ${valueText(value, "block")}`), lines];
}

/** An empty document. */
export function newDocument(): Document {
  return new Document(null, { version: "1.2" });
}

/** The document as text, with invisible and misleading characters as escapes in double quotes. */
export function textOf(doc: Document): string {
  visit(doc, {
    Scalar(_, node) {
      if (isOdd(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapedText(doc.toString(OPTIONS));
}

const OPTIONS = {
  lineWidth: 0,
  blockQuote: false,
  doubleQuotedAsJSON: true,
  flowCollectionPadding: false,
  aliasDuplicateObjects: false,
} as const;

const ODD = `${STRAY_MARK}|${INVISIBLE}|${RUNNER_MARK}`;
const IN_VALUE = new RegExp(`(?! )(?:${ODD})`, "u");
const IN_TEXT = new RegExp(`(?![ \\n])(?:${ODD})`, "gu");

/** Whether a text has invisible or misleading characters. */
function isOdd(value: unknown): boolean {
  return typeof value === "string" && IN_VALUE.test(value);
}

/** Outside of double quotes, such characters only occur as line ends. */
function escapedText(text: string): string {
  return text.replace(IN_TEXT, (characters) => Array.from(characters, escaped).join(""));
}

/** A text in double quotes, on one line. */
function quoted(text: string): string {
  return escapedText(JSON.stringify(text));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).toUpperCase();
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

/** Whether a value fits on the line of its key. */
export function isShort(value: Json): boolean {
  if (partsOf(value).some((item) => typeof item === "object" && item !== null)) return false;
  return JSON.stringify(value).length <= MAX_INLINE_CHARS;
}

const MAX_INLINE_CHARS = 80;
