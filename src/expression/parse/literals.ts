import { bitsOfOctets, ipLength, networkOf, parseIp } from "../ip.js";
import { readRegex } from "../regex/read.js";
import { BYTES } from "../tables/types.js";
import type { Bytes, Ip, Range } from "../tree.js";
import { fromBytes, toBytes } from "../value.js";
import type { RefusalReason } from "./messages.js";
import { afterCharacters, isEnd, type Reader, readIf, refuse } from "./reader.js";

/** `"…"`, `r"…"`, or bytes in hexadecimal: `61:62`. */
export function readBytes(reader: Reader): Bytes {
  if (isEnd(reader)) refuse(reader, { code: "expected_value", type: BYTES });
  const first = reader.text[reader.at];
  if (first === '"' || first === "r") return readText(reader);
  const bytes = readHexBytes(reader);
  reader.spellings.push("bytes");
  return bytes;
}

/** A text operand. `contains` and `eq` also take hexadecimal bytes, these operators do not. */
function readTextOnly(reader: Reader, operator: string): Bytes {
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
  // The engine's tree keeps text as text only if it is UTF-8.
  if (fromBytes(bytes) === null) reader.spellings.push("bytes");
  return bytes;
}

/** The content of a raw string. The reader is after the `r`. */
function readRaw(reader: Reader): string {
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
  const why: RefusalReason = { code: "invalid_bytes", from: reader.at };
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

function readByte(reader: Reader, { digits, form, radix }: typeof HEX, why: RefusalReason): Bytes {
  const end = afterCharacters(reader.text, reader.at, digits) ?? reader.text.length;
  const text = reader.text.slice(reader.at, end);
  if (!form.test(text)) refuse(reader, why, reader.at, end);
  reader.at = end;
  return String.fromCharCode(Number.parseInt(text, radix));
}

/** A 64-bit number: decimal, `0x1F`, or octal with a leading zero. Only decimal numbers may be negative. */
export function readInt(reader: Reader): bigint {
  if (readIf(reader, "0x")) return numberIn(reader, readDigits(reader), 16);
  const isOctal = reader.text[reader.at] === "0";
  const sign = readIf(reader, "-") ? "-" : "";
  return numberIn(reader, sign + readDigits(reader), isOctal ? 8 : 10);
}

export function readIntRange(reader: Reader): Range {
  const start = reader.at;
  const from = readInt(reader);
  const to = readIf(reader, "..") ? readInt(reader) : from;
  if (to < from) refuse(reader, { code: "reversed_range" }, start, reader.at);
  return { type: "Int", from, to };
}

/** Hexadecimal digits in every radix, as the engine reads them, so that a wrong number is refused as a whole. */
function readDigits(reader: Reader): string {
  const { text, at: start } = reader;
  while (/[0-9a-fA-F]/.test(text[reader.at] ?? "")) reader.at += 1;
  if (reader.at === start) refuse(reader, { code: "expected_digit" });
  return text.slice(start, reader.at);
}

const FORMS = { 8: /^[0-7]+$/, 10: /^-?[0-9]+$/, 16: /^[0-9a-fA-F]+$/ } as const;
const PREFIXES = { 8: "0o", 10: "", 16: "0x" } as const;

/** More digits are too many in any radix. */
const MOST_DIGITS = 22;

function numberIn(reader: Reader, digits: string, radix: 8 | 10 | 16): bigint {
  const start = reader.at - digits.length;
  if (!FORMS[radix].test(digits))
    refuse(reader, { code: "invalid_integer", digits, radix }, start, reader.at);
  const significant = digits.replace(/^(-?)0+(?=.)/, "$1");
  const isNegative = significant.startsWith("-");
  const magnitude = isNegative ? significant.slice(1) : significant;
  const isShort = magnitude.length <= MOST_DIGITS;
  const value = isShort ? BigInt(PREFIXES[radix] + magnitude) : 2n ** 64n;
  const signed = isNegative ? -value : value;
  if (BigInt.asIntN(64, signed) !== signed) {
    refuse(reader, { code: "integer_out_of_range", digits }, start, reader.at);
  }
  return signed;
}

/** One address, for comparisons. */
export function readIp(reader: Reader): Ip {
  const start = reader.at;
  return addressIn(reader, readChunk(reader), start);
}

/** An element of `{…}`: an address, a network, or a range. */
export function readIpRange(reader: Reader): Range {
  const start = reader.at;
  const chunk = readChunk(reader);
  const dots = chunk.indexOf("..");
  return dots === -1 ? networkIn(reader, chunk, start) : rangeIn(reader, chunk, start, dots);
}

/** All characters of addresses, as the engine reads them, so that a wrong address is refused as a whole. */
function readChunk(reader: Reader): string {
  const { text, at: start } = reader;
  while (/[0-9a-fA-F:./]/.test(text[reader.at] ?? "")) reader.at += 1;
  if (reader.at === start) refuse(reader, { code: "expected_address" });
  return text.slice(start, reader.at);
}

function addressIn(reader: Reader, text: string, start: number): Ip {
  return (
    parseIp(text) ?? refuse(reader, { code: "invalid_address", address: text }, start, start + text.length)
  );
}

function rangeIn(reader: Reader, chunk: string, start: number, dots: number): Range {
  const from = addressIn(reader, chunk.slice(0, dots), start);
  const to = addressIn(reader, chunk.slice(dots + 2), start + dots + 2);
  if (from.version !== to.version || to.bits < from.bits) {
    refuse(reader, { code: "reversed_range" }, start, reader.at);
  }
  reader.spellings.push("range");
  return { type: "Ip", from, to };
}

function networkIn(reader: Reader, chunk: string, start: number): Range {
  const slash = chunk.lastIndexOf("/");
  const text = slash === -1 ? chunk : chunk.slice(0, slash);
  const address =
    parseIp(text) ??
    shortIp(text) ??
    refuse(reader, { code: "invalid_address", address: text }, start, start + text.length);
  const most = ipLength(address.version);
  const prefix = slash === -1 ? most : prefixIn(reader, chunk.slice(slash + 1), start + slash + 1);
  if (prefix > most) refuse(reader, { code: "prefix_too_long", most }, start, reader.at);
  const network = networkOf(address, prefix);
  if (network !== null) return { type: "Ip", ...network };
  return refuse(reader, { code: "host_bits", network: chunk }, start, start + text.length);
}

function prefixIn(reader: Reader, text: string, start: number): number {
  const prefix = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (!(prefix <= 255)) refuse(reader, { code: "invalid_prefix", prefix: text }, start, reader.at);
  return prefix;
}

/** The engine's library pads `10.1` with zeros and allows leading zeros, but only here, not in `eq` or ranges. */
function shortIp(text: string): Ip | null {
  const parts = text.split(".", 5);
  if (parts.length > 4 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255)) return null;
  return { version: 4, bits: bitsOfOctets([...parts, "0", "0", "0"].slice(0, 4)) };
}

export function readRegexLiteral(reader: Reader): Bytes {
  if (isEnd(reader)) refuse(reader, { code: "expected_value", type: BYTES });
  const first = reader.text[reader.at];
  if (first !== '"' && first !== "r") refuse(reader, { code: "expected_string", operator: "matches" });
  reader.at += 1;
  return first === "r" ? readRawRegex(reader) : readQuotedRegex(reader);
}

/** The engine reports the place after a raw pattern, but the start of a quoted one. */
function readRawRegex(reader: Reader): Bytes {
  const pattern = readRaw(reader);
  return checkedRegex(reader, pattern, reader.at, reader.at);
}

/** Escapes belong to the pattern, except `\"`. A quote inside `[…]` is no end. The reader is after the opening quote. */
function readQuotedRegex(reader: Reader): Bytes {
  const { text, at: start } = reader;
  let pattern = "";
  let plain = start;
  let bracket: number | null = null;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === "\\") {
      if (text[at + 1] === '"' && bracket === null) {
        pattern += text.slice(plain, at);
        plain = at + 1;
      }
      at += 1;
    } else if (character === '"' && bracket === null) {
      reader.at = at + 1;
      return checkedRegex(reader, pattern + text.slice(plain, at), start, at);
    } else if (character === "[") bracket ??= at;
    else if (character === "]") bracket = null;
  }
  const why: RefusalReason =
    bracket === null ? { code: "unclosed_string" } : { code: "unclosed_class", bracket };
  return refuse(reader, why, start, text.length);
}

function checkedRegex(reader: Reader, pattern: string, start: number, end: number): Bytes {
  const parsed = readRegex(pattern);
  if (!parsed.ok) refuse(reader, { code: "invalid_regex", detail: parsed.detail }, start, end);
  return toBytes(pattern);
}

/** `*` is anything, `\*` a star, `\\` a backslash. Other escapes are invalid. */
export function readWildcard(reader: Reader, operator: string): Bytes {
  const start = reader.at;
  const pattern = readTextOnly(reader, operator);
  const detail = wildcardProblem(pattern);
  if (detail !== null) refuse(reader, { code: "invalid_wildcard", detail }, start, reader.at);
  return pattern;
}

function wildcardProblem(pattern: Bytes): string | null {
  let isAfterStar = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "*" && isAfterStar)
      return "Two stars in a row are not allowed; one matches anything already.";
    isAfterStar = character === "*";
    if (character !== "\\") continue;
    at += 1;
    if (pattern[at] !== "*" && pattern[at] !== "\\") {
      return "A backslash may only stand before `*` or another backslash; in a quoted string, write it as `\\\\*`.";
    }
  }
  return null;
}
