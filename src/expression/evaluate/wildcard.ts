import { toLower } from "../bytes.js";
import type { Bytes } from "../tree.js";

/** Whether the whole of a value fits a pattern of `wildcard` or `strict wildcard`. */
export function matchesWildcard(
  test: { readonly pattern: Bytes; readonly caseless: boolean },
  value: Bytes,
): boolean {
  const texts = wildcardTexts(test.caseless ? toLower(test.pattern) : test.pattern);
  return fits(texts, test.caseless ? toLower(value) : value);
}

/** The texts between the stars of a pattern, without its escapes. */
export function wildcardTexts(pattern: Bytes): readonly Bytes[] {
  const texts: Bytes[] = [];
  let text = "";
  for (const [token] of pattern.matchAll(/\\.|./gs)) {
    if (token === "*") {
      texts.push(text);
      text = "";
    } else text += token.length === 2 ? token.slice(1) : token;
  }
  return [...texts, text];
}

/** Of the texts between two stars, the earliest place of each leaves most room for the next. */
function fits(texts: readonly Bytes[], value: Bytes): boolean {
  const [first = "", ...rest] = texts;
  const last = rest.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  for (const text of rest) {
    const found = value.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}
