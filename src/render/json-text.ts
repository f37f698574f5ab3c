/**
 * A value as indented JSON. JSON itself escapes only the first control characters: the others, and those that turn
 * the direction of text or cannot be seen, would reach the terminal.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}

const UNSAFE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
