import { fromBytes, toBytes } from "../bytes.js";
import { formatIp, ipLength, networkOf } from "../ip.js";
import type { Bytes, Ip, Literal, Range } from "../tree.js";

export function renderLiteral(literal: Literal): string {
  switch (literal.type) {
    case "Bytes":
      return renderBytes(literal.value);
    case "Int":
      return literal.value.toString();
    case "Ip":
      return formatIp(literal.value);
  }
}

export function renderRange(range: Range): string {
  switch (range.type) {
    case "Bytes":
      return renderBytes(range.value);
    case "Int":
      return range.from === range.to ? `${range.from}` : `${range.from}..${range.to}`;
    case "Ip":
      return renderIps(range.from, range.to);
  }
}

/** A network where the addresses are one. */
function renderIps(from: Ip, to: Ip): string {
  if (from.bits === to.bits) return formatIp(from);
  const prefix = ipLength(from.version) - (to.bits - from.bits).toString(2).length;
  const isNetwork = networkOf(from, prefix)?.to.bits === to.bits;
  return isNetwork ? `${formatIp(from)}/${prefix}` : `${formatIp(from)}..${formatIp(to)}`;
}

export function renderKey(key: string): string {
  return renderBytes(toBytes(key));
}

/** As text where the bytes are text, with escapes for what is not seen; byte for byte otherwise. */
export function renderBytes(bytes: Bytes): string {
  const text = fromBytes(bytes);
  return `"${(text ?? bytes).replace(text === null ? /["\\]|[^ -~]/g : /["\\\0-\x1f\x7f]/g, escaped)}"`;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** Quoted where that can say it, raw otherwise: in quotes, `\"` is only a quote and no escape. */
export function renderRegex(pattern: Bytes): string {
  const text = fromBytes(pattern) ?? pattern;
  return quotedRegex(text) ?? rawString(text);
}

/** Without the `"` that would end the string; null if an escape or a class would be read as something else. */
function quotedRegex(pattern: string): string | null {
  let isInClass = false;
  for (const token of pattern.match(/\\[\s\S]|[\s\S]/g) ?? []) {
    if (token === "[") isInClass = true;
    else if (token === "]") isInClass = false;
    else if (token === '"' || token === '\\"') return null;
  }
  return isInClass ? null : `"${pattern}"`;
}

function rawString(text: string): string {
  const longest = Math.max(...[...text.matchAll(/"(#*)/g)].map(([, hashes = ""]) => hashes.length + 1), 0);
  const hashes = "#".repeat(longest);
  return `r${hashes}"${text}"${hashes}`;
}
