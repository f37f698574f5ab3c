import type { Range } from "../tree.js";
import { type Reader, readIf, refuse } from "./reader.js";

/** A number of 64 bits: decimal, `0x1F`, or octal with a leading zero. Only decimal ones may be negative. */
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

/** Hexadecimal digits whatever the radix, as the engine reads them, so that all of a wrong number is refused. */
function readDigits(reader: Reader): string {
  const { text, at: start } = reader;
  while (/[0-9a-fA-F]/.test(text[reader.at] ?? "")) reader.at += 1;
  if (reader.at === start) refuse(reader, { code: "expected_digit" });
  return text.slice(start, reader.at);
}

const FORMS = { 8: /^[0-7]+$/, 10: /^-?[0-9]+$/, 16: /^[0-9a-fA-F]+$/ } as const;
const PREFIXES = { 8: "0o", 10: "", 16: "0x" } as const;

/** More digits than this are too many in any radix. */
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
