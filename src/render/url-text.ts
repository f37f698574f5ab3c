import { quoted } from "./changed.js";
import { plain } from "./plain.js";

/** A URL on a line with other words: one with a blank in it stands in quotes, so that it cannot add any. */
export function urlText(url: string): string {
  return url.includes(" ") || url === "" ? quoted(url, MAX_CHARS) : plain(url, MAX_CHARS);
}

const MAX_CHARS = 200;
