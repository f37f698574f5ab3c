import { cut } from "./cut.js";
import { INVISIBLE, RUNNER_MARK, STRAY_MARK } from "./invisible-characters.js";
import { type Path, pointerOf } from "./item.js";
import { isList, isObject, isShadowing, type Json } from "./json.js";

export type ParsedJson =
  | { readonly as: "json"; readonly value: Json }
  | { readonly as: "not json" }
  | { readonly as: "too deep" }
  /** The JSON pointer of a key that shadows a built-in property of objects. */
  | { readonly as: "shadowing key"; readonly at: string };

/** Twice as deep as anything that this program reads. */
export const MAX_LEVELS = 100;

/**
 * Parses JSON from outside. Deep nesting is refused first: code that walks values, JSON.stringify included, recurses
 * once per level. Keys such as `valueOf` are refused here and for YAML, so that no later code has to handle them.
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

/** A quick test: most texts cannot have such a key. An escape may spell one. */
const MAY_SHADOW = /__proto__|constructor|hasOwnProperty|toString|valueOf|\\u/;

function shadowingKey(value: Json, path: Path): Path | null {
  if (isList(value)) {
    for (const [index, member] of value.entries()) {
      const hit = shadowingKey(member, [...path, index]);
      if (hit !== null) return hit;
    }
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const below = [...path, key];
      const hit = isShadowing(key) ? below : shadowingKey(member, below);
      if (hit !== null) return hit;
    }
  }
  return null;
}

/** Counts brackets outside of strings, so it also works for invalid JSON. */
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

/** Stops counting above the limit. */
function countOf(sign: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1 && count <= MAX_LEVELS; at = text.indexOf(sign, at + 1))
    count++;
  return count;
}

type StrictJson =
  | { readonly ok: true; readonly value: Json }
  /** Continues the text's name: `is not JSON`. */
  | { readonly ok: false; readonly reason: string };

/** Parses JSON without duplicate keys: for those, some parsers take the first value and some the last. */
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
  // The keys of each open object; null for a list.
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

/** The index after the closing quote. A regular expression fails on a text with very many escapes. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** A JSON string is a key exactly if a colon follows. */
function keyBetween(text: string, start: number, end: number): string | null {
  COLON.lastIndex = end;
  return COLON.test(text) ? (JSON.parse(text.slice(start, end)) as string) : null; // it is one
}

const COLON = /\s*:/y;

/** Indented JSON with a line end. */
export function jsonText(value: unknown): string {
  return `${harmless(JSON.stringify(value, null, 2))}\n`;
}

/** JSON on one line with a line end. */
export function jsonLine(value: unknown): string {
  return `${harmless(JSON.stringify(value))}\n`;
}

/**
 * JSON escapes only the first control characters. Other control characters, invisible ones and changes of text
 * direction would reach the terminal. They can only occur in strings, so escaping keeps the value.
 */
function harmless(json: string): string {
  return MAY_BE_UNSAFE.test(json) ? json.replace(UNSAFE, escaped) : json;
}

/** Anything but line ends, printable ASCII and the start of a runner's mark. */
const MAY_BE_UNSAFE = /[^\n -"$-~]/;

const UNSAFE = new RegExp(`(?:${STRAY_MARK}|(?![ \\n])${INVISIBLE}|${RUNNER_MARK}){1,64}`, "gu");

function escaped(run: string): string {
  let text = "";
  for (let index = 0; index < run.length; index++)
    text += `\\u${run.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return text;
}
