/** Some of the 256 bytes, as a bit each. The operators of numbers combine sets: `a | b`, `a & ~b`. */
export type ByteSet = bigint;

export const NONE: ByteSet = 0n;
export const ALL: ByteSet = (1n << 256n) - 1n;

export function range(from: number, to: number): ByteSet {
  return ((1n << BigInt(to - from + 1)) - 1n) << BigInt(from);
}

export function single(byte: number): ByteSet {
  return 1n << BigInt(byte);
}

export function complement(set: ByteSet): ByteSet {
  return ALL & ~set;
}

/** For each byte, 1 if it is in the set, else 0. */
export function tableOf(set: ByteSet): Uint8Array {
  const bits = [...set.toString(2).padStart(256, "0")].reverse();
  return Uint8Array.from(bits, Number);
}

/** ASCII letters in both cases. */
export function caseless(set: ByteSet): ByteSet {
  return set | ((set & UPPER) << 32n) | ((set & LOWER) >> 32n);
}

const UPPER = range(0x41, 0x5a);
const LOWER = range(0x61, 0x7a);
const LETTER = UPPER | LOWER;
const DIGIT = range(0x30, 0x39);
/** With the vertical tab, which RE2's `\s` lacks. */
const SPACE = range(9, 13) | single(32);
export const WORD = LETTER | DIGIT | single(0x5f);
const GRAPH = range(0x21, 0x7e);

/** `\d`, `\s` and `\w`, and their complements in capitals. */
export const PERL: { readonly [letter: string]: ByteSet } = {
  d: DIGIT,
  D: complement(DIGIT),
  s: SPACE,
  S: complement(SPACE),
  w: WORD,
  W: complement(WORD),
};

/** `[:alpha:]` and so on. */
export const POSIX: { readonly [name: string]: ByteSet } = {
  alnum: LETTER | DIGIT,
  alpha: LETTER,
  ascii: range(0, 127),
  blank: single(9) | single(32),
  cntrl: range(0, 31) | single(127),
  digit: DIGIT,
  graph: GRAPH,
  lower: LOWER,
  print: GRAPH | single(32),
  punct: GRAPH & ~(LETTER | DIGIT),
  space: SPACE,
  upper: UPPER,
  word: WORD,
  xdigit: DIGIT | range(0x41, 0x46) | range(0x61, 0x66),
};
