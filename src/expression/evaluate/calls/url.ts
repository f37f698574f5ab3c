import { toBytes } from "../../bytes.js";
import type { Bytes } from "../../tree.js";

/** `url_decode` as in the engine's source. Options: `r` decodes until nothing changes, `u` takes `%u2601` as well. */
export function decodeUrl(source: Bytes, options: Bytes): Bytes {
  const once = options.includes("u") ? decodeWithUnicode : decodePlain;
  let decoded = once(source);
  if (!options.includes("r")) return decoded;
  let before = source;
  for (let round = 0; round < MAX_ROUNDS && decoded !== before; round += 1) {
    before = decoded;
    decoded = once(decoded);
  }
  return before;
}

/** The engine's own bound. */
const MAX_ROUNDS = 10;

function decodePlain(source: Bytes): Bytes {
  return source.replace(/\+|%([0-9a-f]{2})/gi, (_whole, hex?: string) =>
    hex === undefined ? " " : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function decodeWithUnicode(source: Bytes): Bytes {
  return source.replace(/\+|%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (whole, wide?: string, hex?: string) => {
    if (wide !== undefined)
      return isSurrogate(wide) ? whole : toBytes(String.fromCharCode(Number.parseInt(wide, 16)));
    return hex === undefined ? " " : String.fromCharCode(Number.parseInt(hex, 16));
  });
}

function isSurrogate(hex: string): boolean {
  return /^d[89a-f]/i.test(hex);
}
