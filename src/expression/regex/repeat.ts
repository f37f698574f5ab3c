import { isWhitespace } from "../parse/reader.js";
import { type Pattern, peek, skipVerbose, take, takeIf, wrong } from "./pattern.js";
import type { Regex } from "./tree.js";

/** The bounds of a repetition. Null: no upper bound. */
export interface Bounds {
  readonly min: number;
  readonly max: number | null;
}

/** `?`, `*`, `+`, `{2}`, `{2,}` or `{2,3}`, and a `?` after it, which makes it lazy. */
export function readBounds(pattern: Pattern): Bounds {
  const sign = take(pattern);
  const bounds = SIGNS[sign] ?? readCount(pattern);
  takeIf(pattern, "?");
  return bounds;
}

const SIGNS: Readonly<Record<string, Bounds>> = {
  "?": { min: 0, max: 1 },
  "*": { min: 0, max: null },
  "+": { min: 1, max: null },
};

function readCount(pattern: Pattern): Bounds {
  const min = readDecimal(pattern);
  let max: number | null = min;
  if (takeIf(pattern, ",")) {
    skipVerbose(pattern);
    max = peek(pattern) === "}" ? null : readDecimal(pattern);
  }
  if (!takeIf(pattern, "}"))
    wrong("A repetition is opened with `{` and never closed; write `\\{` for the character.");
  skipVerbose(pattern);
  if (max !== null && max < min) wrong(`The repetition \`{${min},${max}}\` runs backwards.`);
  return { min, max };
}

function readDecimal(pattern: Pattern): number {
  skipSpaces(pattern);
  let digits = "";
  for (; /^[0-9]$/.test(peek(pattern)); skipVerbose(pattern)) digits += take(pattern);
  skipSpaces(pattern);
  if (digits === "")
    wrong("A `{` has to be followed by a number that says how often; write `\\{` for the character.");
  const value = Number(digits);
  return value > 0xffffffff ? wrong("A repetition has a number that is too large.") : value;
}

/** Whitespace is allowed around numbers even without the flag `x`. */
function skipSpaces(pattern: Pattern): void {
  skipVerbose(pattern);
  while (isWhitespace(pattern.text.charAt(pattern.at))) pattern.at += 1;
  skipVerbose(pattern);
}

export function repeat(item: Regex, { min, max }: Bounds): Regex {
  if (!isWidthless(item)) return { as: "repeat", item, min, max };
  return { as: "repeat", item, min: Math.min(min, 1), max: Math.min(max ?? 1, 1) };
}

/**
 * Without the upper bounds of long repetitions, and so without the many steps that count them. It matches wherever the
 * pattern does, and more.
 */
export function loosen(regex: Regex): Regex {
  switch (regex.as) {
    case "sequence":
    case "choice":
      return { ...regex, items: regex.items.map(loosen) };
    case "repeat": {
      const item = loosen(regex.item);
      const { min, max } = regex;
      return max === null || max <= FEW
        ? { ...regex, item, min: max === null ? Math.min(min, FEW) : min }
        : { ...regex, item, min: Math.min(min, FEW), max: null };
    }
    default:
      return regex;
  }
}

const FEW = 3;

/** Whether it takes no bytes. Then one repetition equals many, also to Rust. */
function isWidthless(regex: Regex): boolean {
  switch (regex.as) {
    case "byte":
    case "unknown":
      return false;
    case "assert":
      return true;
    case "sequence":
    case "choice":
      return regex.items.every(isWidthless);
    case "repeat":
      return regex.max === 0 || isWidthless(regex.item);
  }
}
