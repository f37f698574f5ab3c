import { readUrl } from "../model/url.js";

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
