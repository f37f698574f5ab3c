/** A text as it reads once something in it is decoded, and where each of its characters stood before. */
export interface Reading {
  readonly text: string;
  /** Where what stands from `start` up to `end` has come from. */
  origin(start: number, end: number): Range;
}

export type Range = readonly [start: number, end: number];

/**
 * All the ways in which a text may be meant: as it is; with the escapes of JSON taken for what they stand for; with
 * those of HTML; with those of URLs; and again, as escaped text is often escaped once more. The last one has none left.
 */
export function readings(text: string): readonly [Reading, ...Reading[]] {
  const all: [Reading, ...Reading[]] = [{ text, origin: (start, end) => [start, end] }];
  let last = all[0];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = last;
    for (const escapes of [JSON_ESCAPES, HTML_ESCAPES, URL_ESCAPES]) {
      const next = decoded(last, escapes);
      if (next === null) continue;
      all.push(next);
      last = next;
    }
    if (last === before) break;
  }
  return all;
}

/** The last of a text's readings, where only that is of interest. */
export function plainest(text: string): string {
  return readings(text).at(-1)?.text ?? text;
}

/** Nobody escapes a text more often by mistake. */
const MAX_ROUNDS = 6;

interface Escapes {
  readonly pattern: RegExp;
  readonly meaning: (written: string) => string;
}

const LETTERS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const JSON_ESCAPES: Escapes = {
  pattern: /\\(?:u[0-9a-f]{4}|["\\/bfnrt])/gi,
  meaning: ([, letter = "", ...code]) =>
    letter === "u" ? character(Number.parseInt(code.join(""), 16)) : (LETTERS[letter] ?? letter),
};

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  plus: "+",
  equals: "=",
  sol: "/",
  colon: ":",
};

const HTML_ESCAPES: Escapes = {
  pattern: new RegExp(`&(?:${Object.keys(NAMED).join("|")}|#\\d{1,7}|#x[0-9a-f]{1,6});`, "gi"),
  meaning: (written) => {
    const name = written.slice(1, -1).toLowerCase();
    if (!name.startsWith("#")) return NAMED[name] ?? written;
    return character(name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  },
};

/** One character of UTF-8 each, so that each has its place. */
const URL_ESCAPES: Escapes = {
  pattern:
    /%[0-7][0-9a-f]|%[cd][0-9a-f](?:%[89ab][0-9a-f])|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi,
  meaning: (written) => {
    try {
      return decodeURIComponent(written);
    } catch {
      return written;
    }
  },
};

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** Null: nothing is escaped so. */
function decoded(from: Reading, { pattern, meaning }: Escapes): Reading | null {
  const parts: string[] = [];
  const starts: number[] = [];
  let done = 0;
  const keep = (end: number) => {
    parts.push(from.text.slice(done, end));
    for (let at = done; at < end; at++) starts.push(at);
  };
  for (const { 0: written, index } of from.text.matchAll(pattern)) {
    const meant = meaning(written);
    if (meant === written) continue;
    keep(index);
    parts.push(meant);
    for (let at = 0; at < meant.length; at++) starts.push(index);
    done = index + written.length;
  }
  if (done === 0) return null;
  keep(from.text.length);
  starts.push(from.text.length);
  const startOf = (at: number) => starts[at] ?? from.text.length;
  return { text: parts.join(""), origin: (start, end) => from.origin(startOf(start), startOf(end)) };
}
