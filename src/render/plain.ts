/** Longer texts are cut in output for people. */
const MAX_CHARS = 2_000;

/**
 * Text from files or the service, harmless on a terminal: control characters (escape sequences, line ends),
 * characters that turn the direction of text, and invisible ones show as escapes; very long text is cut.
 */
export function plain(text: string): string {
  const shown = visible(text);
  return shown.length <= MAX_CHARS
    ? shown
    : `${shown.slice(0, MAX_CHARS)}… (${shown.length - MAX_CHARS} more characters)`;
}

/** The same, not cut: for output that programs read. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** `1 call`, `2 calls`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
