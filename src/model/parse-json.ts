import type { Json } from "./json.js";

export type ParsedJson =
  | { readonly as: "json"; readonly value: Json }
  | { readonly as: "not json" }
  | { readonly as: "too deep" };

/** Nothing that this program reads is half as deep, and what works its way down into values has room for more. */
export const MAX_LEVELS = 100;

/**
 * JSON from outside. What looks into values, JSON.stringify among it, calls itself once a level, and a stack has an
 * end: a text that nests deeper than anything needs to is refused before a value is made of it.
 */
export function parseJson(text: string): ParsedJson {
  if (isTooDeep(text)) return { as: "too deep" };
  try {
    return { as: "json", value: JSON.parse(text) as Json }; // what JSON.parse gives is JSON
  } catch {
    return { as: "not json" };
  }
}

/** Counted on brackets outside of texts, and so also of what is not JSON. */
function isTooDeep(text: string): boolean {
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
