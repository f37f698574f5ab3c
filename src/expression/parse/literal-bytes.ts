import { fromBytes, toBytes } from "../bytes.js";
import { BYTES } from "../tables/types.js";
import type { Bytes } from "../tree.js";
import { afterCharacters, isEnd, type Reader, refuse } from "./reader.js";
import type { Refused } from "./refusal.js";

/** `"…"`, `r"…"`, or bytes in hexadecimal: `61:62`. */
export function readBytes(reader: Reader): Bytes {
  if (isEnd(reader)) refuse(reader, { code: "expected_value", type: BYTES });
  const first = reader.text[reader.at];
  if (first === '"' || first === "r") return readText(reader);
  const bytes = readHexBytes(reader);
  reader.spellings.push("bytes");
  return bytes;
}

/** What `contains` and `eq` take too, but not as bytes in hexadecimal. */
export function readTextOnly(reader: Reader, operator: string): Bytes {
  if (isEnd(reader)) refuse(reader, { code: "expected_value", type: BYTES });
  const first = reader.text[reader.at];
  if (first !== '"' && first !== "r") refuse(reader, { code: "expected_string", operator });
  return readText(reader);
}

function readText(reader: Reader): Bytes {
  const isRaw = reader.text[reader.at] === "r";
  reader.at += 1;
  if (isRaw) return toBytes(readRaw(reader));
  const bytes = readQuoted(reader);
  // The engine's tree has text as text only where it is UTF-8.
  if (fromBytes(bytes) === null) reader.spellings.push("bytes");
  return bytes;
}

/** What stands between the quotes of a raw string; the reader is after the `r`. */
export function readRaw(reader: Reader): string {
  const { text, at: start } = reader;
  let quote = start;
  while (text[quote] === "#") quote += 1;
  const hashes = quote - start;
  if (hashes > 255) refuse(reader, { code: "too_many_hashes" }, start, quote);
  if (text[quote] !== '"') refuse(reader, { code: "unclosed_raw_prefix" }, quote);
  const closing = `"${"#".repeat(hashes)}`;
  const end = text.indexOf(closing, quote + 1);
  if (end === -1) refuse(reader, { code: "unclosed_string" }, start, text.length);
  reader.at = end + closing.length;
  return text.slice(quote + 1, end);
}

/** The reader is after the opening quote. */
function readQuoted(reader: Reader): Bytes {
  const { text, at: start } = reader;
  let bytes = "";
  let plain = start;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character !== '"' && character !== "\\") continue;
    bytes += toBytes(text.slice(plain, at));
    if (character === '"') {
      reader.at = at + 1;
      return bytes;
    }
    reader.at = at + 1;
    bytes += readEscape(reader, start);
    plain = reader.at;
    at = plain - 1;
  }
  return refuse(reader, { code: "unclosed_string" }, start, text.length);
}

/** The reader is after the backslash. */
function readEscape(reader: Reader, opening: number): Bytes {
  const { text, at } = reader;
  const character = text[at];
  if (character === undefined) return refuse(reader, { code: "unclosed_string" }, opening, text.length);
  if (/[0-7]/.test(character)) return readByte(reader, OCTAL, { code: "invalid_escape", escape: character });
  reader.at += 1;
  if (character === '"' || character === "\\") return character;
  if (character === "x") return readByte(reader, HEX, { code: "invalid_escape", escape: "x" });
  const escaped = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return refuse(reader, { code: "invalid_escape", escape: escaped }, at, at + escaped.length);
}

function readHexBytes(reader: Reader): Bytes {
  const why: Refused = { code: "invalid_bytes", from: reader.at };
  let bytes = readByte(reader, HEX, why);
  if (!isSeparator(reader)) refuse(reader, why);
  while (isSeparator(reader)) {
    reader.at += 1;
    bytes += readByte(reader, HEX, why);
  }
  return bytes;
}

function isSeparator({ text, at }: Reader): boolean {
  const character = text[at];
  return character === ":" || character === "-" || character === ".";
}

/** Rust's numbers may have a plus sign. */
const HEX = { digits: 2, form: /^[0-9a-fA-F+][0-9a-fA-F]$/, radix: 16 };
const OCTAL = { digits: 3, form: /^[0-3][0-7]{2}$/, radix: 8 };

function readByte(reader: Reader, { digits, form, radix }: typeof HEX, why: Refused): Bytes {
  const end = afterCharacters(reader.text, reader.at, digits) ?? reader.text.length;
  const text = reader.text.slice(reader.at, end);
  if (!form.test(text)) refuse(reader, why, reader.at, end);
  reader.at = end;
  return String.fromCharCode(Number.parseInt(text, radix));
}
