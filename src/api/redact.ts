import { cutEnd } from "../model/cut.js";
import { isObject, type Json } from "../model/json.js";
import { secretByLook } from "../model/secrets-in-text.js";

/** Makes text from outside fit to be shown. */
export type Cleaner = (text: string, limitChars?: number) => string;

/**
 * What the service says may repeat what it was sent, and what it holds. Secrets are taken out, those that are known by
 * their value and others by their look, in any spelling; characters that steer a terminal are replaced; and a long
 * text is cut, last, so that no part of a secret is left at the cut.
 *
 * @param known as `spellings` gives them; what is added to them later is taken out from then on
 */
export function cleaner(known: ReadonlySet<string>): Cleaner {
  return (text, limitChars = 500) => cutEnd(visible(redacted(text, limitChars, known)), limitChars);
}

/** A text, at its full length, without secrets: those that are known, and what looks like one. */
export function withoutSecrets(text: string, known: ReadonlySet<string> = NOTHING_KNOWN): string {
  return redacted(text, text.length, known);
}

const NOTHING_KNOWN: ReadonlySet<string> = new Set();

/** What a secret is known by. Of one that is too short to be told from what it is not, nothing. */
export function spellings(secret: string): readonly string[] {
  return [folded(secret), folded(plainest(secret))].filter((each) => each.trim().length >= LEAST_CHARS);
}

const LEAST_CHARS = 3;

/**
 * For comparing: the case of letters is not told apart, nor are a blank and the `+` that a form has for it. Every
 * character keeps its place.
 */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const small =
    lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return small.replace(/[\s+]/g, " ");
}

/** What is put in place of a secret. */
export const REDACTED = "[redacted]";

/** Of a long text, so much more is looked at than may be shown, and is not shown: no secret is longer in any spelling. */
const LONGEST_CHARS = 16_384;

function redacted(text: string, limitChars: number, known: ReadonlySet<string>): string {
  const seen = text.slice(0, limitChars + LONGEST_CHARS);
  const isWhole = seen.length === text.length;
  const shown = isWhole ? seen : seen.slice(0, limitChars);
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of joined(secretIn(seen, [...known]))) {
    parts.push(shown.slice(done, start), start < shown.length ? REDACTED : "");
    done = end;
  }
  return parts.join("") + shown.slice(done) + (isWhole ? "" : "…");
}

/** In order; what touches is one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const all: [number, number][] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last === undefined || start > last[1]) all.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return all;
}

/** How often one encoding is looked for in another. */
const MAX_DEPTH = 2;

function secretIn(text: string, needles: readonly string[], depth = MAX_DEPTH): readonly Range[] {
  return readings(text).flatMap((reading) => {
    const own = [
      ...byValue(folded(reading.text), needles),
      ...secretByLook(reading.text),
      ...(depth === 0 ? [] : wrapped(reading.text, needles, depth)),
    ];
    return own.map(([start, end]) => reading.origin(start, end));
  });
}

/** A shorter secret is only one where it stands alone: it is part of too many words. */
const MIN_CHARS = 6;

function byValue(text: string, needles: readonly string[]): readonly Range[] {
  return needles.flatMap((needle) => {
    const found: Range[] = [];
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      const end = at + needle.length;
      if (needle.length >= MIN_CHARS || isAlone(text, at, end)) found.push([at, end]);
    }
    return found;
  });
}

function isAlone(text: string, start: number, end: number): boolean {
  return !/\w/.test(text.charAt(start - 1) + text.charAt(end));
}

/** In base64, of both alphabets and in lines, each character stands for 6 bits: a run may begin at any of four. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}/g;
const HEX = /(?:[0-9a-f]{2}){4,}/gi;

/** Runs of characters that have a secret in them once they are decoded. */
function wrapped(text: string, needles: readonly string[], depth: number): readonly Range[] {
  const long = needles.filter((each) => each.length >= MIN_CHARS);
  const isTelling = (meant: readonly string[]) => secretIn(meant.join(" \n"), long, depth - 1).length > 0;
  const runs = [...runsIn(text, BASE64, "base64", [0, 1, 2, 3]), ...runsIn(text, HEX, "hex", [0, 1])];
  // Mostly there is nothing in any of them.
  if (runs.length === 0 || !isTelling(runs.flatMap(({ meant }) => meant))) return [];
  return runs.filter(({ meant }) => isTelling(meant)).map(({ at }) => at);
}

interface Run {
  readonly at: Range;
  /** What it may stand for. */
  readonly meant: readonly string[];
}

function runsIn(
  text: string,
  pattern: RegExp,
  encoding: "base64" | "hex",
  offsets: readonly number[],
): readonly Run[] {
  return [...text.matchAll(pattern)].map(({ 0: run, index }) => {
    const bare = run.replace(/\s/g, "");
    const meant = offsets.map((offset) => Buffer.from(bare.slice(offset), encoding).toString("utf8"));
    return { at: [index, index + run.length], meant };
  });
}

function visible(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd")
    .trim();
}

/** A text as it reads once something in it is decoded, and where each of its characters stood before. */
interface Reading {
  readonly text: string;
  /** Where what stands from `start` up to `end` has come from. */
  origin(start: number, end: number): Range;
}

type Range = readonly [start: number, end: number];

/**
 * All the ways in which a text may be meant: as it is; with the escapes of JSON taken for what they stand for; with
 * those of HTML; with those of URLs; and again, as escaped text is often escaped once more. The last one has none left.
 */
function readings(text: string): readonly [Reading, ...Reading[]] {
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
function plainest(text: string): string {
  return readings(text).at(-1)?.text ?? text;
}

/** Texts that are escaped more often than this do not occur by mistake. */
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

/** What no message may repeat of these values: their texts, and the parts of those. */
export function secretParts(secret: Json): readonly string[] {
  return textsIn(secret).flatMap((text) => [text, ...partsOf(text)]);
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Shorter parts are words that any message may have. */
const MIN_PART_CHARS = 6;

/** Hosts and folders are called like much else, zones among it: no message is about a long one that is no name. */
const MIN_PLACE_CHARS = 12;
const DOMAIN_NAME = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/i;

/**
 * What of a secret is one too: a message may repeat no more than a password. The host of a URL of the web is none, nor
 * are the names of its parameters; of any other URL the host is somebody's bucket.
 */
function partsOf(text: string): readonly string[] {
  const [, scheme, user = "", host = "", path = "", query = text] =
    /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?#]*)@)?([^/?#]*)([^?#]*)(.*)$/is.exec(text) ?? [];
  const hosts = scheme === undefined || /^https?$/i.test(scheme) ? [] : [host, host.replace(/:\d*$/, "")];
  const places = [...hosts, path.replace(/^\/|\/$/g, ""), ...path.split("/")];
  const values = query.split(/[/?&#]/).flatMap((part) => [part, part.slice(part.indexOf("=") + 1)]);
  return [
    ...[...user.split(":"), ...values].flatMap(spoken).filter((part) => part.length >= MIN_PART_CHARS),
    ...places.flatMap(spoken).filter((part) => part.length >= MIN_PLACE_CHARS && !DOMAIN_NAME.test(part)),
  ];
}

function spoken(part: string): readonly string[] {
  return [part, ...percentDecoded(part).split(/\s+/), percentDecoded(part)];
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
