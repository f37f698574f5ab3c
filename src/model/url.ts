/**
 * A text as a URL; null for one that is none.
 *
 * `URL.canParse` would be shorter, but in Node 20 it refuses some URLs with letters such as `ü` once it is optimised.
 */
export function readUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
