import { type ByteSet, caseless, complement, NONE, POSIX, range, single } from "./byte-set.js";
import { type Item, readItem } from "./escape.js";
import {
  afterVerbose,
  type Flags,
  isPatternEnd,
  type Pattern,
  peek,
  skipVerbose,
  take,
  takeIf,
  wrong,
} from "./pattern.js";

/** Bytes, and the nesting depth in Rust's own tree. Null: Unicode tables are needed. */
export interface Members {
  readonly set: ByteSet | null;
  readonly depth: number;
}

/** Reads `[…]`, with classes inside it, `&&`, `--` and `~~`. */
export function readClass(pattern: Pattern, mostDepth: number): Members {
  if (mostDepth <= 0) wrong("Its classes nest too deep.");
  const isNegated = openClass(pattern);
  let members = readFirst(pattern);
  let whole = (last: Members): Members => last;
  for (skipVerbose(pattern); !isPatternEnd(pattern); skipVerbose(pattern)) {
    if (takeIf(pattern, "]")) return closeClass(whole(unionOf(members)), isNegated, pattern);
    const next = takeOperation(pattern);
    if (next === null) members.push(readMember(pattern, mostDepth));
    else {
      const left = whole(unionOf(members));
      whole = (right) => apply(next, left, right);
      members = [];
    }
  }
  return refuseUnclosed();
}

function openClass(pattern: Pattern): boolean {
  take(pattern);
  skipVerbose(pattern);
  const isNegated = takeIf(pattern, "^");
  skipVerbose(pattern);
  return isNegated;
}

/** At the start, `-` and, failing that, `]` are characters. */
function readFirst(pattern: Pattern): Members[] {
  const first: Members[] = [];
  for (; takeIf(pattern, "-"); skipVerbose(pattern)) first.push({ set: single(0x2d), depth: 0 });
  if (first.length === 0 && takeIf(pattern, "]")) first.push({ set: single(0x5d), depth: 0 });
  return first;
}

type Operation = (left: ByteSet, right: ByteSet) => ByteSet;

const OPERATIONS: readonly (readonly [sign: string, operation: Operation])[] = [
  ["&&", (left, right) => left & right],
  ["--", (left, right) => left & ~right],
  ["~~", (left, right) => left ^ right],
];

function takeOperation(pattern: Pattern): Operation | null {
  return OPERATIONS.find(([sign]) => takeIf(pattern, sign))?.[1] ?? null;
}

/** All operators bind alike, from left to right. */
function apply(operation: Operation, left: Members, right: Members): Members {
  const set = left.set === null || right.set === null ? null : operation(left.set, right.set);
  return { set, depth: 1 + Math.max(left.depth, right.depth) };
}

function unionOf(members: readonly Members[]): Members {
  let set: ByteSet | null = NONE;
  let depth = 0;
  for (const each of members) {
    set = set === null || each.set === null ? null : set | each.set;
    depth = Math.max(depth, each.depth);
  }
  return { set, depth: members.length > 1 ? depth + 1 : depth };
}

function closeClass({ set, depth }: Members, isNegated: boolean, { flags }: Pattern): Members {
  if (!isNegated || set === null) return { set, depth: depth + 1 };
  return { set: flags.isUnicode ? null : complement(set), depth: depth + 1 };
}

function readMember(pattern: Pattern, mostDepth: number): Members {
  if (peek(pattern) !== "[") return { set: readRange(pattern), depth: 0 };
  const named = takePosixClass(pattern);
  return named === undefined ? readClass(pattern, mostDepth - 1) : { set: named, depth: 0 };
}

/** `[:alpha:]`. Text that only looks like one is a class inside the class. */
function takePosixClass(pattern: Pattern): ByteSet | null | undefined {
  const text = pattern.text.slice(pattern.at, pattern.at + LONGEST_POSIX_CLASS);
  const [whole, negated, name] = /^\[:(\^?)([a-z]+):\]/.exec(text) ?? [];
  if (whole === undefined || name === undefined || !Object.hasOwn(POSIX, name)) return undefined;
  pattern.at += whole.length;
  const set = withCases(POSIX[name] ?? NONE, pattern.flags);
  if (negated !== "^" || set === null) return set;
  return pattern.flags.isUnicode ? null : complement(set);
}

const LONGEST_POSIX_CLASS = 12;

function readRange(pattern: Pattern): ByteSet | null {
  const { flags } = pattern;
  const from = readClassItem(pattern);
  skipVerbose(pattern);
  if (isPatternEnd(pattern)) refuseUnclosed();
  if (peek(pattern) !== "-" || /[\]-]/.test(afterDash(pattern))) {
    return from.as === "class" ? from.set : setOf(from, from, flags);
  }
  take(pattern);
  skipVerbose(pattern);
  if (isPatternEnd(pattern)) refuseUnclosed();
  const to = readClassItem(pattern);
  if (from.as === "class" || to.as === "class")
    return wrong("A range inside `[…]` has to lead from one character to another.");
  if (to.code < from.code) {
    const backwards = `${String.fromCodePoint(from.code)}-${String.fromCodePoint(to.code)}`;
    wrong(`The range \`${backwards}\` inside \`[…]\` runs backwards.`);
  }
  return setOf(from, to, flags);
}

/** The character after the `-` that comes next. */
function afterDash({ text, at, flags }: Pattern): string {
  return text.charAt(flags.isVerbose ? afterVerbose(text, at + 1) : at + 1);
}

function readClassItem(pattern: Pattern): Exclude<Item, { as: "assertion" }> {
  const item = readItem(pattern);
  if (item.as === "assertion")
    return wrong("Inside `[…]`, escapes such as `\\b` that match a place have no meaning.");
  if (item.as === "literal" && item.code > 0x7f && !item.isByte && !pattern.flags.isUnicode) {
    const character = String.fromCodePoint(item.code);
    wrong(
      `\`${character}\` is not ASCII, and classes are of bytes here. Write it outside of \`[…]\`, as in \`(a|${character})\`, or start the pattern with \`(?u)\`.`,
    );
  }
  return item;
}

type Literal = Extract<Item, { as: "literal" }>;

function setOf(from: Literal, to: Literal, flags: Flags): ByteSet | null {
  return flags.isUnicode && to.code > 0x7f ? null : withCases(range(from.code, to.code), flags);
}

/** In Unicode, some non-ASCII characters are small or capital forms of ASCII letters. */
function withCases(set: ByteSet, flags: Flags): ByteSet | null {
  if (!flags.isCaseless) return set;
  return flags.isUnicode ? null : caseless(set);
}

function refuseUnclosed(): never {
  return wrong("A class is opened with `[` and never closed; write `\\[` for the character.");
}
