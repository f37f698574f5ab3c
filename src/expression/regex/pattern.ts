import { isWhitespace } from "../parse/reader.js";

/** A regular expression and the position in it. */
export interface Pattern {
  readonly text: string;
  at: number;
  /** The flags at this position. */
  flags: Flags;
  /** The names of groups so far. */
  readonly names: Set<string>;
}

export interface Flags {
  /** `i` */
  readonly isCaseless: boolean;
  /** `m`: `^` and `$` are the ends of lines. */
  readonly isByLine: boolean;
  /** `s`: `.` takes the end of a line too. */
  readonly isDotAll: boolean;
  /** `R`: `\r` ends lines too. */
  readonly isCrlf: boolean;
  /** `x`: whitespace and comments do not count. */
  readonly isVerbose: boolean;
  /** `u` */
  readonly isUnicode: boolean;
}

/** As the service runs it: over bytes, with all flags off. */
export function patternOf(text: string): Pattern {
  const flags: Flags = {
    isCaseless: false,
    isByLine: false,
    isDotAll: false,
    isCrlf: false,
    isVerbose: false,
    isUnicode: false,
  };
  return { text, at: 0, flags, names: new Set() };
}

/** Thrown where a pattern is invalid, and caught in this folder. Not an Error, because its stack is not needed. */
export class PatternRefusal {
  constructor(readonly detail: string) {}
}

export function wrong(detail: string): never {
  throw new PatternRefusal(detail);
}

export function isPatternEnd({ text, at }: Pattern): boolean {
  return at >= text.length;
}

/** The next character, or "" at the end. */
export function peek({ text, at }: Pattern): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

export function take(pattern: Pattern): string {
  const character = peek(pattern);
  pattern.at += character.length;
  return character;
}

export function takeIf(pattern: Pattern, text: string): boolean {
  if (!pattern.text.startsWith(text, pattern.at)) return false;
  pattern.at += text.length;
  return true;
}

/** Skips what the flag `x` ignores. */
export function skipVerbose(pattern: Pattern): void {
  if (pattern.flags.isVerbose) pattern.at = afterVerbose(pattern.text, pattern.at);
}

export function afterVerbose(text: string, start: number): number {
  let at = start;
  for (;;) {
    if (isWhitespace(text.charAt(at))) at += 1;
    else if (text[at] === "#") {
      const end = text.indexOf("\n", at);
      at = end === -1 ? text.length : end + 1;
    } else return at;
  }
}
