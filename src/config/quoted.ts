const MAX_CHARS = 80;

/** A text from a file for a sentence: in quotes, and cut where it is too long for one. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);
}
