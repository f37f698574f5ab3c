import { RUNNER_MARK, STRAY_MARK, UNSEEN } from "./unseen.js";

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
  return json.replace(UNSAFE, escaped);
}

const UNSAFE = new RegExp(`(?:${STRAY_MARK}|(?![ \\n])${UNSEEN}|${RUNNER_MARK}){1,64}`, "gu");

function escaped(run: string): string {
  let text = "";
  for (let index = 0; index < run.length; index++)
    text += `\\u${run.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return text;
}
