import type { Directive } from "./parse.js";

/**
 * The first character of a directive that makes browsers drop all of it. CSP3 drops one that is not ASCII; Chromium
 * does the same for control characters.
 */
export function foreignCharacter(
  directive: Directive,
  text: string,
): { readonly start: number; readonly character: string } | null {
  const found = FOREIGN.exec(text.slice(directive.start, directive.end));
  return found === null ? null : { start: directive.start + found.index, character: found[0] };
}

/** Whether browsers drop a directive because of what stands in its value. */
export function isDropped({ sources }: Directive): boolean {
  return sources.some(({ text }) => FOREIGN.test(text));
}

const FOREIGN = /[^\t\n\f\r -~]/u;
