import { toBytes } from "../value.js";
import { ALL, type ByteSet, caseless, NONE, single } from "./byte-set.js";
import { readClass } from "./class.js";
import { type Item, readItem } from "./escape.js";
import {
  type Flags,
  isPatternEnd,
  type Pattern,
  PatternRefusal,
  patternOf,
  peek,
  skipVerbose,
  take,
  takeIf,
  wrong,
} from "./pattern.js";
import { readBounds, repeat } from "./repeat.js";
import { type Regex, sizeOf } from "./tree.js";

type Read =
  | { readonly ok: true; readonly regex: Regex }
  /** The mistake, as a sentence. */
  | { readonly ok: false; readonly detail: string };

/**
 * A regular expression in the syntax of Rust's `regex`. It runs over bytes here, with Unicode off unless `(?u)` turns
 * it on. The limit of the compiled size is only approximate.
 */
export function readRegex(text: string): Read {
  try {
    return { ok: true, regex: readWhole(patternOf(text)) };
  } catch (refusal) {
    if (refusal instanceof PatternRefusal) return { ok: false, detail: refusal.detail };
    throw refusal;
  }
}

function readWhole(pattern: Pattern): Regex {
  const { regex } = readChoice(pattern, 0);
  if (!isPatternEnd(pattern))
    wrong("A `)` closes a group that was never opened; write `\\)` for the character.");
  if (sizeOf(regex) > MOST_STEPS) wrong("It would grow too large when it is compiled; repeat less.");
  return regex;
}

/** Rust's 10 MiB, at 32 bytes a step. */
const MOST_STEPS = 330_000;

/** A part of a pattern, and its nesting depth in Rust's own tree. */
interface Part {
  readonly regex: Regex;
  readonly depth: number;
}

const EMPTY: Part = { regex: { as: "sequence", items: [] }, depth: 0 };

/** Marks where flags were set, so that a repetition there is refused. */
const FLAGS: Part = { ...EMPTY };

/** Alternatives, up to the end of their group. */
function readChoice(pattern: Pattern, openGroups: number): Part {
  if (openGroups > MOST_DEPTH) tooDeep();
  const branches: Part[] = [];
  do branches.push(readSequence(pattern, openGroups));
  while (takeIf(pattern, "|"));
  return combineParts("choice", branches);
}

const MOST_DEPTH = 250;

function tooDeep(): never {
  return wrong(`It nests more than ${MOST_DEPTH} levels deep.`);
}

function readSequence(pattern: Pattern, openGroups: number): Part {
  const parts: Part[] = [];
  for (skipVerbose(pattern); !/^[|)]?$/.test(peek(pattern)); skipVerbose(pattern)) {
    const isRepeat = /^[?*+{]$/.test(peek(pattern));
    parts.push(isRepeat ? readRepeat(pattern, parts.pop()) : readPart(pattern, openGroups));
  }
  return combineParts("sequence", parts);
}

function combineParts(as: "sequence" | "choice", parts: readonly Part[]): Part {
  const [first = EMPTY, ...others] = parts;
  return others.length === 0 ? first : nest({ as, items: parts.map(({ regex }) => regex) }, parts);
}

function nest(regex: Regex, parts: readonly Part[]): Part {
  return partOf(regex, 1 + parts.reduce((most, part) => Math.max(most, part.depth), 0));
}

function partOf(regex: Regex, depth: number): Part {
  return depth > MOST_DEPTH ? tooDeep() : { regex, depth };
}

function readRepeat(pattern: Pattern, part: Part | undefined): Part {
  const sign = peek(pattern);
  if (part === undefined || part === FLAGS) {
    return wrong(`\`${sign}\` has nothing before it to repeat; write \`\\${sign}\` for the character.`);
  }
  return nest(repeat(part.regex, readBounds(pattern)), [part]);
}

function readPart(pattern: Pattern, openGroups: number): Part {
  switch (peek(pattern)) {
    case "(":
      return readGroup(pattern, openGroups);
    case "[": {
      const { set, depth } = readClass(pattern, MOST_DEPTH);
      return partOf(byteOf(set), depth);
    }
    default:
      return partOf(readLeaf(pattern), 0);
  }
}

/** Flags set inside a group hold to its end, in the next alternatives too. */
function readGroup(pattern: Pattern, openGroups: number): Part {
  const outer = pattern.flags;
  const { as, flags } = readOpening(pattern);
  pattern.flags = flags;
  if (as === "flags") return FLAGS;
  const inner = readChoice(pattern, openGroups + 1);
  if (!takeIf(pattern, ")")) unclosedGroup();
  pattern.flags = outer;
  return nest(inner.regex, [inner]);
}

/** One character or an escape, outside of `[…]`. */
function readLeaf(pattern: Pattern): Regex {
  const { flags } = pattern;
  switch (peek(pattern)) {
    case ".":
      take(pattern);
      return byteOf(flags.isUnicode ? null : ALL & ~lineEnds(flags));
    case "^":
      take(pattern);
      return { as: "assert", assertion: edge(flags, "start") };
    case "$":
      take(pattern);
      return { as: "assert", assertion: edge(flags, "end") };
    default:
      return regexOf(readItem(pattern), flags);
  }
}

function edge<Side extends "start" | "end">({ isByLine, isCrlf }: Flags, side: Side) {
  const kind = isByLine ? (isCrlf ? "crlf" : "line") : "text";
  return `${kind}_${side}` as const;
}

/** One of some bytes. Null: Unicode tables are needed. */
function byteOf(of: ByteSet | null): Regex {
  return of === null ? UNKNOWN : { as: "byte", of };
}

const UNKNOWN: Regex = { as: "unknown" };

/** The bytes that `.` leaves out. */
function lineEnds({ isDotAll, isCrlf }: Flags): ByteSet {
  if (isDotAll) return NONE;
  return isCrlf ? single(0x0a) | single(0x0d) : single(0x0a);
}

function regexOf(item: Item, flags: Flags): Regex {
  switch (item.as) {
    case "class":
      return byteOf(item.set);
    case "assertion":
      return item.assertion === null ? UNKNOWN : { as: "assert", assertion: item.assertion };
    case "literal":
      return literalOf(item, flags);
  }
}

/** All bytes of a character, so that a repetition means the whole. Without Unicode only ASCII has two cases. */
function literalOf({ code, isByte }: Item & { as: "literal" }, { isCaseless, isUnicode }: Flags): Regex {
  if (isCaseless && isUnicode && hasMoreCases(code)) return UNKNOWN;
  if (code <= 0x7f || (isByte && !isUnicode)) {
    return { as: "byte", of: isCaseless ? caseless(single(code)) : single(code) };
  }
  const bytes = [...toBytes(String.fromCodePoint(code))];
  return { as: "sequence", items: bytes.map((each) => ({ as: "byte", of: single(each.charCodeAt(0)) })) };
}

/** In Unicode, the Kelvin sign is a `k` and the long s an `s`. */
function hasMoreCases(code: number): boolean {
  return code > 0x7f || /[ks]/i.test(String.fromCodePoint(code));
}

/** The meaning of an opening parenthesis: a group, or other flags for the rest of the current group. */
interface Opening {
  readonly as: "group" | "flags";
  readonly flags: Flags;
}

function readOpening(pattern: Pattern): Opening {
  take(pattern);
  skipVerbose(pattern);
  if (["?=", "?!", "?<=", "?<!"].some((sign) => takeIf(pattern, sign))) {
    wrong("It looks ahead or behind with `(?=`, `(?!`, `(?<=` or `(?<!`, which this engine does not have.");
  }
  if (takeIf(pattern, "?P<") || takeIf(pattern, "?<")) readName(pattern);
  else if (takeIf(pattern, "?")) return readFlags(pattern);
  return { as: "group", flags: pattern.flags };
}

function readName(pattern: Pattern): void {
  const end = pattern.text.indexOf(">", pattern.at);
  if (end === -1) wrong("The name of a group is never closed with `>`.");
  const name = pattern.text.slice(pattern.at, end);
  if (!/^[_\p{Alphabetic}][_.[\]\p{Alphabetic}\p{N}]*$/u.test(name))
    wrong(`\`${name}\` cannot name a group.`);
  if (pattern.names.has(name)) wrong(`Two groups are named \`${name}\`.`);
  pattern.names.add(name);
  pattern.at = end + 1;
}

/** Letters, then `)` for the rest of this group or `:` for a new one. */
function readFlags(pattern: Pattern): Opening {
  let signs = "";
  for (let sign = peek(pattern); sign !== ":" && sign !== ")"; sign = peek(pattern)) {
    if (isPatternEnd(pattern)) unclosedGroup();
    if (!/^[imsUuRx-]$/.test(sign)) {
      wrong(
        `\`(?${sign}\` is nothing that this engine knows: it has groups, named groups and the flags imsUuRx.`,
      );
    }
    if (signs.includes(sign)) wrong(`The flag \`${sign}\` is given twice in one group.`);
    signs += take(pattern);
  }
  if (signs.endsWith("-")) wrong("No flag follows the `-` that turns flags off.");
  const isGroup = take(pattern) === ":";
  if (!isGroup && signs === "") wrong("`(?)` has no flags.");
  return { as: isGroup ? "group" : "flags", flags: withSigns(pattern.flags, signs) };
}

function unclosedGroup(): never {
  return wrong("A group is opened with `(` and never closed; write `\\(` for the character.");
}

/** Signs before a `-` are turned on, those after it off. `U` swaps laziness, which does not matter here. */
function withSigns(flags: Flags, signs: string): Flags {
  const [on = "", off = ""] = signs.split("-");
  const isOn = (sign: string, before: boolean) => (before || on.includes(sign)) && !off.includes(sign);
  return {
    isCaseless: isOn("i", flags.isCaseless),
    isByLine: isOn("m", flags.isByLine),
    isDotAll: isOn("s", flags.isDotAll),
    isCrlf: isOn("R", flags.isCrlf),
    isVerbose: isOn("x", flags.isVerbose),
    isUnicode: isOn("u", flags.isUnicode),
  };
}
