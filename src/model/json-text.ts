import { cut } from "./cut.js";
import { INVISIBLE, RUNNER_MARK, STRAY_MARK } from "./invisible-characters.js";
import { type Path, pointerOf } from "./item.js";
import { isList, isObject, isShadowing, type Json } from "./json.js";

export type ParsedJson =
  | { readonly as: "json"; readonly value: Json }
  | { readonly as: "not json" }
  | { readonly as: "too deep" }
  /** The JSON pointer of a key that hides what every object has by its name. */
  | { readonly as: "shadowing key"; readonly at: string };

/** Nothing that this program reads is half as deep, and what works its way down into values has room for more. */
export const MAX_LEVELS = 100;

/**
 * JSON from outside. What looks into values, JSON.stringify among it, calls itself once a level, and a stack has an
 * end: a text that nests deeper than anything needs to is refused before a value is made of it. Here and where YAML
 * becomes a value, keys such as `valueOf` are refused, so that nothing has to mind them later.
 */
export function parseJson(text: string): ParsedJson {
  if (isTooDeep(text)) return { as: "too deep" };
  let value: Json;
  try {
    value = JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch {
    return { as: "not json" };
  }
  const at = MAY_SHADOW.test(text) ? shadowingKey(value, []) : null;
  return at === null ? { as: "json", value } : { as: "shadowing key", at: pointerOf(at) };
}

/** Most texts have nothing that could be such a key, and an escape may spell one. */
const MAY_SHADOW = /__proto__|constructor|hasOwnProperty|toString|valueOf|\\u/;

function shadowingKey(value: Json, path: Path): Path | null {
  if (isList(value)) {
    for (const [index, each] of value.entries()) {
      const found = shadowingKey(each, [...path, index]);
      if (found !== null) return found;
    }
  } else if (isObject(value)) {
    for (const [key, each] of Object.entries(value)) {
      const below = [...path, key];
      const found = isShadowing(key) ? below : shadowingKey(each, below);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Counted on brackets outside of texts, and so also of what is not JSON. Where few stand in it at all, none is counted. */
function isTooDeep(text: string): boolean {
  if (countOf("[", text) + countOf("{", text) <= MAX_LEVELS) return false;
  let level = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInText && character === "\\") at++;
    else if (character === '"') isInText = !isInText;
    else if (!isInText && (character === "[" || character === "{")) level++;
    else if (!isInText && (character === "]" || character === "}")) level--;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}

/** How often a sign stands in a text, as far as it matters here. */
function countOf(sign: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1 && count <= MAX_LEVELS; at = text.indexOf(sign, at + 1))
    count++;
  return count;
}

type StrictJson =
  | { readonly ok: true; readonly value: Json }
  /** The reason goes on from the name of the text: `is not JSON`. */
  | { readonly ok: false; readonly reason: string };

/**
 * A value from JSON that one reader must understand as every other does: of a key that stands twice in a map, some
 * take the first value and some the last.
 */
export function parseStrictly(text: string): StrictJson {
  const parsed = parseJson(text);
  switch (parsed.as) {
    case "not json":
      return { ok: false, reason: "is not JSON" };
    case "too deep":
      return { ok: false, reason: `is nested more than ${MAX_LEVELS} levels deep` };
    case "shadowing key":
      return { ok: false, reason: `has a key that cannot be used, ${cut(parsed.at, MAX_CHARS)}` };
    case "json": {
      const twice = keyThatStandsTwice(text);
      if (twice === null) return { ok: true, value: parsed.value };
      return { ok: false, reason: `has the key ${JSON.stringify(cut(twice, MAX_CHARS))} twice in one map` };
    }
  }
}

const MAX_CHARS = 100;

function keyThatStandsTwice(text: string): string | null {
  // The keys of each open map; of a list, none.
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const token = text[at];
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : null);
    if (token === "}" || token === "]") open.pop();
    if (token !== '"') continue;
    const end = endOfText(text, at);
    const key = keyBetween(text, at, end);
    const keys = open.at(-1);
    if (key !== null && keys?.has(key) === true) return key;
    if (key !== null) keys?.add(key);
    at = end - 1;
  }
  return null;
}

/** Behind the quote that ends the text which begins here. A regular expression gives up on a text with very many escapes. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** In JSON, a text is a key exactly where a colon follows. */
function keyBetween(text: string, start: number, end: number): string | null {
  COLON.lastIndex = end;
  return COLON.test(text) ? (JSON.parse(text.slice(start, end)) as string) : null; // it is one
}

const COLON = /\s*:/y;

/** A value as indented JSON, with a line end. */
export function jsonText(value: unknown): string {
  return `${harmless(JSON.stringify(value, null, 2))}\n`;
}

/** A value as JSON on one line, with a line end. */
export function jsonLine(value: unknown): string {
  return `${harmless(JSON.stringify(value))}\n`;
}

/**
 * JSON itself escapes only the first control characters: the others, and those that turn the direction of text or
 * cannot be seen, would reach the terminal. All of them can only stand inside of texts, so the value stays the same.
 */
function harmless(json: string): string {
  return MAY_BE_UNSAFE.test(json) ? json.replace(UNSAFE, escaped) : json;
}

/** All but line ends and what is printable in ASCII, and what begins a runner's mark. */
const MAY_BE_UNSAFE = /[^\n -"$-~]/;

const UNSAFE = new RegExp(`(?:${STRAY_MARK}|(?![ \\n])${INVISIBLE}|${RUNNER_MARK}){1,64}`, "gu");

function escaped(run: string): string {
  let text = "";
  for (let index = 0; index < run.length; index++)
    text += `\\u${run.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return text;
}
