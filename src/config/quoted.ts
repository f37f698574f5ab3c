import { cutEnd } from "../model/cut.js";

const MAX_CHARS = 80;

/** A text from a file for a sentence: in quotes, and cut where it is too long for one. */
export function quoted(text: string): string {
  return JSON.stringify(cutEnd(text, MAX_CHARS));
}
