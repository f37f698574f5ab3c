import { readClass } from "./class.js";
import { readOpening, unclosedGroup } from "./group.js";
import { byteOf, readLeaf } from "./leaf.js";
import {
  isPatternEnd,
  type Pattern,
  PatternRefusal,
  patternOf,
  peek,
  skipVerbose,
  takeIf,
  wrong,
} from "./pattern.js";
import { readBounds, repeated } from "./repeat.js";
import { sizeOf } from "./size.js";
import type { Regex } from "./tree.js";

export type Read =
  | { readonly ok: true; readonly regex: Regex }
  /** What is wrong, as a sentence. */
  | { readonly ok: false; readonly detail: string };

/**
 * A regular expression in the syntax of Rust's `regex`. It runs over bytes here, with Unicode off unless `(?u)` turns
 * it on. The bound on the compiled size is met only roughly.
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

/** A part of a pattern, and how deep Rust's own tree of it nests. */
interface Part {
  readonly regex: Regex;
  readonly depth: number;
}

const EMPTY: Part = { regex: { as: "sequence", items: [] }, depth: 0 };

/** Stands where flags were set, so that nothing can repeat them. */
const FLAGS: Part = { ...EMPTY };

/** Alternatives, up to the end of their group. */
function readChoice(pattern: Pattern, openGroups: number): Part {
  if (openGroups > MOST_DEPTH) tooDeep();
  const branches: Part[] = [];
  do branches.push(readSequence(pattern, openGroups));
  while (takeIf(pattern, "|"));
  return joined("choice", branches);
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
  return joined("sequence", parts);
}

function joined(as: "sequence" | "choice", parts: readonly Part[]): Part {
  const [first = EMPTY, ...others] = parts;
  return others.length === 0 ? first : nested({ as, items: parts.map(({ regex }) => regex) }, parts);
}

function nested(regex: Regex, parts: readonly Part[]): Part {
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
  return nested(repeated(part.regex, readBounds(pattern)), [part]);
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

/** What is set inside a group holds to its end, in the next alternatives too. */
function readGroup(pattern: Pattern, openGroups: number): Part {
  const outer = pattern.flags;
  const { as, flags } = readOpening(pattern);
  pattern.flags = flags;
  if (as === "flags") return FLAGS;
  const inner = readChoice(pattern, openGroups + 1);
  if (!takeIf(pattern, ")")) unclosedGroup();
  pattern.flags = outer;
  return nested(inner.regex, [inner]);
}
