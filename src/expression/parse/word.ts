import type { Place } from "../tree.js";

/** The word that stands there, or the sign. */
export function wordAt(text: string, start: number): string {
  const word = /^[^\s"'(){}[\],]+/.exec(text.slice(start, start + MOST_CHARS));
  return word?.[0] ?? text.charAt(start);
}

const MOST_CHARS = 80;

/** Whether a word goes on there that began before: the engine may stop in the middle of one. */
export function isMidWord(text: string, at: number): boolean {
  return at > 0 && /\w/.test(text.charAt(at - 1)) && /\w/.test(text.charAt(at));
}

/** All of the word that stands there or goes on there. */
export function placeAround(text: string, at: number): Place {
  const before = isMidWord(text, at) ? /[\w.:/-]+$/.exec(text.slice(Math.max(0, at - MOST_CHARS), at)) : null;
  const start = at - (before?.[0].length ?? 0);
  return { start, end: at + wordAt(text, at).length };
}

export function wordAround(text: string, at: number): string {
  const { start, end } = placeAround(text, at);
  return text.slice(start, end);
}
