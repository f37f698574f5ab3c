/**
 * Parses a URL; null: not one. `URL.canParse` would be shorter, but in Node 20 it refuses some URLs with letters such
 * as `ü` once it is optimised.
 */
export function readUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Whether a text is an absolute URL. */
export function isWholeUrl(text: string): boolean {
  return !HOST_AND_PORT.test(text) && readUrl(text) !== null;
}

/** Whether a text is a URL relative to a page. Any text would parse, so it has to look like one. */
export function isUrlOn(page: string, text: string): boolean {
  return RELATIVE.test(text) ? readUrl(text, new URL(page)) !== null : isWholeUrl(text);
}

/** `host:port` also parses as a URL, with the host as its scheme. */
const HOST_AND_PORT = /^[a-z0-9.-]+:\d+(?:[/?#]|$)/i;

const RELATIVE = /^(?:\.{0,2}\/|\?)/;

/** Whether a host is always the visitor's own machine. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(host);
}
