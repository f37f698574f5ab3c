import type { Directive } from "./parse.js";

/**
 * The first character of a directive that makes browsers drop all of it. CSP3 drops one that is not ASCII; Chromium
 * does the same for control characters.
 */
export function foreignCharacter(
  directive: Directive,
  text: string,
): { readonly start: number; readonly character: string } | null {
  const found = /[^\t\n\f\r -~]/u.exec(text.slice(directive.start, directive.end));
  return found === null ? null : { start: directive.start + found.index, character: found[0] };
}
