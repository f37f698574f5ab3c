import { equal as isSame, type Json } from "../../model/json.js";
import { rememberedText } from "../../model/remembered.js";
import { parsedExpression } from "../parse/parse.js";
import { trimmed } from "../parse/reader.js";
import { presentName } from "../tables/fields.js";
import type { Expression, Field, Value } from "../tree.js";

/**
 * What the engine's tree holds of an expression, for comparing: without places, parentheses and the spelling of
 * operators and literals. Of a text that is no expression, the text without the whitespace between its words.
 */
function canonical(text: string): Json {
  const parsed = parsedExpression(text);
  if (!parsed.ok) return normalise(text);
  return JSON.parse(bare({ tree: parsed.tree, spellings: parsed.spellings }, (name) => name));
}

/** A text that is the same for two nodes only if they mean the same: without old names of fields too. */
export function canonicalNode(node: Expression | Value): string {
  return bare(node, presentName);
}

/** A text that is the same for two nodes only if they are the same but for their places. */
export function exactNode(node: Expression): string {
  return bare(node, (name) => name);
}

function bare(node: object, nameOf: (field: string) => string): string {
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
 * Whether two texts are the same tree to the engine. What only means the same is not equal here: the other order of a
 * set, a range instead of a network. Texts that are no expressions are equal where only their whitespace differs.
 */
export function equal(one: string, other: string): boolean {
  return one === other || isSame(canonical(one), canonical(other));
}

/**
 * A filter expression with its ends trimmed and its whitespace collapsed, for comparing and for sending. Literals stay
 * byte for byte. Never fails: an expression that is wrong stays wrong, and a string that does not end reaches to the
 * end of the text.
 *
 * What counts as whitespace is as in wirefilter, the service's engine: inside an expression only space, CR and LF (a
 * tab is left for the engine to refuse), around it all of Unicode's.
 */
export const normalise = rememberedText((text): string => {
  const content = text.slice(trimmed(text).start);
  const opening = new RegExp(OPENING);
  let normal = "";
  let at = 0;
  for (let open = opening.exec(content); open !== null; open = opening.exec(content)) {
    const end = literalEnd(content, opening.lastIndex, open);
    normal += collapse(content.slice(at, opening.lastIndex)) + content.slice(opening.lastIndex, end);
    at = end;
    opening.lastIndex = end;
  }
  const rest = content.slice(at);
  return normal + collapse(rest.slice(0, trimmed(rest).end));
});

/**
 * A literal up to its first quote: group 1 is there for a regular expression, group 2 has the `#`s of a raw string.
 * Operators and the `r` need no space before them; a raw string has at most 255 `#`.
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
