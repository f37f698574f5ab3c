import { cut } from "./cut.js";
import type { Json } from "./json.js";
import { MAX_LEVELS, parseJson } from "./parse-json.js";

export type StrictJson =
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
