import { toBytes } from "../bytes.js";
import { readRegex } from "../regex/read.js";
import { BYTES } from "../tables/types.js";
import type { Bytes } from "../tree.js";
import { readRaw, readTextOnly } from "./literal-bytes.js";
import { isEnd, type Reader, refuse } from "./reader.js";
import type { Refused } from "./refusal.js";

export function readRegexLiteral(reader: Reader): Bytes {
  if (isEnd(reader)) refuse(reader, { code: "expected_value", type: BYTES });
  const first = reader.text[reader.at];
  if (first !== '"' && first !== "r") refuse(reader, { code: "expected_string", operator: "matches" });
  reader.at += 1;
  return first === "r" ? readRawRegex(reader) : readQuotedRegex(reader);
}

/** The engine shows the place after a raw pattern, but the start of a quoted one. */
function readRawRegex(reader: Reader): Bytes {
  const pattern = readRaw(reader);
  return checked(reader, pattern, reader.at, reader.at);
}

/** Escapes are the pattern's own, but for `\"`; inside `[…]` a quote does not end it. The reader is after the quote. */
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
      return checked(reader, pattern + text.slice(plain, at), start, at);
    } else if (character === "[") bracket ??= at;
    else if (character === "]") bracket = null;
  }
  const why: Refused = bracket === null ? { code: "unclosed_string" } : { code: "unclosed_class", bracket };
  return refuse(reader, why, start, text.length);
}

function checked(reader: Reader, pattern: string, start: number, end: number): Bytes {
  const read = readRegex(pattern);
  if (!read.ok) refuse(reader, { code: "invalid_regex", detail: read.detail }, start, end);
  return toBytes(pattern);
}

/** `*` is anything, `\*` a star, `\\` a backslash; nothing else has a meaning. */
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
