import { toBytes } from "../bytes.js";
import { ALL, type ByteSet, caseless, difference, NONE, single, union } from "./byte-set.js";
import { type Item, readItem } from "./escape.js";
import { type Flags, type Pattern, peek, take } from "./pattern.js";
import type { Regex } from "./tree.js";

/** One character or an escape, outside of `[…]`. */
export function readLeaf(pattern: Pattern): Regex {
  const { flags } = pattern;
  switch (peek(pattern)) {
    case ".":
      take(pattern);
      return byteOf(flags.isUnicode ? null : difference(ALL, lineEnds(flags)));
    case "^":
      take(pattern);
      return { as: "assert", what: edge(flags, "start") };
    case "$":
      take(pattern);
      return { as: "assert", what: edge(flags, "end") };
    default:
      return regexOf(readItem(pattern), flags);
  }
}

function edge<Side extends "start" | "end">({ isByLine, isCrlf }: Flags, side: Side) {
  const of = isByLine ? (isCrlf ? "crlf" : "line") : "text";
  return `${of}_${side}` as const;
}

/** One of some bytes. Null: that takes tables of Unicode. */
export function byteOf(of: ByteSet | null): Regex {
  return of === null ? UNKNOWN : { as: "byte", of };
}

const UNKNOWN: Regex = { as: "unknown" };

/** What `.` leaves out. */
function lineEnds({ isDotAll, isCrlf }: Flags): ByteSet {
  if (isDotAll) return NONE;
  return isCrlf ? union(single(0x0a), single(0x0d)) : single(0x0a);
}

function regexOf(item: Item, flags: Flags): Regex {
  switch (item.as) {
    case "class":
      return byteOf(item.set);
    case "assertion":
      return item.what === null ? UNKNOWN : { as: "assert", what: item.what };
    case "literal":
      return literalOf(item, flags);
  }
}

/** All bytes of a character, so that a repetition after it means the whole. Without Unicode only ASCII has two cases. */
function literalOf({ code, isByte }: Item & { as: "literal" }, { isCaseless, isUnicode }: Flags): Regex {
  if (isCaseless && isUnicode && hasMoreCases(code)) return UNKNOWN;
  if (code <= 0x7f || (isByte && !isUnicode)) {
    return { as: "byte", of: isCaseless ? caseless(single(code)) : single(code) };
  }
  const bytes = [...toBytes(String.fromCodePoint(code))];
  return { as: "sequence", items: bytes.map((each) => ({ as: "byte", of: single(each.charCodeAt(0)) })) };
}

/** To Unicode the Kelvin sign is a `k` and the long s an `s`. */
function hasMoreCases(code: number): boolean {
  return code > 0x7f || /[ks]/i.test(String.fromCodePoint(code));
}
