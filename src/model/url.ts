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

/** Whether a text is a URL of its own. */
export function isWholeUrl(text: string): boolean {
  return !HOST_AND_PORT.test(text) && readUrl(text) !== null;
}

/** Whether a text is a URL seen from a page. Any text would be one: a person means one only where it looks like it. */
export function isUrlOn(page: string, text: string): boolean {
  return RELATIVE.test(text) ? readUrl(text, new URL(page)) !== null : isWholeUrl(text);
}

/** By the letter that is a URL too, with the host for its scheme. */
const HOST_AND_PORT = /^[a-z0-9.-]+:\d+(?:[/?#]|$)/i;

const RELATIVE = /^(?:\.{0,2}\/|\?)/;

/** A host that is always the visitor's own machine. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(host);
}
