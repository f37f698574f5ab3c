import { Document, Scalar, visit } from "yaml";
import { RUNNER_MARK, STRAY_MARK, UNSEEN } from "../model/invisible-characters.js";
import { isList, isObject, type Json } from "../model/json.js";

/** An empty document of the YAML that is read here. */
export function newDocument(): Document {
  return new Document(null, { version: "1.2" });
}

/**
 * The document as text. What would be seen as something else, or not at all, is written as an escape in double quotes.
 */
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

const ODD = `${STRAY_MARK}|${UNSEEN}|${RUNNER_MARK}`;
const IN_VALUE = new RegExp(`(?! )(?:${ODD})`, "u");
const IN_TEXT = new RegExp(`(?![ \\n])(?:${ODD})`, "gu");

/** Whether a text has something in it that people would not see as it is. */
export function isOdd(value: unknown): boolean {
  return typeof value === "string" && IN_VALUE.test(value);
}

/** Outside of double quotes there is nothing to escape but line ends. */
function escapedText(text: string): string {
  return text.replace(IN_TEXT, (found) => Array.from(found, escaped).join(""));
}

/** A text in double quotes, on one line. */
export function quoted(text: string): string {
  return escapedText(JSON.stringify(text));
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).toUpperCase();
  return code > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}

/** Whether a value is so small that it stands on the line of its key. */
export function isShort(value: Json): boolean {
  const items = isList(value) ? value : isObject(value) ? Object.values(value) : [];
  if (items.some((each) => typeof each === "object" && each !== null)) return false;
  return JSON.stringify(value).length <= MAX_INLINE_CHARS;
}

const MAX_INLINE_CHARS = 80;
