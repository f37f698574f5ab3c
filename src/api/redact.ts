import { cutEnd } from "../model/cut.js";
import { isObject, type Json } from "../model/json.js";
import { secretByLook } from "../model/looks-secret.js";

/** Makes text from outside safe to show. */
export type Cleaner = (text: string, limitChars?: number) => string;

/**
 * An answer of the service may repeat the values sent to it and the values it stores. Secrets are removed in any
 * spelling, by their value or by their look. Characters that steer a terminal are replaced. The text is cut last, so
 * that no part of a secret is left at the cut.
 *
 * @param knownSecrets as `spellings` gives them; secrets added later are removed from then on
 */
export function cleaner(knownSecrets: ReadonlySet<string>): Cleaner {
  return (text, limitChars = 500) => cutEnd(visible(redacted(text, limitChars, knownSecrets)), limitChars);
}

/** The whole text without known secrets and without texts that look like one. */
export function withoutSecrets(text: string, knownSecrets: ReadonlySet<string> = NOTHING_KNOWN): string {
  return redacted(text, text.length, knownSecrets);
}

const NOTHING_KNOWN: ReadonlySet<string> = new Set();

/** The forms in which a secret is recognised. None for a secret too short to be told from other text. */
export function spellings(secret: string): readonly string[] {
  return [folded(secret), folded(plainest(secret))].filter((each) => each.trim().length >= LEAST_CHARS);
}

const LEAST_CHARS = 3;

/** Folded for comparing: lower case, and `+` is a space, as in forms. Every character keeps its place. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  const small =
    lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return small.replace(/[\s+]/g, " ");
}

/** Shown in place of a secret. */
export const REDACTED = "[redacted]";

/** How far beyond the cut the text is searched: no secret is longer in any spelling. */
const LONGEST_CHARS = 16_384;

function redacted(text: string, limitChars: number, knownSecrets: ReadonlySet<string>): string {
  const examined = text.slice(0, limitChars + LONGEST_CHARS);
  const isWhole = examined.length === text.length;
  const showable = isWhole ? examined : examined.slice(0, limitChars);
  const parts: string[] = [];
  let copiedTo = 0;
  for (const [start, end] of joined(secretIn(examined, [...knownSecrets]))) {
    parts.push(showable.slice(copiedTo, start), start < showable.length ? REDACTED : "");
    copiedTo = end;
  }
  return parts.join("") + showable.slice(copiedTo) + (isWhole ? "" : "…");
}

/** In order; touching ranges are merged. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = [];
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last === undefined || start > last[1]) merged.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return merged;
}

/** How many encodings may be nested. */
const MAX_DEPTH = 2;

function secretIn(text: string, needles: readonly string[], depth = MAX_DEPTH): readonly Range[] {
  return readings(text).flatMap((reading) => {
    const ranges = [
      ...byValue(folded(reading.text), needles),
      ...secretByLook(reading.text),
      ...(depth === 0 ? [] : wrapped(reading.text, needles, depth)),
    ];
    return ranges.map(([start, end]) => reading.origin(start, end));
  });
}

/** A shorter secret counts only as a whole word: it is part of too many words. */
const MIN_CHARS = 6;

function byValue(text: string, needles: readonly string[]): readonly Range[] {
  return needles.flatMap((needle) => {
    const ranges: Range[] = [];
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      const end = at + needle.length;
      if (needle.length >= MIN_CHARS || isAlone(text, at, end)) ranges.push([at, end]);
    }
    return ranges;
  });
}

function isAlone(text: string, start: number, end: number): boolean {
  return !/\w/.test(text.charAt(start - 1) + text.charAt(end));
}

/** Base64, both alphabets, line breaks allowed. A character has 6 bits, so a run may begin at any of four offsets. */
const BASE64 = /[A-Za-z0-9+/_-]{6,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}/g;
const HEX = /(?:[0-9a-f]{2}){4,}/gi;

/** Runs of characters that contain a secret once they are decoded. */
function wrapped(text: string, needles: readonly string[], depth: number): readonly Range[] {
  const long = needles.filter((each) => each.length >= MIN_CHARS);
  const isTelling = (texts: readonly string[]) => secretIn(texts.join(" \n"), long, depth - 1).length > 0;
  const runs = [...runsIn(text, BASE64, "base64", [0, 1, 2, 3]), ...runsIn(text, HEX, "hex", [0, 1])];
  // One test for all runs together: mostly none of them has a secret.
  if (runs.length === 0 || !isTelling(runs.flatMap(({ decodings }) => decodings))) return [];
  return runs.filter(({ decodings }) => isTelling(decodings)).map(({ at }) => at);
}

interface Run {
  readonly at: Range;
  /** The texts that it decodes to, one for each offset. */
  readonly decodings: readonly string[];
}

function runsIn(
  text: string,
  pattern: RegExp,
  encoding: "base64" | "hex",
  offsets: readonly number[],
): readonly Run[] {
  return [...text.matchAll(pattern)].map(({ 0: run, index }) => {
    const bare = run.replace(/\s/g, "");
    const decodings = offsets.map((offset) => Buffer.from(bare.slice(offset), encoding).toString("utf8"));
    return { at: [index, index + run.length], decodings };
  });
}

function visible(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "\ufffd")
    .trim();
}

/** A text with something in it decoded, and where each of its characters stood before. */
interface Reading {
  readonly text: string;
  /** The range in the original text that `start` to `end` comes from. */
  origin(start: number, end: number): Range;
}

type Range = readonly [start: number, end: number];

/**
 * All forms of a text: as it is, then with JSON, HTML and URL escapes decoded, repeatedly, as escaped text is often
 * escaped again. The last form has no escapes left.
 */
function readings(text: string): readonly [Reading, ...Reading[]] {
  const forms: [Reading, ...Reading[]] = [{ text, origin: (start, end) => [start, end] }];
  let last = forms[0];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = last;
    for (const escapes of [JSON_ESCAPES, HTML_ESCAPES, URL_ESCAPES]) {
      const next = decoded(last, escapes);
      if (next === null) continue;
      forms.push(next);
      last = next;
    }
    if (last === before) break;
  }
  return forms;
}

function plainest(text: string): string {
  return readings(text).at(-1)?.text ?? text;
}

/** Text is not escaped more often than this by mistake. */
const MAX_ROUNDS = 6;

interface Escapes {
  readonly pattern: RegExp;
  readonly meaning: (escaped: string) => string;
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
  meaning: (escaped) => {
    const name = escaped.slice(1, -1).toLowerCase();
    if (!name.startsWith("#")) return NAMED[name] ?? escaped;
    return character(name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
  },
};

/** One UTF-8 character per match, so that each character has its place. */
const URL_ESCAPES: Escapes = {
  pattern:
    /%[0-7][0-9a-f]|%[cd][0-9a-f](?:%[89ab][0-9a-f])|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi,
  meaning: (escaped) => {
    try {
      return decodeURIComponent(escaped);
    } catch {
      return escaped;
    }
  },
};

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** Null: the text has no such escapes. */
function decoded(from: Reading, { pattern, meaning }: Escapes): Reading | null {
  const parts: string[] = [];
  const starts: number[] = [];
  let copiedTo = 0;
  const keep = (end: number) => {
    parts.push(from.text.slice(copiedTo, end));
    for (let at = copiedTo; at < end; at++) starts.push(at);
  };
  for (const { 0: escaped, index } of from.text.matchAll(pattern)) {
    const plain = meaning(escaped);
    if (plain === escaped) continue;
    keep(index);
    parts.push(plain);
    for (let at = 0; at < plain.length; at++) starts.push(index);
    copiedTo = index + escaped.length;
  }
  if (copiedTo === 0) return null;
  keep(from.text.length);
  starts.push(from.text.length);
  const startOf = (at: number) => starts[at] ?? from.text.length;
  return { text: parts.join(""), origin: (start, end) => from.origin(startOf(start), startOf(end)) };
}

/** The texts in these values that no message may repeat, and their parts. */
export function secretParts(secret: Json): readonly string[] {
  return textsIn(secret).flatMap((text) => [text, ...partsOf(text)]);
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** Shorter parts are common words. */
const MIN_PART_CHARS = 6;

/** Hosts and folders often have common names, such as a zone's. Only a long one that is not a domain name counts. */
const MIN_PLACE_CHARS = 12;
const DOMAIN_NAME = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/i;

/**
 * The parts of a secret that are secret too: a password alone must not be shown either. The host of a web URL and the
 * names of its parameters are no secrets. In any other URL, the host may be the user's bucket.
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
