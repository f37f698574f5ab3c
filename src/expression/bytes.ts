import type { Bytes } from "./tree.js";

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD, as everywhere where text is encoded. */
export function toBytes(text: string): Bytes {
  if (isAscii(text)) return text;
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\u{fffd}")).replace(/%(..)/g, fromHex);
}

/** The text that the bytes are in UTF-8, or null if they are none. */
export function fromBytes(bytes: Bytes): string | null {
  if (isAscii(bytes)) return bytes;
  try {
    return UTF8.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** As the engine: ASCII letters only. */
export function toLower(bytes: Bytes): Bytes {
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function toUpper(bytes: Bytes): Bytes {
  return bytes.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function fromHex(_whole: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}
