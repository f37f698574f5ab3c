import { equal as isSame, type Json } from "../../model/json.js";
import { rememberedText } from "../../model/remembered.js";
import { parsedExpression } from "../parse/parse.js";
import { trimmedRange } from "../parse/reader.js";
import { presentName } from "../tables/fields.js";
import type { Expression, Field, Value } from "../tree.js";

/**
 * The content of the engine's tree for comparisons: without places, parentheses and spellings of operators and
 * literals. For an invalid text, the text with collapsed whitespace.
 */
function canonical(text: string): Json {
  const parsed = parsedExpression(text);
  if (!parsed.ok) return normalise(text);
  return JSON.parse(nodeText({ tree: parsed.tree, spellings: parsed.spellings }, (name) => name));
}

/** A text that two nodes share only if they mean the same. Old field names equal their new names. */
export function canonicalNode(node: Expression | Value): string {
  return nodeText(node, presentName);
}

/** A text that two nodes share only if they differ in their places alone. */
export function exactNode(node: Expression): string {
  return nodeText(node, (name) => name);
}

function nodeText(node: object, nameOf: (field: string) => string): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === "start" || key === "end") return undefined;
    if (isField(value)) return { ...value, name: nameOf(value.name) };
    return typeof value === "bigint" ? value.toString() : value;
  });
}

function isField(value: unknown): value is Field {
  return typeof value === "object" && value !== null && "as" in value && value.as === "field";
}

/**
 * Whether two texts have the same tree in the engine. Other texts with the same meaning are not equal: another order of
 * a set, a range instead of a network. Invalid texts are equal if only their whitespace differs.
 */
export function equal(a: string, b: string): boolean {
  return a === b || isSame(canonical(a), canonical(b));
}

/**
 * A filter expression with its ends trimmed and its whitespace collapsed, for comparing and sending. Literals stay byte
 * for byte. It never fails: an invalid expression stays invalid, and an unclosed string reaches to the end of the text.
 *
 * Whitespace is defined as in wirefilter, the service's engine: inside an expression only space, CR and LF (a tab is
 * left for the engine to refuse), around it all of Unicode's.
 */
export const normalise = rememberedText((text): string => {
  const content = text.slice(trimmedRange(text).start);
  const opening = new RegExp(OPENING);
  let normal = "";
  let at = 0;
  for (let open = opening.exec(content); open !== null; open = opening.exec(content)) {
    const end = literalEnd(content, opening.lastIndex, open);
    normal += collapse(content.slice(at, opening.lastIndex)) + content.slice(opening.lastIndex, end);
    at = end;
    opening.lastIndex = end;
  }
  const tail = content.slice(at);
  return normal + collapse(tail.slice(0, trimmedRange(tail).end));
});

/**
 * A literal up to its first quote. Group 1 is set for a regular expression, group 2 has the `#`s of a raw string.
 * Operators and the `r` need no space before them. A raw string has at most 255 `#`.
 */
const OPENING = /((?:matches|~)[ \r\n]*)?(?:r(#{0,255}))?"/g;

function literalEnd(text: string, start: number, [, operator, hashes]: RegExpExecArray): number {
  if (hashes !== undefined) return rawEnd(text, start, `"${hashes}`);
  return quotedEnd(text, start, operator === undefined ? "string" : "regex");
}

function rawEnd(text: string, start: number, closing: string): number {
  const end = text.indexOf(closing, start);
  return end === -1 ? text.length : end + closing.length;
}

/** In a quoted regular expression, a quote inside `[…]` does not end the literal. */
function quotedEnd(text: string, start: number, holds: "string" | "regex"): number {
  let inClass = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === '"' && !inClass) return at + 1;
    else if (character === "[") inClass = holds === "regex";
    else if (character === "]") inClass = false;
  }
  return text.length;
}

function collapse(code: string): string {
  return code.replace(/[ \r\n]+/g, " ");
}
